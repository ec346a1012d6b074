//! The events of a venue or an organizer, and those that are related to an event.

use std::ops::Deref;

use super::event_items::{EventGroup, group_by_month};
use crate::{
    auth::Caller,
    calendar::window::{Span, Window},
    config::Language,
    error::Problem,
    response::CachePolicy,
    store::{
        Snapshot,
        events::{self, Direction, EventFilter, EventQuery},
    },
    views::event_page::represent_page,
};

/// The maximum numbers of upcoming and of past events on a page.
const UPCOMING_LIMIT: u64 = 20;
const PAST_LIMIT: u64 = 8;

/// The published events of a venue or an organizer.
#[derive(Default)]
pub(super) struct EventLists {
    /// Events that have not ended, in order of their start.
    pub upcoming: Vec<EventGroup>,
    /// Events that have ended, the latest first.
    pub past: Vec<EventGroup>,
}

impl EventLists {
    pub(super) const CACHE_POLICY: CachePolicy = CachePolicy {
        until_an_event_ends: true,
        ..CachePolicy::UNTIL_MIDNIGHT
    };

    /// Reads the published, listed events that the filter selects.
    pub(super) async fn of(
        caller: &Caller,
        language: Language,
        snapshot: &Snapshot,
        filter: EventFilter,
    ) -> Result<Self, Problem> {
        let now = caller.timestamp();
        let upcoming = EventQuery::published(not_ended(now), now).with(filter.clone());
        let past = EventQuery::published(ended(now), now).with(filter);
        let upcoming = events::first_ids(snapshot, &upcoming, Direction::Forward, UPCOMING_LIMIT).await?;
        let past = events::first_ids(snapshot, &past, Direction::Backward, PAST_LIMIT).await?;
        let [upcoming, past] = grouped(caller, language, snapshot, [upcoming, past]).await?;
        Ok(Self { upcoming, past })
    }

    /// Removes the venues, for a page of a venue.
    pub(super) fn without_venues(mut self) -> Self {
        for group in self.upcoming.iter_mut().chain(&mut self.past) {
            for item in &mut group.items {
                item.venue.clear();
            }
        }
        self
    }
}

/// Events that have not ended at this Unix time.
fn not_ended(at: i64) -> Window {
    let ends = Span {
        from: Some(at),
        before: None,
    };
    Window {
        starts: Span::default(),
        ends,
    }
}

/// Events that have ended at this Unix time.
fn ended(at: i64) -> Window {
    let ends = Span {
        from: None,
        before: Some(at),
    };
    Window {
        starts: Span::default(),
        ends,
    }
}

/// Reads several lists, each of at most `limit` events that have not ended and are not the event with the ID `except`.
pub(super) async fn related<const N: usize>(
    caller: &Caller,
    language: Language,
    snapshot: &Snapshot,
    except: i64,
    queries: [Option<(Window, Option<EventFilter>)>; N],
) -> Result<[Vec<EventGroup>; N], Problem> {
    /// The maximum number of events of each list.
    const LIMIT: usize = 4;
    let now = caller.timestamp();
    let mut lists = [const { Vec::new() }; N];
    for (ids, query) in lists.iter_mut().zip(queries) {
        let Some((mut window, filter)) = query else { continue };
        window.ends = window.ends.intersect(not_ended(now).ends);
        let mut query = EventQuery::published(window, now);
        query.filters.extend(filter);
        *ids = events::first_ids(snapshot, &query, Direction::Forward, LIMIT as u64 + 1).await?;
        ids.retain(|id| *id != except);
        ids.truncate(LIMIT);
    }
    grouped(caller, language, snapshot, lists).await
}

/// The events of several lists of IDs. All of them are read together, unless they are in memory.
async fn grouped<const N: usize>(
    caller: &Caller,
    language: Language,
    snapshot: &Snapshot,
    lists: [Vec<i64>; N],
) -> Result<[Vec<EventGroup>; N], Problem> {
    let mut ids = lists.concat();
    ids.sort_unstable();
    ids.dedup();
    let rows = events::listed(snapshot, &ids).await?;
    let views = represent_page(caller, snapshot, &rows).await?;
    let group = |ids: Vec<i64>| {
        let events = ids
            .iter()
            .filter_map(|id| views.iter().find(|view| view.fields.common.id == *id));
        group_by_month(caller, language, events.map(Deref::deref))
    };
    Ok(lists.map(group))
}
