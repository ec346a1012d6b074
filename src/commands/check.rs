//! `almanac check`.

use std::path::Path;

use chrono::{DateTime, NaiveDate, Utc};
use clap::Args;

use super::{CommandError, output::print_line};
use crate::{
    calendar::{
        tzdb::{self, BUNDLED, Release, TzdbOrigin},
        zone::Zone,
    },
    config::DatabaseArgs,
    store::{self, Store, event_times},
    tzdata::{TzdataArgs, release_file},
};

/// Older rules are reported as outdated. There are several releases a year.
const MAX_AGE_DAYS: i64 = 365;

/// The flags of `almanac check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub rules: TzdataArgs,
}

/// Prints the time zone rules in use, and fails if events do not follow them.
pub(crate) async fn run(arguments: &CheckArgs) -> Result<(), CommandError> {
    arguments.rules.install()?;
    print_line(format_args!(
        "time zone rules: {}",
        release_summary(Utc::now().date_naive())
    ))?;
    let store = store::open_to_read(&arguments.database.database_url).await?;
    let problems = event_problems(&store).await?;
    store.close().await?;
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CommandError::Refused(problems.join("\nalmanac: "))),
    }
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
