//! Generates events.

use std::{iter, ops::Range};

use super::{
    days::Days,
    event_type::{EventType, Schedule, VenueType},
    event_type_table::{EVENT_TYPES, FESTIVAL},
    publication::Publication,
    random::Random,
    reference_data::ReferenceData,
    series::{Festival, Series},
    slugs::UniqueSlugs,
};
use crate::{
    calendar::event_status::EventStatus,
    store::{bulk_load::LoadedLinks, entity::event},
};

/// Shares of events that are featured, sticky and hidden from listings.
const FEATURED_PER_MILLE: u32 = 30;
const STICKY_PER_MILLE: u32 = 10;
const HIDDEN_PER_MILLE: u32 = 10;
/// Shares of events that do not take place as planned.
const CANCELED_PER_MILLE: u32 = 12;
const POSTPONED_PER_MILLE: u32 = 6;
const MOVED_ONLINE_PER_MILLE: u32 = 4;
/// Share of single events that belong to a festival.
const IN_FESTIVAL_PER_MILLE: u32 = 80;

/// An event without an ID.
pub(super) struct NewEvent {
    pub row: event::Model,
    pub links: LoadedLinks,
}

/// An endless iterator over generated events.
pub(super) struct EventGenerator {
    random: Random,
    reference_data: ReferenceData,
    days: Days,
    slugs: UniqueSlugs,
    festivals: Vec<Festival>,
    /// Each event type, repeated by its weight.
    weighted_types: Vec<&'static EventType>,
    /// The series that continues next week.
    series: Option<Series>,
}

impl EventGenerator {
    pub(super) fn new(random: Random, reference_data: ReferenceData, days: Days) -> Self {
        let repeated = |event_type: &'static EventType| iter::repeat_n(event_type, event_type.weight);
        Self {
            random,
            reference_data,
            days,
            slugs: UniqueSlugs::default(),
            festivals: Vec::new(),
            weighted_types: EVENT_TYPES.iter().flat_map(repeated).collect(),
            series: None,
        }
    }

    /// Generates festivals. Must be called first, and followed by [`set_festival_ids`](Self::set_festival_ids): other
    /// events belong to festivals by ID.
    pub(super) fn generate_festivals(&mut self, count: u64) -> Vec<NewEvent> {
        let mut events = Vec::new();
        for _ in 0..count {
            let series = Series::generate(&mut self.random, &self.reference_data, &self.days, &FESTIVAL, None);
            events.push(self.next_event(&series));
            self.festivals.push(Festival {
                id: 0,
                title: series.template.title,
                first_day: series.day,
                additional_days: series.hours.additional_days(),
            });
        }
        events
    }

    /// Sets the IDs of the festivals, in their order.
    pub(super) fn set_festival_ids(&mut self, ids: Range<i64>) {
        for (festival, id) in self.festivals.iter_mut().zip(ids) {
            festival.id = id;
        }
    }

    fn next_series(&mut self) -> Series {
        let event_type = *self.random.pick(&self.weighted_types);
        let is_festival_event =
            matches!(event_type.schedule, Schedule::Once) && event_type.venue_type != VenueType::Online;
        let festival = if is_festival_event && self.random.per_mille(IN_FESTIVAL_PER_MILLE) {
            self.random.pick_popular(&self.festivals)
        } else {
            None
        };
        Series::generate(&mut self.random, &self.reference_data, &self.days, event_type, festival)
    }

    /// The next event of the series.
    fn next_event(&mut self, series: &Series) -> NewEvent {
        let mut row = series.template.clone();
        row.set_times(&series.hours.on(series.day, series.zone));
        let random = &mut self.random;
        let publication = Publication::for_event(random, self.reference_data.context.today, row.starts_at);
        let row = event::Model {
            status: publication.status.as_str().to_owned(),
            slug: self.slugs.next(&series.slug),
            published_at: publication.published_at,
            modified_at: publication.modified_at,
            all_day: series.hours.is_all_day,
            featured: random.per_mille(FEATURED_PER_MILLE),
            sticky: random.per_mille(STICKY_PER_MILLE),
            hide_from_listings: random.per_mille(HIDDEN_PER_MILLE),
            event_status: event_status(random, &series.links).as_str().to_owned(),
            ..row
        };
        NewEvent {
            row,
            links: series.links.clone(),
        }
    }
}

/// A random status. An event without a venue can't move online.
fn event_status(random: &mut Random, links: &LoadedLinks) -> EventStatus {
    if random.per_mille(CANCELED_PER_MILLE) {
        EventStatus::Canceled
    } else if random.per_mille(POSTPONED_PER_MILLE) {
        EventStatus::Postponed
    } else if random.per_mille(MOVED_ONLINE_PER_MILLE) && !links.venues.is_empty() {
        EventStatus::MovedOnline
    } else {
        EventStatus::Scheduled
    }
}

impl Iterator for EventGenerator {
    type Item = NewEvent;

    fn next(&mut self) -> Option<NewEvent> {
        let series = match self.series.take() {
            Some(series) => series,
            None => self.next_series(),
        };
        let event = self.next_event(&series);
        self.series = series.next_week(&self.days);
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chrono::{DateTime, NaiveDate, NaiveDateTime, Timelike};

    use super::*;
    use crate::calendar::{html, slug::slugify, zone::Zone};

    fn events(count: u64) -> Vec<NewEvent> {
        let today = NaiveDate::from_ymd_opt(2027, 3, 1).unwrap();
        let mut reference_data = ReferenceData::default();
        reference_data.context.today = Zone::UTC.day_start(today).timestamp();
        let days = Days::around(today, count);
        let mut generator = EventGenerator::new(Random::new(), reference_data, days);
        let festivals = generator.generate_festivals(count / 200);
        generator.set_festival_ids(1..1 + festivals.len() as i64);
        let others = count as usize - festivals.len();
        festivals.into_iter().chain(generator.take(others)).collect()
    }

    fn local(event: &event::Model, instant: i64) -> NaiveDateTime {
        let zone = Zone::parse(&event.timezone).unwrap();
        zone.to_local(DateTime::from_timestamp(instant, 0).unwrap())
    }

    #[test]
    fn start_and_end_times() {
        for NewEvent { row, .. } in events(4_000) {
            let (start, end) = (local(&row, row.starts_at), local(&row, row.ends_at));
            assert!(row.starts_at < row.ends_at, "{row:?}");
            if row.all_day {
                assert_eq!(start.num_seconds_from_midnight(), 0, "{row:?}");
                assert_eq!(end.num_seconds_from_midnight(), 86_399, "{row:?}");
            } else {
                assert!((7..=23).contains(&start.hour()), "{row:?}");
                assert!(start.minute() % 15 == 0 && start.second() == 0, "{row:?}");
            }
        }
    }

    #[test]
    fn slugs_are_unique() {
        let mut slugs = HashSet::new();
        for NewEvent { row, .. } in events(4_000) {
            assert!(row.slug.starts_with(&slugify(&row.title)), "{row:?}");
            assert!(!row.title.ends_with(|last: char| last.is_ascii_digit()), "{row:?}");
            assert!(slugs.insert(row.slug.clone()), "{row:?}");
        }
    }

    #[test]
    fn texts_are_already_sanitised() {
        let mut words = 0;
        for NewEvent { row, .. } in events(2_000) {
            assert_eq!(html::strip_tags(&row.title).as_ref(), Ok(&row.title));
            assert_eq!(html::sanitize(&row.description).as_ref(), Ok(&row.description));
            assert_eq!(html::sanitize(&row.excerpt).as_ref(), Ok(&row.excerpt));
            words += html::text_content(&row.description).split(' ').count();
        }
        assert!((75..=85).contains(&(words / 2_000)), "{words}");
    }

    #[test]
    fn generation_is_deterministic_and_mostly_public() {
        let all = events(2_000);
        let public = all.iter().filter(|event| event.row.status == "publish");
        assert!((1_870..=1_930).contains(&public.count()));
        let again = events(2_000);
        let rows = |events: Vec<NewEvent>| events.into_iter().map(|event| event.row);
        assert!(rows(all).eq(rows(again)));
    }
}
