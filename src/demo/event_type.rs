//! What an event can be: a concert, a market day, a chess club.

use std::ops::RangeInclusive;

/// A kind of event, from which any number of them can be made.
///
/// The texts are templates: see [`super::phrase`].
pub struct EventType {
    /// The folder of its images.
    pub name: &'static str,
    /// How many tickets it has in the draw by which kinds are chosen.
    pub weight: usize,
    pub venue_type: VenueType,
    pub schedule: Schedule,
    /// The hours at which it may begin.
    pub start_hours: RangeInclusive<i64>,
    /// How long it may last.
    pub durations: &'static [i64],
    /// From the cheapest to the dearest ticket, in euros; nothing where it is free.
    pub price: Option<(i64, i64)>,
    /// Names out of [`super::words::CATEGORIES`]; the first one always counts.
    pub categories: &'static [&'static str],
    /// Entries of [`super::words::TAGS`] that suit it.
    pub tags: &'static [&'static str],
    pub titles: &'static [&'static str],
    pub openings: &'static [&'static str],
    pub details: &'static [&'static str],
}

/// What kind of place suits an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VenueType {
    Stage,
    Room,
    Outdoors,
    Gallery,
    Restaurant,
    /// No place: it has no venue, and happens in some other part of the world.
    Online,
}

/// On how many days an event happens.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// On one day.
    Once,
    /// On one day of each week, as one event a week, up to so many of them.
    Weekly(i64),
    /// All day long, for as many days as one of these.
    AllDay(RangeInclusive<i64>),
    /// From its opening to its closing, so many days later.
    MultiDay(RangeInclusive<i64>),
}
