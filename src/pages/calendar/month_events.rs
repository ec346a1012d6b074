//! The events of a month, in memory until the data change: a month with many events is read day by day.

use std::{collections::HashMap, ops::Range, sync::Arc};

use chrono::{Days, NaiveDate};

use super::window::month_after;
use crate::{
    auth::Caller,
    calendar::window::{Span, Window},
    error::Problem,
    store::{
        EventDependencies, PageRequest, Snapshot,
        events::{self, EventQuery, ListedEvent, Scope},
        versioned_cache::VersionedCache,
    },
};

/// Months with more events are read by day.
const MAX_EVENTS: u64 = 500;
/// The events of a day that are then read: more than a day shows.
const EVENTS_OF_DAY: u64 = 5;

/// Months by what their query selects, and when they are valid, as Unix timestamps: until the next scheduled
/// publication.
pub(crate) type MonthCache = VersionedCache<String, (Range<i64>, Arc<MonthEvents>)>;

/// The events of a month, in the order of their starts.
#[derive(Debug)]
pub(crate) struct MonthEvents {
    pub events: Vec<ListedEvent>,
    pub total: u64,
    /// The number of events of each day, if `events` has not all of them.
    pub counts: HashMap<NaiveDate, u64>,
}

impl MonthEvents {
    /// A cache for months.
    pub(crate) fn cache() -> MonthCache {
        VersionedCache::with_bytes(1024 * 1024)
    }

    /// The events of the month that begins on this day, and whether their versions are current: the data in memory do
    /// not change with the texts of events.
    pub(super) async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        query: &EventQuery,
        first_day: NaiveDate,
    ) -> Result<(Arc<Self>, bool), Problem> {
        let now = caller.timestamp();
        let cache = &caller.almanac.months;
        let version = match query.dependencies(&[]) {
            EventDependencies::All => None,
            EventDependencies::Of(_) => snapshot.list_version(),
        };
        let key = format!("{first_day} {:?} {:?}", query.scope, query.filters);
        if let Some((_, known)) = cache.get(version, &key).filter(|(valid, _)| valid.contains(&now)) {
            return Ok((known, false));
        }
        let read = Arc::new(Self::read(caller, snapshot, query, first_day).await?);
        if version.is_some() {
            let until = snapshot.next_publication(now).await.unwrap_or(now);
            let bytes = key.len() + read.bytes();
            cache.insert(version, key, (now..until, read.clone()), bytes);
        }
        Ok((read, true))
    }

    /// Reads the events or, if there are too many, the first ones of each day.
    async fn read(
        caller: &Caller,
        snapshot: &Snapshot,
        query: &EventQuery,
        first_day: NaiveDate,
    ) -> Result<Self, Problem> {
        let first = |per_page| PageRequest { page: 1, per_page };
        let found = events::list(snapshot, query, first(MAX_EVENTS)).await?;
        let mut month = Self {
            events: found.rows,
            total: found.total,
            counts: HashMap::new(),
        };
        if let (Scope::Listed(window), true) = (&query.scope, month.total > MAX_EVENTS) {
            month.events.clear();
            for date in first_day.iter_days().take_while(|date| *date < month_after(first_day)) {
                let of_day = EventQuery {
                    scope: Scope::Listed(window_of_day(caller, *window, date)),
                    ..query.clone()
                };
                let of_day = events::list(snapshot, &of_day, first(EVENTS_OF_DAY)).await?;
                month.counts.insert(date, of_day.total);
                for event in of_day.rows {
                    if !month.events.contains(&event) {
                        month.events.push(event);
                    }
                }
            }
        }
        Ok(month)
    }

    /// The approximate size.
    fn bytes(&self) -> usize {
        const COUNT: usize = 32;
        self.events.len() * size_of::<ListedEvent>() + self.counts.len() * COUNT
    }
}

/// The part of the window that overlaps a day.
fn window_of_day(caller: &Caller, window: Window, date: NaiveDate) -> Window {
    let start_of = |date: NaiveDate| caller.almanac.settings.site.zone.day_start(date).timestamp();
    let next = date.checked_add_days(Days::new(1)).unwrap_or(date);
    Window {
        starts: window.starts.intersect(Span {
            from: None,
            before: Some(start_of(next)),
        }),
        ends: window.ends.intersect(Span {
            from: Some(start_of(date)),
            before: None,
        }),
    }
}
