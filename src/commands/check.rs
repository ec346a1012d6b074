//! `almanac check`: whether all is well, and what to do if it is not.

use std::{fs, path::Path, sync::Arc};

use chrono::{DateTime, NaiveDate, Utc};
use clap::Args;

use super::{CommandError, output::print_line, progress};
use crate::{
    calendar::{
        tzdb::{self, BUNDLED, Release, TzdbOrigin},
        zone::Zone,
    },
    config::DatabaseArgs,
    store::{
        self, Store,
        consistency::{self, Difference},
        counts, event_times,
    },
    transfer::{Progress, TransferError, derived_columns},
    tzdata::{TzdataArgs, release_file},
};

/// Older rules are reported as outdated. There are several releases a year.
const MAX_AGE_DAYS: i64 = 365;

/// The free space below which a disk is reported as full: this number of bytes, or this fraction of the database if
/// that is more.
const MIN_FREE_BYTES: u64 = 256 * 1024 * 1024;
const MIN_FREE_PART: u64 = 10;

/// The flags of `almanac check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Recompute derived data that differ from their source data
    #[arg(long)]
    pub repair: bool,

    /// Report what --repair would recompute, and change nothing
    #[arg(long, requires = "repair")]
    pub dry_run: bool,

    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub rules: TzdataArgs,
}

/// Checks everything, and fails with all problems.
pub(crate) async fn run(arguments: &CheckArgs) -> Result<(), CommandError> {
    arguments.rules.install()?;
    print_line(format_args!(
        "time zone rules: {}",
        release_summary(Utc::now().date_naive())
    ))?;
    let url = &arguments.database.database_url;
    // Fails unless the schema is the current one, with what to do.
    let store = store::open_to_read(url).await?;
    let mut problems = event_problems(&store).await?;
    print_line("schema: current")?;
    let progress = Arc::new(Progress::default());
    let found = progress::run(&progress, find(&store, &progress)).await;
    let disk = store.file_path().map(disk_problem);
    store.close().await?;
    problems.extend(disk.transpose()?.flatten());
    let Found { broken, derived } = found?;
    let are_derived_well = derived.is_empty();
    problems.extend(broken);
    if arguments.repair && !arguments.dry_run && !are_derived_well {
        for difference in &derived {
            print_line(format_args!("repairing {difference}"))?;
        }
        problems.extend(repair(url, &progress).await?);
    } else if !are_derived_well {
        problems.push(format!(
            "derived data differ from their source data: {}; `almanac check --repair` computes them again",
            derived.join(", ")
        ));
    }
    match problems.is_empty() {
        true => print_line("all is well"),
        false => Err(CommandError::Refused(problems.join("\nalmanac: "))),
    }
}

/// What is wrong in a database.
struct Found {
    /// Problems that need a backup.
    broken: Vec<String>,
    /// Derived tables and columns with differences.
    derived: Vec<String>,
}

/// Reads the whole database, in one state of the data.
async fn find(store: &Store, progress: &Progress) -> Result<Found, TransferError> {
    let snapshot = consistency::snapshot(store).await?;
    progress.begin("checking the database", 0);
    let damages = consistency::damages(&snapshot).await?;
    let orphans = consistency::orphans(&snapshot).await?;
    let mut broken = Vec::new();
    if !damages.is_empty() {
        broken.push(format!(
            "the database is damaged ({}); restore a backup",
            damages.join("; ")
        ));
    }
    broken.extend(orphans.iter().map(|Difference { what, rows }| {
        format!("{rows} rows of {what}, refer to rows that are missing; restore a backup")
    }));
    progress.begin("comparing derived tables", 0);
    let tables = consistency::differences(&snapshot).await?;
    let mut derived: Vec<String> = tables
        .iter()
        .map(|Difference { what, rows }| format!("{what} ({rows} rows)"))
        .collect();
    let total = counts::all_rows(&snapshot).await?;
    progress.begin("comparing derived columns", total);
    let columns = derived_columns::differences(&snapshot, progress).await?;
    derived.extend(
        columns
            .iter()
            .map(|(table, rows)| format!("columns of {table} ({rows} rows)")),
    );
    Ok(Found { broken, derived })
}

/// Computes derived data again. Returns those that still differ.
async fn repair(url: &str, progress: &Arc<Progress>) -> Result<Vec<String>, CommandError> {
    let store = store::open(url, false).await?;
    let repairing = async {
        progress.begin("computing derived columns", 0);
        // First, since the indexes of searches depend on them.
        derived_columns::repair(&store, progress).await?;
        progress.begin("computing derived tables", 0);
        consistency::repair(&store).await?;
        find(&store, progress).await
    };
    let found = progress::run(progress, repairing).await;
    store.close().await?;
    let Found { derived, .. } = found?;
    if derived.is_empty() {
        print_line("derived data have been computed again")?;
    }
    let still = |what| format!("{what} still differs from its source data; report this as a bug");
    Ok(derived.into_iter().map(still).collect())
}

/// Prints the free space of the disk with a SQLite database. Returns a problem if it is nearly full.
fn disk_problem(database: &Path) -> Result<Option<String>, CommandError> {
    let size = fs::metadata(database)?.len();
    let status = rustix::fs::statvfs(database).map_err(std::io::Error::from)?;
    let free = status.f_bavail * status.f_frsize;
    print_line(format_args!(
        "disk: {} MiB free, database of {} MiB",
        free >> 20,
        size >> 20
    ))?;
    let needed = MIN_FREE_BYTES.max(size / MIN_FREE_PART);
    Ok((free < needed).then(|| {
        format!(
            "the disk has {} MiB free, and should have {}; writes fail when it is full: remove files, such as old \
             backups, or use a larger disk",
            free >> 20,
            needed >> 20
        )
    }))
}

/// The release of the rules in use, their source and age.
fn release_summary(today: NaiveDate) -> String {
    let rules = tzdb::active();
    let (from, date) = match rules.origin() {
        TzdbOrigin::Bundled => ("bundled, published".to_owned(), Some(BUNDLED.1)),
        TzdbOrigin::Directory(directory) => {
            let from = format!("from {}, changed", directory.display());
            (from, release_file(directory).and_then(|file| modified_date(&file)))
        }
    };
    let release = rules.release();
    let Some(date) = date else {
        return format!("{release}, {from} at an unknown date");
    };
    let days = (today - date).num_days();
    let hint = match days > MAX_AGE_DAYS {
        true => "; newer rules exist: update almanac, or pass their directory with --tzdata",
        false => "",
    };
    format!("{release}, {from} {date}, {days} days ago{hint}")
}

fn modified_date(file: &Path) -> Option<NaiveDate> {
    let modified = file.metadata().and_then(|data| data.modified()).ok()?;
    Some(DateTime::<Utc>::from(modified).date_naive())
}

/// Prints the number of events by the release with which their times were derived. Returns the problems found.
async fn event_problems(store: &Store) -> Result<Vec<String>, CommandError> {
    let releases = event_times::releases(store.reader()).await?;
    let all: i64 = releases.iter().map(|(_, events)| events).sum();
    let listed: Vec<String> = releases
        .iter()
        .map(|(release, events)| match release.as_str() {
            "" => format!("unknown {events}"),
            release => format!("{release} {events}"),
        })
        .collect();
    print_line(format_args!(
        "{all} events, by release of the rules: {}",
        listed.join(", ")
    ))?;
    let present = tzdb::active().release();
    let mut problems = Vec::new();
    let older: i64 = releases
        .iter()
        .filter(|(release, _)| Release::parse(release).is_none_or(|release| release < *present))
        .map(|(_, events)| events)
        .sum();
    if older > 0 {
        problems.push(format!(
            "the times of {older} events were derived with older rules than {present}; a server with these rules \
             derives them again when it starts, and every hour"
        ));
    }
    let zones = event_times::zones(store.reader()).await?;
    let unknown: Vec<String> = zones.into_iter().filter(|zone| Zone::parse(zone).is_err()).collect();
    if !unknown.is_empty() {
        problems.push(format!(
            "time zones of events that these rules lack, so that the time zone of the site is used: {}",
            unknown.join(", ")
        ));
    }
    Ok(problems)
}
