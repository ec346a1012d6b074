//! `almanac serve`.

use std::{sync::Arc, time::Duration};

use sd_notify::NotifyState;
use tokio::{sync::watch, task::JoinSet};

use super::{
    CommandError,
    database::{self, empty_trash_regularly},
    demo::fill,
    log,
    output::print_line,
    service_manager::{notify, notify_watchdog},
    signals::stop_signals,
    user,
};
use crate::{
    Almanac,
    config::{ServeArgs, Settings},
    demo::Size,
    import::refresh,
    listen::{Limits, raise_open_files},
    pages::health,
    server,
    store::{
        self, Store, address::without_secrets, backfill, idempotency_keys, object_changes,
        rederive::rederive_periodically, search_index, segment_merges, series::horizon,
    },
    transfer::{TransferError, backup::schedule},
    views::ROOT,
    webhooks::{Dispatcher, Sender},
};

/// How often to derive event times again, which servers with older time zone rules may have written.
const REDERIVE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Serves until SIGTERM or Ctrl-C. A second signal aborts the requests in progress.
pub(crate) async fn run(arguments: ServeArgs) -> Result<(), CommandError> {
    health::start_recording();
    // Dropped last, so that everything below can log.
    let _log = log::start(arguments.log_format)?;
    let url = &arguments.database.database_url;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        database = without_secrets(url),
        flags = arguments.set_flags,
        "starting"
    );
    database::wait_for(&arguments.database, arguments.wait).await?;
    if arguments.demo {
        fill_with_demo(url, &arguments).await?;
    }
    let schedule = arguments.backups.schedule(arguments.settings.uploads.clone());
    if let Some(schedule) = &schedule {
        schedule.prepare().map_err(TransferError::from)?;
    }
    let store = store::open(url, !arguments.no_migrate).await?;
    user::ensure_administrator(&store, &arguments.administrator).await?;
    if let Err(error) = object_changes::continue_epoch(&store, super::now()).await {
        tracing::warn!(%error, "can't note the start: after a restore, copies of the calendar may miss changes");
    }
    // Installs the signal handlers before the server announces itself.
    let (first, second) = stop_signals()?;
    let sender = Sender::new(&arguments.settings.webhooks);
    let sender = sender.map_err(|error| CommandError::Refused(error.to_string()))?;
    raise_open_files();
    let listen = arguments.listen.listen;
    let listener = server::bind(listen).map_err(|error| CommandError::Listen(listen, error))?;
    let address = listener.local_addr()?;
    print_line(format_args!("listening on http://{address}"))?;
    if arguments.demo {
        print_line(format_args!("try http://{address}/ and http://{address}{ROOT}/events"))?;
        print_line(format_args!("and http://{address}/explorer"))?;
    }
    tracing::info!(%address, "listening");
    notify(&[NotifyState::Ready]);
    notify_watchdog();
    let mut tasks = maintenance_tasks(&store, &arguments.settings);
    if let Some(age) = arguments.empty_trash_after {
        tasks.spawn(empty_trash_regularly(store.clone(), age));
    }
    if let Some(schedule) = schedule {
        tasks.spawn(schedule::run(store.clone(), schedule));
    }
    let almanac = Arc::new(Almanac::new(store.clone(), arguments.settings));
    let base_url = almanac.settings.base_url.clone();
    let base_url = base_url.unwrap_or_else(|| format!("http://{address}"));
    tasks.spawn(Dispatcher::new(almanac.clone(), sender, base_url).run());
    let limits = Limits::of(&almanac.settings);
    let (running, while_running) = watch::channel(());
    let rederiving = tokio::spawn(rederive_periodically(store.clone(), REDERIVE_INTERVAL, while_running));
    let stop = async {
        let (signal, stop) = first.await;
        tracing::info!(signal, "stopping");
        notify(&[NotifyState::Stopping]);
        stop
    };
    tokio::select! {
        served = server::serve(almanac, listener, limits, stop) => served?,
        () = second => {
            tracing::warn!("second signal; aborting requests in progress");
            return Ok(());
        }
    }
    tasks.abort_all();
    drop(running);
    rederiving.await.map_err(std::io::Error::other)?;
    store.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// The tasks that run as long as the server, whatever its flags.
fn maintenance_tasks(store: &Store, settings: &Settings) -> JoinSet<()> {
    let horizon = settings.series.recurrence_horizon.months();
    let mut tasks = JoinSet::new();
    tasks.spawn(backfill::run(store.clone()));
    tasks.spawn(search_index::run(store.clone()));
    tasks.spawn(segment_merges::run(store.clone()));
    tasks.spawn(idempotency_keys::run(store.clone()));
    tasks.spawn(horizon::run(store.clone(), horizon));
    tasks.spawn(refresh::run(store.clone(), settings.site.zone, horizon));
    tasks.spawn(object_changes::trim_regularly(store.clone(), settings.change_retention));
    tasks
}

async fn fill_with_demo(url: &str, arguments: &ServeArgs) -> Result<(), CommandError> {
    let store = store::open_to_load(url, !arguments.no_migrate).await?;
    user::ensure_administrator(&store, &arguments.administrator).await?;
    let filled = fill(&store, &Size::DEFAULT, &arguments.settings.site.zone).await?;
    if filled.is_none() {
        print_line("--demo: the database already contains a calendar, which stays unchanged")?;
    }
    store.close().await?;
    Ok(())
}
