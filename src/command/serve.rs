//! `almanac serve`.

use std::{
    io::{BufWriter, IsTerminal},
    sync::Arc,
    time::Duration,
};

use tokio::signal::unix::{SignalKind, signal};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::{Failure, demo::fill, user};
use crate::{
    Almanac,
    config::{LogFormat, ServeArgs},
    demo::{self, Size},
    pages::health,
    server,
    store::{self, Store},
    view::ROOT,
};

/// How often lost lines of the log are counted.
const LOST_LINES: Duration = Duration::from_secs(5);

/// Opens the database, listens, and serves until SIGTERM or Ctrl-C.
pub async fn run(arguments: ServeArgs) -> Result<(), Failure> {
    health::start_recording();
    let _log = start_log(arguments.log_format);
    let url = &arguments.database.database_url;
    let store = store::open(url, !arguments.no_migrate).await?;
    user::ensure_administrator(&store).await?;
    if arguments.demo {
        fill_with_demo(&store, &arguments).await?;
    }
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
    let almanac = Arc::new(Almanac::new(store.clone(), arguments.settings));
    server::serve(almanac, listener, stop).await?;
    store.close().await?;
    Ok(())
}

async fn fill_with_demo(store: &Store, arguments: &ServeArgs) -> Result<(), Failure> {
    if demo::is_empty(store.reader()).await? {
        fill(store, &Size::CITY, &arguments.settings.timezone).await
    } else {
        println!("--demo: the database has a calendar already, and stays as it is");
        Ok(())
    }
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

/// The log goes to standard error; `RUST_LOG` narrows it. It is written by a thread of its own, so that no request
/// waits for a pipe, and to the end once the guard is dropped. Where nobody reads the pipe, lines that find no room
/// any more are left out, and counted.
fn start_log(format: LogFormat) -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .finish(BufWriter::new(std::io::stderr()));
    let lost = writer.error_counter();
    tokio::spawn(count_lost_lines(lost));
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("info,poem=warn,sea_orm=warn,sqlx=warn"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(writer);
    // A second log in one process (in tests) is no reason to stop.
    let started = match format {
        LogFormat::Pretty => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(%error, "the log is there already");
    }
    guard
}

/// Tells the metrics how many lines of the log were left out.
async fn count_lost_lines(lost: ErrorCounter) {
    loop {
        let lines = u64::try_from(lost.dropped_lines()).unwrap_or(u64::MAX);
        metrics::counter!("almanac_log_lines_lost_total").absolute(lines);
        tokio::time::sleep(LOST_LINES).await;
    }
}
