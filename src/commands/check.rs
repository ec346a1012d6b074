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

/// Rules that are older have surely been followed by others: there are several releases a year.
const MAX_AGE_DAYS: i64 = 365;

/// What to check, and by which rules.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub rules: TzdataArgs,
}

/// Prints what is in use, and fails with all that is wrong.
pub async fn run(arguments: &CheckArgs) -> Result<(), CommandError> {
    arguments.rules.install()?;
    print_line(format_args!(
        "time zone rules: {}",
        release_summary(Utc::now().date_naive())
    ))?;
    let store = store::open(&arguments.database.database_url, false).await?;
    let problems = event_problems(&store).await?;
    store.close().await?;
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CommandError::Refused(problems.join("\nalmanac: "))),
    }
}

/// The release in use, where it is from, and how old it is.
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
        true => "; there are newer ones: update almanac, or give their directory with --tzdata",
        false => "",
    };
    format!("{release}, {from} {date}, {days} days ago{hint}")
}

fn modified_date(file: &Path) -> Option<NaiveDate> {
    let modified = file.metadata().and_then(|data| data.modified()).ok()?;
    Some(DateTime::<Utc>::from(modified).date_naive())
}

/// Prints by which rules events were derived. Returns what is wrong with that.
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
        "{all} events, by the rules that they follow: {}",
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
            "{older} events follow older rules than {present}; a server with these derives them anew when it starts \
             and every hour"
        ));
    }
    let zones = event_times::zones(store.reader()).await?;
    let unknown: Vec<String> = zones.into_iter().filter(|zone| Zone::parse(zone).is_err()).collect();
    if !unknown.is_empty() {
        problems.push(format!(
            "these rules lack time zones of events, which are shown in that of the site: {}",
            unknown.join(", ")
        ));
    }
    Ok(problems)
}
