//! `almanac source`: the addresses that servers import regularly.

use chrono::DateTime;
use clap::Subcommand;

use super::{CommandError, import::print_report, import_progress::CommandProgress, output::print_line};
use crate::{
    config::{DatabaseArgs, SeriesArgs, Site},
    import::{Format, printable, refresh, run::format_of},
    store::{self, Store, entity::import_source, imports},
};

/// The subcommands of `almanac source`.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// List what was imported from where, with the time and the error of the last attempt
    List {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Import an address now
    Run {
        /// Number of the source, as listed
        id: i64,
        #[command(flatten)]
        site: Site,
        #[command(flatten)]
        series: SeriesArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Remove a source; the imported objects stay, and are not recognised when they are imported again
    Remove {
        /// Number of the source, as listed
        id: i64,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Runs the subcommand.
pub(crate) async fn run(command: SourceCommand) -> Result<(), CommandError> {
    match command {
        SourceCommand::List { database } => {
            let store = store::open_to_read(&database.database_url).await?;
            for source in imports::sources(store.reader()).await? {
                print_line(summary(&source))?;
            }
            store.close().await?;
        }
        SourceCommand::Run {
            id,
            site,
            series,
            database,
        } => {
            let store = store::open(&database.database_url, true).await?;
            run_source(&store, id, &site, series).await?;
            store.close().await?;
        }
        SourceCommand::Remove { id, database } => {
            let store = store::open(&database.database_url, true).await?;
            let transaction = store.begin().await?;
            let is_removed = imports::remove_source(&transaction, id).await?;
            transaction.commit().await?;
            store.close().await?;
            if !is_removed {
                return Err(unknown(id));
            }
        }
    }
    Ok(())
}

fn unknown(id: i64) -> CommandError {
    CommandError::Refused(format!(
        "there is no source {id}; `almanac source list` lists all sources"
    ))
}

async fn run_source(store: &Store, id: i64, site: &Site, series: SeriesArgs) -> Result<(), CommandError> {
    let source = imports::source(store.reader(), id).await?.ok_or_else(|| unknown(id))?;
    if format_of(&source) != Some(Format::Ics) || refresh::address(&source.address).is_none() {
        return Err(CommandError::Refused(format!(
            "source {id} is not an address of iCalendar data; use `almanac import {}`",
            source.format
        )));
    }
    let progress = CommandProgress::start()?;
    let horizon = series.recurrence_horizon.months();
    let result = refresh::refresh(store, &source, site.zone, horizon, &progress).await;
    progress.finish();
    match result? {
        Some(report) => print_report(&report, false),
        None => print_line("unchanged since the last import"),
    }
}

/// One line: number, format, address, interval, and the last attempt.
fn summary(source: &import_source::Model) -> String {
    let time = |second: i64| {
        let time = DateTime::from_timestamp(second, 0)?;
        Some(time.format("%Y-%m-%d %H:%M:%S UTC").to_string())
    };
    let every = match source.every_seconds {
        Some(seconds) => {
            let every = std::time::Duration::from_secs(seconds.cast_unsigned());
            format!("every {}", humantime::format_duration(every))
        }
        None => "once".to_owned(),
    };
    let last = match (&source.failure, source.succeeded_at.and_then(time)) {
        (Some(failure), _) => format!("failed: {}", printable(failure)),
        (None, Some(time)) => format!("succeeded at {time}"),
        (None, None) => "-".to_owned(),
    };
    format!(
        "{}\t{}\t{}\t{every}\t{last}",
        source.id,
        source.format,
        printable(&refresh::shown_address(&source.address))
    )
}
