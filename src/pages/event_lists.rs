//! Events in lists on pages.

use chrono::Datelike;
use sea_orm::ConnectionTrait;

use super::event_dates::DateTile;
use crate::{
    auth::Caller,
    calendar::window::{Span, Window},
    error::Problem,
    response::CachePolicy,
    store::{
        entity::event,
        events::{self, Direction, EventFilter, EventQuery},
        publishable,
    },
    views::{Detail, Represented, event::EventView},
};

/// Events that are shown of those ahead, and of those that are over.
const UPCOMING_LIMIT: u64 = 20;
const PAST_LIMIT: u64 = 8;

/// An event in a list.
pub struct EventListItem {
    pub title: String,
    pub url: String,
    pub date: DateTile,
    /// Whether the one before it is of another day.
    pub is_first_of_day: bool,
    /// Where it is; empty if that is not known.
    pub venue: String,
}

/// The events of a venue, an organizer or a term.
#[derive(Default)]
pub struct EventLists {
    /// Those that are not over, the next ones first.
    pub upcoming: Vec<EventListItem>,
    /// The others, the last ones first.
    pub past: Vec<EventListItem>,
}

impl EventLists {
    /// How long they are right.
    pub const CACHE_POLICY: CachePolicy = CachePolicy {
        until_an_event_ends: true,
        ..CachePolicy::LASTING
    };

    /// The published, listed events that the filter selects.
    pub async fn of(caller: &Caller, database: &impl ConnectionTrait, filter: EventFilter) -> Result<Self, Problem> {
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
        let upcoming = events::first_ids(database, &upcoming, Direction::Forward, UPCOMING_LIMIT).await?;
        let past = events::first_ids(database, &past, Direction::Backward, PAST_LIMIT).await?;
        // Shown by one look at all that they link to.
        let upcoming_count = upcoming.len();
        let ids = [upcoming, past].concat();
        let mut rows = publishable::find_all::<event::Entity>(database, &ids).await?;
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
        let mut upcoming = event::Entity::show(caller, database, rows, Detail::Item).await?;
        let past = upcoming.split_off(upcoming_count.min(upcoming.len()));
        Ok(Self {
            upcoming: list_items(caller, upcoming),
            past: list_items(caller, past),
        })
    }

    /// The same without the place, where that is the same for all.
    pub fn without_venues(mut self) -> Self {
        for item in self.upcoming.iter_mut().chain(&mut self.past) {
            item.venue.clear();
        }
        self
    }
}

/// How the events stand in a list.
pub fn list_items(caller: &Caller, events: Vec<EventView>) -> Vec<EventListItem> {
    let zone = &caller.almanac.settings.site.zone;
    let year = zone.to_local(caller.now).year();
    let mut items: Vec<EventListItem> = Vec::with_capacity(events.len());
    for event in events {
        let date = DateTile::of(&event, year);
        let previous = items.last().map(|item| &item.date.datetime);
        items.push(EventListItem {
            is_first_of_day: previous != Some(&date.datetime),
            date,
            venue: venue_label(&event),
            title: event.title,
            url: event.post.url,
        });
    }
    items
}

/// The name of the first venue, and its city where the name does not tell it already.
fn venue_label(event: &EventView) -> String {
    let Some(venue) = event.venue.first() else {
        return String::new();
    };
    match venue.venue.contains(&venue.city) {
        true => venue.venue.clone(),
        false => format!("{}, {}", venue.venue, venue.city),
    }
}
