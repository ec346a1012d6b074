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
const AHEAD: u64 = 20;
const PAST: u64 = 8;

/// An event in a list.
pub struct Line {
    pub title: String,
    pub url: String,
    pub leaf: DateTile,
    /// Whether the one before it is of another day.
    pub begins_day: bool,
    /// Where it is; empty if that is not known.
    pub place: String,
}

/// The events of a venue, an organizer or a term.
#[derive(Default)]
pub struct Events {
    /// Those that are not over, the next ones first.
    pub ahead: Vec<Line>,
    /// The others, the last ones first.
    pub past: Vec<Line>,
}

impl Events {
    /// How long they are right.
    pub const FRESHNESS: CachePolicy = CachePolicy {
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
        let ahead = ending_in(Span {
            from: Some(now),
            before: None,
        });
        let past = ending_in(Span {
            from: None,
            before: Some(now),
        });
        let ahead = events::first_ids(database, &ahead, Direction::Forward, AHEAD).await?;
        let past = events::first_ids(database, &past, Direction::Backward, PAST).await?;
        // Shown by one look at all that they link to.
        let split = ahead.len();
        let ids = [ahead, past].concat();
        let mut rows = publishable::find_all::<event::Entity>(database, &ids).await?;
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
        let mut ahead = event::Entity::show(caller, database, rows, Detail::Item).await?;
        let past = ahead.split_off(split.min(ahead.len()));
        Ok(Self {
            ahead: lines(caller, ahead),
            past: lines(caller, past),
        })
    }

    /// The same without the place, where that is the same for all.
    pub fn in_one_place(mut self) -> Self {
        for line in self.ahead.iter_mut().chain(&mut self.past) {
            line.place.clear();
        }
        self
    }
}

/// How the events stand in a list.
pub fn lines(caller: &Caller, events: Vec<EventView>) -> Vec<Line> {
    let site = &caller.almanac.settings.site.zone;
    let year = site.to_local(caller.now).year();
    let mut lines: Vec<Line> = Vec::with_capacity(events.len());
    for event in events {
        let leaf = DateTile::of(&event, year);
        let before = lines.last().map(|line| &line.leaf.datetime);
        lines.push(Line {
            begins_day: before != Some(&leaf.datetime),
            leaf,
            place: place(&event),
            title: event.title,
            url: event.post.url,
        });
    }
    lines
}

/// The name of the first venue, and its city where the name does not tell it already.
fn place(event: &EventView) -> String {
    let Some(venue) = event.venue.first() else {
        return String::new();
    };
    match venue.venue.contains(&venue.city) {
        true => venue.venue.clone(),
        false => format!("{}, {}", venue.venue, venue.city),
    }
}
