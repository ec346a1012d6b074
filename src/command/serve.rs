//! `almanac serve`.

use std::{sync::Arc, time::Duration};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::{Failure, demo::fill, log, user};
use crate::{
    Almanac,
    config::ServeArgs,
    demo::{self, Size},
    pages::health,
    server,
    store::{self, description_texts, rederive::keep_derived},
    view::ROOT,
};

/// How often events are looked for that a server with older time zone rules has written.
const REDERIVED_EVERY: Duration = Duration::from_secs(60 * 60);

/// Opens the database, listens, and serves until SIGTERM or Ctrl-C.
pub async fn run(arguments: ServeArgs) -> Result<(), Failure> {
    health::start_recording();
    // Dropped last: until then there may be something to tell.
    let _log = log::start(arguments.log_format)?;
    let url = &arguments.database.database_url;
    if arguments.demo {
        fill_with_demo(url, &arguments).await?;
    }
    let store = store::open(url, !arguments.no_migrate).await?;
    user::ensure_administrator(&store).await?;
    // Before anybody knows that the server is there: a signal must find its handler.
    let stop = stop_signal()?;
    let listener =
        server::bind(arguments.listen).map_err(|error| Failure::Listen(arguments.listen, error))?;
    let address = listener.local_addr()?;
    println!("listening on http://{address}");
    if arguments.demo {
        println!("try http://{address}/ and http://{address}{ROOT}/events");
        println!("and http://{address}/explorer");
    }
    let filling = tokio::spawn(description_texts::run(store.clone()));
    let almanac = Arc::new(Almanac::new(store.clone(), arguments.settings));
    let (running, while_running) = watch::channel(());
    let rederiving = tokio::spawn(keep_derived(store.clone(), REDERIVED_EVERY, while_running));
    server::serve(almanac, listener, stop).await?;
    filling.abort();
    drop(running);
    rederiving.await.map_err(std::io::Error::other)?;
    store.close().await?;
    Ok(())
}

async fn fill_with_demo(url: &str, arguments: &ServeArgs) -> Result<(), Failure> {
    let store = store::open_to_load(url, !arguments.no_migrate).await?;
    user::ensure_administrator(&store).await?;
    if demo::is_empty(store.reader()).await? {
        fill(&store, &Size::CITY, &arguments.settings.site.zone).await?;
    } else {
        println!("--demo: the database has a calendar already, and stays as it is");
    }
    store.close().await?;
    Ok(())
}

/// Done when the process is told to end.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
