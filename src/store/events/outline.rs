//! Whole lists of events, in little memory: their IDs and time zones, by which their rows can be read in batches.

use std::collections::{BTreeMap, BTreeSet};

use chrono::Datelike;
use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::Expr};

use super::{EventQuery, filtered, plan::ResolvedQuery};
use crate::{
    calendar::date::instant_at,
    store::{
        entity::event::{Column, Entity, Model},
        read_connection::ReadConnection,
        row::{FromRow, Row},
    },
};

/// All events of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The IDs of the events, sorted by start, then by ID.
    pub ids: Vec<i64>,
    /// The years in which events start or end, by the time zone of the events. A year begins and ends a day early and a
    /// day late, so that it is complete in each zone.
    pub years: BTreeMap<String, BTreeSet<i32>>,
}

impl Outline {
    /// The outline of one event.
    pub(crate) fn of(event: &Model) -> Self {
        let years = [event.starts_at, event.ends_at].into_iter().flat_map(years_around);
        Self {
            ids: vec![event.id],
            years: BTreeMap::from([(event.timezone.clone(), years.collect())]),
        }
    }
}

/// The starts, ends and IDs of all events in a zone, as one text: a row for each event would take much more memory.
const EVENTS: &str = "string_agg(starts_at || ' ' || ends_at || ' ' || id, ',')";

/// Reads a whole list with one statement, so that it is one state of the data.
pub(crate) async fn outline(database: &impl ReadConnection, query: &EventQuery) -> Result<Outline, DbErr> {
    let query = ResolvedQuery::new(database, query).await?;
    let zones = Entity::find()
        .select_only()
        .column(Column::Timezone)
        .expr(Expr::cust(EVENTS))
        .filter(filtered::condition_on_events(database, &query).await?)
        .group_by(Column::Timezone)
        .into_query();
    let zones: Vec<ZoneEvents> = database.rows(&zones).await?;
    let mut events = Vec::new();
    let mut years = BTreeMap::new();
    for zone in zones {
        let mut zone_years = BTreeSet::new();
        for event in zone.events.split_terminator(',') {
            let [starts_at, ends_at, id] = numbers(event)?;
            for instant in [starts_at, ends_at] {
                zone_years.extend(years_around(instant));
            }
            events.push((starts_at, id));
        }
        years.insert(zone.timezone, zone_years);
    }
    events.sort_unstable();
    let ids = events.into_iter().map(|(_, id)| id).collect();
    Ok(Outline { ids, years })
}

/// Reads the IDs of the events of a list that were published last, the latest first.
pub(crate) async fn newest(database: &impl ReadConnection, query: &EventQuery, limit: u64) -> Result<Vec<i64>, DbErr> {
    let query = ResolvedQuery::new(database, query).await?;
    let ids = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(filtered::condition_on_events(database, &query).await?)
        .order_by_desc(Column::PublishedAt)
        .order_by_desc(Column::Id)
        .limit(limit)
        .into_query();
    let rows: Vec<[i64; 1]> = database.rows(&ids).await?;
    Ok(rows.into_iter().flatten().collect())
}

/// The events of a list in one time zone.
struct ZoneEvents {
    timezone: String,
    events: String,
}

impl FromRow for ZoneEvents {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            timezone: row.text(0)?.unwrap_or_default(),
            events: row.text(1)?.unwrap_or_default(),
        })
    }
}

fn numbers(event: &str) -> Result<[i64; 3], DbErr> {
    let invalid = || DbErr::Type(format!("{event} is not an event"));
    let mut numbers = event.split(' ').map(|number| number.parse().ok());
    let mut next = || numbers.next().flatten().ok_or_else(invalid);
    Ok([next()?, next()?, next()?])
}

/// The years of the instant and of a day before and after it, in UTC.
fn years_around(instant: i64) -> [i32; 2] {
    const DAY: i64 = 24 * 60 * 60;
    [instant - DAY, instant + DAY].map(|second| instant_at(second).year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_include_those_of_every_zone() {
        // 2026-12-31T23:30:00Z is in 2027 in Berlin; 2026-06-01 is in 2026 everywhere.
        assert_eq!(years_around(1_798_759_800), [2026, 2027]);
        assert_eq!(years_around(1_780_272_000), [2026, 2026]);
    }

    #[test]
    fn numbers_of_events() {
        assert_eq!(numbers("-5 10 7"), Ok([-5, 10, 7]));
        assert!(numbers("1 2").is_err() && numbers("1 2 x").is_err());
    }
}
