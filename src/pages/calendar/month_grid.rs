//! The days of a month in weeks, and the events that each shows.

use chrono::{Datelike, Days, NaiveDate};

use super::window::month_after;
use crate::{
    calendar::{date::instant_at, zone::Zone},
    store::events::ListedEvent,
};

/// The maximum numbers of rows of a day, and of those for events of several days. More are counted.
const MAX_ROWS: usize = 4;
const MAX_LANES: usize = 2;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// An event with its first and last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacedEvent {
    pub id: i64,
    pub first: NaiveDate,
    pub last: NaiveDate,
}

/// A row of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Keeps the events of several days on one line.
    Gap,
    /// A day of an event of several days.
    Bar {
        id: i64,
        /// Whether the event, or its part in the week, begins on this day.
        is_first: bool,
        is_last: bool,
    },
    /// An event of this day.
    Single(i64),
}

/// A day of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridDay {
    pub date: NaiveDate,
    /// Whether it belongs to another month.
    pub is_outside: bool,
    pub slots: Vec<Slot>,
    /// The number of events that have no row.
    pub more: u64,
}

impl PlacedEvent {
    /// The days of the event in the site's zone. An event of less than a day has one day, even if it ends after
    /// midnight.
    pub(super) fn of(event: &ListedEvent, site: &Zone) -> Self {
        let day = |second: i64| site.to_local(instant_at(second)).date();
        let first = day(event.starts_at);
        let last = match event.ends_at - event.starts_at < DAY_SECONDS {
            true => first,
            // An event that ends at midnight does not take place on the next day.
            false => day(event.ends_at - 1),
        };
        Self {
            id: event.id,
            first,
            last,
        }
    }

    fn is_on(&self, date: NaiveDate) -> bool {
        self.first <= date && date <= self.last
    }
}

/// The weeks of the month that begins on `first_day`, from Monday to Sunday. `events` are in list order. `count`
/// returns the number of events of a day, if not all of them are given.
pub(super) fn weeks(
    first_day: NaiveDate,
    events: &[PlacedEvent],
    count: impl Fn(NaiveDate) -> Option<u64>,
) -> Vec<Vec<GridDay>> {
    let before = u64::from(first_day.weekday().num_days_from_monday());
    let next_month = month_after(first_day);
    let mut monday = first_day.checked_sub_days(Days::new(before)).unwrap_or(first_day);
    let mut weeks = Vec::new();
    while monday < next_month {
        weeks.push(week(monday, first_day, events, &count));
        match monday.checked_add_days(Days::new(7)) {
            Some(next) => monday = next,
            None => break,
        }
    }
    weeks
}

fn week(
    monday: NaiveDate,
    first_day: NaiveDate,
    events: &[PlacedEvent],
    count: &impl Fn(NaiveDate) -> Option<u64>,
) -> Vec<GridDay> {
    let days: Vec<NaiveDate> = monday.iter_days().take(7).collect();
    let is_inside = |date: NaiveDate| date.month() == first_day.month();
    let lanes = lanes(&days, events);
    let grid_day = |date: NaiveDate| {
        let mut day = GridDay {
            date,
            is_outside: !is_inside(date),
            slots: Vec::new(),
            more: 0,
        };
        if day.is_outside {
            return day;
        }
        for lane in &lanes {
            let bar = lane.iter().find(|event| event.is_on(date)).map(|event| Slot::Bar {
                id: event.id,
                is_first: event.first == date || date == monday || date == first_day,
                is_last: event.last == date,
            });
            day.slots.push(bar.unwrap_or(Slot::Gap));
        }
        while day.slots.last() == Some(&Slot::Gap) {
            day.slots.pop();
        }
        let of_day = events.iter().filter(|event| event.is_on(date));
        let total = count(date).unwrap_or(of_day.count() as u64);
        let singles = events.iter().filter(|event| event.first == date && event.last == date);
        let free = MAX_ROWS - day.slots.len();
        day.slots.extend(singles.map(|event| Slot::Single(event.id)).take(free));
        let shown = day.slots.iter().filter(|slot| **slot != Slot::Gap).count();
        day.more = total.saturating_sub(shown as u64);
        day
    };
    days.iter().copied().map(grid_day).collect()
}

/// The events of several days, in lanes in which they do not overlap. Those for which there is no lane are left out.
fn lanes(days: &[NaiveDate], events: &[PlacedEvent]) -> Vec<Vec<PlacedEvent>> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Vec::new();
    };
    let mut lanes: Vec<Vec<PlacedEvent>> = Vec::new();
    let long = events.iter().filter(|event| event.first < event.last);
    for event in long.filter(|event| event.first <= *last && *first <= event.last) {
        let is_free = |lane: &Vec<PlacedEvent>| lane.last().is_none_or(|other| other.last < event.first);
        match lanes.iter().position(is_free) {
            Some(free) => lanes[free].push(*event),
            None if lanes.len() < MAX_LANES => lanes.push(vec![*event]),
            None => {}
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2027, 5, number).expect("a day in May")
    }

    fn event(id: i64, first: u32, last: u32) -> PlacedEvent {
        PlacedEvent {
            id,
            first: day(first),
            last: day(last),
        }
    }

    fn grid(events: &[PlacedEvent]) -> Vec<Vec<GridDay>> {
        weeks(day(1), events, |_| None)
    }

    fn find(weeks: &[Vec<GridDay>], number: u32) -> &GridDay {
        let mut days = weeks.iter().flatten();
        days.find(|found| found.date == day(number))
            .expect("a day of the month")
    }

    #[test]
    fn weeks_cover_the_month() {
        // 1 May 2027 is a Saturday, and 31 May a Monday.
        let weeks = grid(&[]);
        assert_eq!(weeks.len(), 6);
        assert!(weeks.iter().all(|week| week.len() == 7));
        assert_eq!(weeks.iter().flatten().filter(|day| !day.is_outside).count(), 31);
        assert!(weeks[0][4].is_outside && !weeks[0][5].is_outside && weeks[5][1].is_outside);
    }

    #[test]
    fn bars_keep_their_lanes() {
        let bar = |id, is_first, is_last| Slot::Bar { id, is_first, is_last };
        let weeks = grid(&[event(1, 4, 6), event(2, 5, 10), event(3, 7, 8), event(4, 10, 10)]);
        assert_eq!(find(&weeks, 4).slots, [bar(1, true, false)]);
        assert_eq!(find(&weeks, 6).slots, [bar(1, false, true), bar(2, false, false)]);
        // The first lane is free again.
        assert_eq!(find(&weeks, 7).slots, [bar(3, true, false), bar(2, false, false)]);
        assert_eq!(find(&weeks, 9).slots, [Slot::Gap, bar(2, false, false)]);
        // In the next week, lanes are assigned anew.
        assert_eq!(find(&weeks, 10).slots, [bar(2, true, true), Slot::Single(4)]);
    }

    #[test]
    fn more_events_than_rows_are_counted() {
        let events: Vec<PlacedEvent> = (1..=6).map(|id| event(id, 12, 12)).collect();
        let weeks = grid(&events);
        assert_eq!(find(&weeks, 12).slots.len(), MAX_ROWS);
        assert_eq!(find(&weeks, 12).more, 2);
        assert_eq!(find(&weeks, 13).more, 0);
        let long: Vec<PlacedEvent> = (1..=5).map(|id| event(id, 12, 14)).collect();
        let weeks = grid(&long);
        assert_eq!(find(&weeks, 13).slots.len(), MAX_LANES);
        assert_eq!(find(&weeks, 13).more, 3);
        let counted = super::weeks(day(1), &events, |date| (date == day(12)).then_some(100));
        assert_eq!(find(&counted, 12).more, 96);
    }

    #[test]
    fn days_of_events() {
        let at = |text: &str| {
            text.parse::<chrono::DateTime<chrono::Utc>>()
                .expect("an instant")
                .timestamp()
        };
        for (starts, ends, first, last) in [
            ("2027-05-07T19:00:00Z", "2027-05-07T22:00:00Z", 7, 7),
            ("2027-05-07T22:00:00Z", "2027-05-08T03:00:00Z", 7, 7),
            ("2027-05-07T20:00:00Z", "2027-05-08T00:00:00Z", 7, 7),
            ("2027-05-07T00:00:00Z", "2027-05-09T23:59:59Z", 7, 9),
            ("2027-05-07T10:00:00Z", "2027-05-09T00:00:00Z", 7, 8),
            ("2027-05-07T00:00:00Z", "2027-05-07T00:00:00Z", 7, 7),
        ] {
            let listed = ListedEvent {
                id: 1,
                version: 1,
                starts_at: at(starts),
                ends_at: at(ends),
            };
            assert_eq!(PlacedEvent::of(&listed, &Zone::UTC), event(1, first, last), "{starts}");
        }
    }
}
