//! Lists of events on pages.

use chrono::Datelike;

use super::event_dates::DateTile;
use crate::{
    auth::Caller,
    calendar::window::{Span, Window},
    error::Problem,
    response::CachePolicy,
    store::{
        Snapshot,
        entity::event,
        events::{self, Direction, EventFilter, EventQuery},
        publishable,
    },
    views::{Detail, Represented, event::EventView},
};

/// The maximum numbers of upcoming and of past events on a page.
const UPCOMING_LIMIT: u64 = 20;
const PAST_LIMIT: u64 = 8;

/// An event in a list.
pub(super) struct EventListItem {
    pub title: String,
    pub url: String,
    pub date: DateTile,
    /// Whether the previous item is on another day.
    pub is_first_of_day: bool,
    /// The name of the first venue; empty if there is none.
    pub venue: String,
}

/// The published events of a venue, an organizer or a term.
#[derive(Default)]
pub(super) struct EventLists {
    /// Events that have not ended, in order of their start.
    pub upcoming: Vec<EventListItem>,
    /// Events that have ended, the latest first.
    pub past: Vec<EventListItem>,
}

impl EventLists {
    pub(super) const CACHE_POLICY: CachePolicy = CachePolicy {
        until_an_event_ends: true,
        ..CachePolicy::UNLIMITED
    };

    /// Reads the published, listed events that the filter selects.
    pub(super) async fn of(caller: &Caller, snapshot: &Snapshot, filter: EventFilter) -> Result<Self, Problem> {
        let now = caller.timestamp();
        let ending_in = |ends| {
            let window = Window {
                starts: Span::default(),
                ends,
            };
            EventQuery::published(window, now).with(filter.clone())
        };
        let upcoming = ending_in(Span {
            from: Some(now),
            before: None,
        });
        let past = ending_in(Span {
            from: None,
            before: Some(now),
        });
        let upcoming = events::first_ids(snapshot, &upcoming, Direction::Forward, UPCOMING_LIMIT).await?;
        let past = events::first_ids(snapshot, &past, Direction::Backward, PAST_LIMIT).await?;
        // One call loads the linked objects of both lists.
        let upcoming_count = upcoming.len();
        let ids = [upcoming, past].concat();
        let mut rows = publishable::find_all::<event::Entity>(snapshot, &ids).await?;
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
        let mut upcoming = event::Entity::represent(caller, snapshot, rows, Detail::Item).await?;
        let past = upcoming.split_off(upcoming_count.min(upcoming.len()));
        Ok(Self {
            upcoming: list_items(caller, &upcoming),
            past: list_items(caller, &past),
        })
    }

    /// Removes the venues, for a page of a venue.
    pub(super) fn without_venues(mut self) -> Self {
        for item in self.upcoming.iter_mut().chain(&mut self.past) {
            item.venue.clear();
        }
        self
    }
}

/// Converts events to list items, in their order.
pub(super) fn list_items<'a>(caller: &Caller, events: impl IntoIterator<Item = &'a EventView>) -> Vec<EventListItem> {
    let zone = &caller.almanac.settings.site.zone;
    let year = zone.to_local(caller.now).year();
    let mut items: Vec<EventListItem> = Vec::new();
    for event in events {
        let date = DateTile::of(event, year);
        let previous = items.last().map(|item| &item.date.datetime);
        items.push(EventListItem {
            is_first_of_day: previous != Some(&date.datetime),
            date,
            venue: venue_label(event),
            title: event.title.clone(),
            url: event.common.url.clone(),
        });
    }
    items
}

/// The name of the first venue, with its city unless the name contains it.
fn venue_label(event: &EventView) -> String {
    let Some(venue) = event.venue.first() else {
        return String::new();
    };
    match venue.venue.contains(&venue.city) {
        true => venue.venue.clone(),
        false => format!("{}, {}", venue.venue, venue.city),
    }
}
