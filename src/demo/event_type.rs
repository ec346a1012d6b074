//! Types of events, such as a concert, a market or a chess club.

use std::ops::RangeInclusive;

/// A type of event, from which any number of events are generated.
///
/// The texts are templates: see [`super::template`].
pub(super) struct EventType {
    /// Also the folder of its images.
    pub name: &'static str,
    /// Its weight in the random choice of types.
    pub weight: usize,
    pub venue_type: VenueType,
    pub schedule: Schedule,
    /// The hours of the day at which it may start.
    pub start_hours: RangeInclusive<i64>,
    /// Possible durations in minutes.
    pub durations: &'static [i64],
    /// The minimum and maximum price in euros; `None` if free.
    pub price: Option<(i64, i64)>,
    /// Names from [`super::words::CATEGORIES`]. The first one is always assigned.
    pub categories: &'static [&'static str],
    /// Matching entries of [`super::words::TAGS`].
    pub tags: &'static [&'static str],
    pub titles: &'static [&'static str],
    pub openings: &'static [&'static str],
    pub details: &'static [&'static str],
}

/// The type of venue of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum VenueType {
    Stage,
    Room,
    Outdoors,
    Gallery,
    Restaurant,
    /// No venue; takes place in another region.
    Online,
}

/// The days on which an event takes place.
#[derive(Clone, Debug)]
pub(super) enum Schedule {
    /// On one day.
    Once,
    /// One event a week, up to a number of weeks.
    Weekly(i64),
    /// All day, for a number of days.
    AllDay(RangeInclusive<i64>),
    /// One event with a start and an end time, which ends a number of days later.
    MultiDay(RangeInclusive<i64>),
}
