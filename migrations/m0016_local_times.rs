//! The local times of events are the source of truth: instants are derived from them, and again when the rules of time
//! zones change.
//!
//! `starts_local` and `ends_local` are seconds since 1970-01-01 00:00:00 on the clocks of the event's zone, as `bigint`
//! for the reason that instants are. Where clocks show such a time twice, `starts_offset` and `ends_offset` tell which
//! one is meant, in seconds east of UTC. `tz_release` is the release of the rules by which `starts_at` and `ends_at` were
//! derived; releases compare as texts. It is empty where only the instants are known: a server of an older version that
//! still runs beside newer ones writes nothing else.
//!
//! The log of changes needs no extension: what is shown of these columns changes only together with `version`.

use std::str::FromStr;

use chrono::{DateTime, FixedOffset, MappedLocalTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use sea_orm::{FromQueryResult, Statement};
use sea_orm_migration::prelude::*;

use super::{sort_by_code_point, trigger::Trigger};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// The release that chrono-tz 0.10.4 has, by which all events were written before this step.
const RELEASE: &str = "2025b";

/// Events that are converted by one statement.
const BATCH: usize = 1000;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for column in [
            "starts_local bigint NOT NULL DEFAULT 0",
            "ends_local bigint NOT NULL DEFAULT 0",
            "starts_offset bigint",
            "ends_offset bigint",
            "tz_release text NOT NULL DEFAULT ''",
        ] {
            let add = format!("ALTER TABLE events ADD COLUMN {column}");
            connection.execute_unprepared(&add).await?;
        }
        sort_by_code_point(manager, "events", &["tz_release"]).await?;
        convert(connection).await?;
        let index = "CREATE INDEX events_tz_release ON events (tz_release)";
        connection.execute_unprepared(index).await?;
        known_by_instants(manager).await
    }
}

/// An event as it was written before.
#[derive(FromQueryResult)]
struct Row {
    id: i64,
    timezone: String,
    starts_at: i64,
    ends_at: i64,
}

/// Adds the local times to all events.
async fn convert(connection: &SchemaManagerConnection<'_>) -> Result<(), DbErr> {
    let backend = connection.get_database_backend();
    let mut last = i64::MIN;
    loop {
        let select = format!(
            "SELECT id, timezone, starts_at, ends_at FROM events WHERE id > {last} \
             ORDER BY id LIMIT {BATCH}"
        );
        let rows = Row::find_by_statement(Statement::from_string(backend, select))
            .all(connection)
            .await?;
        let Some(row) = rows.last() else {
            return Ok(());
        };
        last = row.id;
        let null = || "NULL".to_owned();
        let values: Vec<String> = rows
            .iter()
            .map(|row| {
                let (starts, start) = local_time(&row.timezone, row.starts_at);
                let (ends, end) = local_time(&row.timezone, row.ends_at);
                let [start, end] = [start, end].map(|offset| offset.map_or_else(null, |offset| offset.to_string()));
                format!("({}, {starts}, {ends}, {start}, {end})", row.id)
            })
            .collect();
        let update = format!(
            "UPDATE events SET starts_local = converted.column2, ends_local = converted.column3, \
             starts_offset = CAST(converted.column4 AS bigint), \
             ends_offset = CAST(converted.column5 AS bigint), tz_release = '{RELEASE}' \
             FROM (VALUES {}) AS converted WHERE events.id = converted.column1",
            values.join(", ")
        );
        connection.execute_unprepared(&update).await?;
    }
}

/// The local time at an instant by the rules of 2025b, and its offset where clocks show that time twice; for rows of
/// which only the instants are known.
pub fn local_time(zone: &str, instant: i64) -> (i64, Option<i64>) {
    let at = DateTime::<Utc>::from_timestamp(instant, 0).unwrap_or_default();
    let (offset, is_ambiguous) = match Tz::from_str(zone) {
        Ok(zone) => {
            let offset = zone.offset_from_utc_datetime(&at.naive_utc()).fix();
            let times = zone.from_local_datetime(&(at.naive_utc() + offset));
            (offset, matches!(times, MappedLocalTime::Ambiguous(..)))
        }
        // Rows of zones that nobody knows read as the site's, by their instants.
        Err(_) => (fixed_offset(zone).unwrap_or(Utc.fix()), false),
    };
    let seconds = i64::from(offset.local_minus_utc());
    (at.timestamp() + seconds, is_ambiguous.then_some(seconds))
}

/// The offset of `UTC+5` or `UTC-3:30`, as names of fixed offsets were stored.
fn fixed_offset(name: &str) -> Option<FixedOffset> {
    let (sign, amount) = name.strip_prefix("UTC")?.split_at_checked(1)?;
    let (hours, minutes) = amount.split_once(':').unwrap_or((amount, "0"));
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    match sign {
        "-" => FixedOffset::west_opt(seconds),
        _ => FixedOffset::east_opt(seconds),
    }
}

/// Marks events whose instants were changed by a server that does not know of local times. One that does changes the
/// local time, the zone or the release with them.
async fn known_by_instants(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let same = "IS NOT DISTINCT FROM";
    let trigger = Trigger {
        name: "events_known_by_instants".to_owned(),
        event: "UPDATE OF starts_at, ends_at".to_owned(),
        table: "events",
        body: vec![format!(
            "UPDATE events SET tz_release = '' WHERE id = NEW.id AND tz_release <> '' \
             AND (OLD.starts_at <> NEW.starts_at OR OLD.ends_at <> NEW.ends_at) \
             AND OLD.timezone = NEW.timezone AND OLD.tz_release = NEW.tz_release \
             AND OLD.starts_local = NEW.starts_local AND OLD.ends_local = NEW.ends_local \
             AND OLD.starts_offset {same} NEW.starts_offset \
             AND OLD.ends_offset {same} NEW.ends_offset"
        )],
    };
    trigger.create(manager).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_converted_by_the_rules_that_they_were_written_with() {
        assert_eq!(chrono_tz::IANA_TZDB_VERSION, RELEASE);
        let second = |text: &str| text.parse::<DateTime<Utc>>().unwrap().timestamp();
        for (zone, instant, local, hours) in [
            // 2026e has it at 13:00.
            (
                "America/Vancouver",
                "2026-12-15T20:00:00Z",
                "2026-12-15T12:00:00Z",
                None,
            ),
            ("Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T02:30:00Z", Some(2)),
            ("Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", Some(1)),
            ("UTC", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z", None),
            ("UTC-3:30", "2027-10-31T01:30:00Z", "2027-10-30T22:00:00Z", None),
            ("UTC+5", "2027-10-31T01:30:00Z", "2027-10-31T06:30:00Z", None),
            ("Mars/Base", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z", None),
        ] {
            let offset = hours.map(|hours: i64| hours * 3600);
            let found = local_time(zone, second(instant));
            assert_eq!(found, (second(local), offset), "{zone} {instant}");
        }
    }
}
