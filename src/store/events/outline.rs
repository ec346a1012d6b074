//! Whole lists of events, in little memory: their IDs and time zones, by which their rows can be read in batches.

use std::collections::{BTreeMap, BTreeSet};

use chrono::Datelike;
use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};

use super::{EventQuery, filtered, plan::ResolvedQuery};
use crate::{
    calendar::date::instant_at,
    store::{
        entity::event::{Column, Entity, Model},
        read_connection::ReadConnection,
        row::{FromRow, FromRows, Row},
    },
};

/// All events of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The IDs of the events, sorted by start, then by ID.
    pub ids: Box<[i64]>,
    /// The years in which events start or end, by the time zone of the events. A year begins and ends a day early and a
    /// day late, so that it is complete in each zone.
    pub years: BTreeMap<String, BTreeSet<i32>>,
}

impl Outline {
    /// The outline of one event.
    pub(crate) fn of(event: &Model) -> Self {
        let years = [event.starts_at, event.ends_at].into_iter().flat_map(years_around);
        Self {
            ids: [event.id].into(),
            years: BTreeMap::from([(event.timezone.clone(), years.collect())]),
        }
    }
}

/// Reads a whole list with one statement, so that it is one state of the data.
///
/// An event takes 16 bytes until all are sorted, then 8. The database neither sorts nor groups them, which would take
/// more memory than that.
pub(crate) async fn outline(database: &impl ReadConnection, query: &EventQuery) -> Result<Outline, DbErr> {
    let query = ResolvedQuery::new(database, query).await?;
    let events = Entity::find()
        .select_only()
        .columns([Column::Id, Column::StartsAt, Column::EndsAt, Column::Timezone])
        .filter(filtered::condition_on_events(database, &query).await?)
        .into_query();
    let statement = database.backend().build(&events);
    let events: UnsortedOutline = database.collect(statement).await?;
    Ok(events.sorted())
}

/// An outline while its rows are read.
#[derive(Debug, Default)]
struct UnsortedOutline {
    /// The start and the ID of each event.
    events: Vec<(i64, i64)>,
    years: BTreeMap<String, BTreeSet<i32>>,
}

impl FromRows for UnsortedOutline {
    fn add(&mut self, row: &Row<'_>) -> Result<(), DbErr> {
        let [id, starts_at, ends_at] = <[i64; 3]>::from_row(row)?;
        self.add_event(id, [starts_at, ends_at], &row.text_ref(3)?);
        Ok(())
    }
}

impl UnsortedOutline {
    fn add_event(&mut self, id: i64, times: [i64; 2], zone: &str) {
        self.events.push((times[0], id));
        let years = match self.years.get_mut(zone) {
            Some(years) => years,
            None => self.years.entry(zone.to_owned()).or_default(),
        };
        years.extend(times.into_iter().flat_map(years_around));
    }

    fn sorted(self) -> Outline {
        let Self { mut events, years } = self;
        events.sort_unstable();
        Outline {
            // Not `into_iter`, which would keep the memory of the starts.
            ids: events.iter().map(|(_, id)| *id).collect(),
            years,
        }
    }
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
    fn events_are_sorted_by_start_and_id() {
        let mut rows = UnsortedOutline::default();
        for (id, starts_at, zone) in [(1, 300, "UTC"), (3, -5, "Europe/Berlin"), (2, -5, "UTC"), (4, 0, "UTC")] {
            rows.add_event(id, [starts_at, starts_at], zone);
        }
        let Outline { ids, years } = rows.sorted();
        assert_eq!(*ids, [2, 3, 4, 1]);
        let zones: Vec<&str> = years.keys().map(String::as_str).collect();
        assert_eq!(zones, ["Europe/Berlin", "UTC"]);
        assert_eq!(years["UTC"], BTreeSet::from([1969, 1970]));
    }
}
