//! The demo calendar's events, one after the other.

use std::{iter, ops::Range};

use super::{
    days::Days,
    kind::{Kind, Rhythm, Setting},
    programme::{FESTIVAL, KINDS},
    publication::Publication,
    random::Random,
    series::{Festival, Links, Series},
    slugs::Slugs,
    stock::Stock,
};
use crate::store::entity::event;

/// Of a thousand events, so many are featured, stay on top, are hidden from listings.
const FEATURED: u32 = 30;
const STICKY: u32 = 10;
const HIDDEN: u32 = 10;
/// Of a thousand plans for one evening, so many belong to a festival.
const AT_A_FESTIVAL: u32 = 80;

/// An event that has no ID yet.
pub struct NewEvent {
    pub row: event::Model,
    pub links: Links,
}

/// Makes up events without end.
pub struct Planner {
    dice: Random,
    stock: Stock,
    days: Days,
    slugs: Slugs,
    festivals: Vec<Festival>,
    /// Each kind of event as often as its weight says.
    lottery: Vec<&'static Kind>,
    /// What goes on next week.
    series: Option<Series>,
}

impl Planner {
    pub fn new(dice: Random, stock: Stock, days: Days) -> Self {
        let tickets = |kind: &'static Kind| iter::repeat_n(kind, kind.weight);
        Self {
            dice,
            stock,
            days,
            slugs: Slugs::default(),
            festivals: Vec::new(),
            lottery: KINDS.iter().flat_map(tickets).collect(),
            series: None,
        }
    }

    /// So many festivals. They come first: others can belong to them once they have their IDs.
    pub fn festivals(&mut self, amount: u64) -> Vec<NewEvent> {
        let mut events = Vec::new();
        for _ in 0..amount {
            let series = Series::plan(&mut self.dice, &self.stock, &self.days, &FESTIVAL, None);
            events.push(self.event(&series));
            self.festivals.push(Festival {
                id: 0,
                title: series.template.title,
                first_day: series.day,
                further_days: series.hours.further_days(),
            });
        }
        events
    }

    /// Tells the IDs of the festivals, in their order.
    pub fn number_festivals(&mut self, ids: Range<i64>) {
        for (festival, id) in self.festivals.iter_mut().zip(ids) {
            festival.id = id;
        }
    }

    fn series(&mut self) -> Series {
        let kind = *self.dice.pick(&self.lottery);
        let fits = matches!(kind.rhythm, Rhythm::Once) && kind.setting != Setting::Online;
        let festival = if fits && self.dice.per_mille(AT_A_FESTIVAL) {
            self.dice.favourite(&self.festivals)
        } else {
            None
        };
        Series::plan(&mut self.dice, &self.stock, &self.days, kind, festival)
    }

    /// The event of the series on its present day.
    fn event(&mut self, series: &Series) -> NewEvent {
        let mut row = series.template.clone();
        row.set_times(&series.hours.on(series.day, series.zone));
        let dice = &mut self.dice;
        let publication = Publication::of_event(dice, self.stock.background.today, row.starts_at);
        let row = event::Model {
            status: publication.status.as_str().to_owned(),
            slug: self.slugs.next(&series.slug),
            published_at: publication.published_at,
            modified_at: publication.modified_at,
            all_day: series.hours.is_all_day,
            featured: dice.per_mille(FEATURED),
            sticky: dice.per_mille(STICKY),
            hide_from_listings: dice.per_mille(HIDDEN),
            ..row
        };
        NewEvent {
            row,
            links: series.links.clone(),
        }
    }
}

impl Iterator for Planner {
    type Item = NewEvent;

    fn next(&mut self) -> Option<NewEvent> {
        let series = match self.series.take() {
            Some(series) => series,
            None => self.series(),
        };
        let event = self.event(&series);
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

    fn events(amount: u64) -> Vec<NewEvent> {
        let today = NaiveDate::from_ymd_opt(2027, 3, 1).unwrap();
        let mut stock = Stock::default();
        stock.background.today = Zone::UTC.day_start(today).timestamp();
        let days = Days::around(today, amount);
        let mut planner = Planner::new(Random::new(), stock, days);
        let festivals = planner.festivals(amount / 200);
        planner.number_festivals(1..1 + festivals.len() as i64);
        let others = amount as usize - festivals.len();
        festivals.into_iter().chain(planner.take(others)).collect()
    }

    fn local(event: &event::Model, instant: i64) -> NaiveDateTime {
        let zone = Zone::parse(&event.timezone).unwrap();
        zone.to_local(DateTime::from_timestamp(instant, 0).unwrap())
    }

    #[test]
    fn events_begin_at_human_hours_and_end_later() {
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
    fn slugs_come_from_titles_and_are_unique() {
        let mut slugs = HashSet::new();
        for NewEvent { row, .. } in events(4_000) {
            assert!(row.slug.starts_with(&slugify(&row.title)), "{row:?}");
            assert!(!row.title.ends_with(|last: char| last.is_ascii_digit()), "{row:?}");
            assert!(slugs.insert(row.slug.clone()), "{row:?}");
        }
    }

    #[test]
    fn texts_are_stored_as_a_client_that_sends_them_back_would_have_them() {
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
    fn most_events_are_public_and_the_same_each_time() {
        let all = events(2_000);
        let public = all.iter().filter(|event| event.row.status == "publish");
        assert!((1_870..=1_930).contains(&public.count()));
        let again = events(2_000);
        let rows = |events: Vec<NewEvent>| events.into_iter().map(|event| event.row);
        assert!(rows(all).eq(rows(again)));
    }
}
