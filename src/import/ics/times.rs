//! The times of events in iCalendar data.

use calcard::{
    common::PartialDateTime,
    icalendar::{ICalendarComponent, ICalendarEntry, ICalendarProperty, ICalendarValue},
};
use chrono::{DateTime, Datelike, Days, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use super::{
    super::{fit::Fit, records::Times},
    zones::Zones,
};
use crate::calendar::zone::Zone;

/// The number of characters of an unknown zone that notes show.
const SHOWN_NAME: usize = 100;

/// A time of a property.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// VALUE=DATE.
    Day(NaiveDateTime),
    /// On the clock of a zone.
    Local(NaiveDateTime, Zone),
    Instant(DateTime<Utc>),
}

impl When {
    pub(super) fn read(entry: &ICalendarEntry, zones: &Zones, fit: &mut Fit) -> Option<Self> {
        Self::of(entry.values.first()?.as_partial_date_time()?, entry, zones, fit)
    }

    /// Reads one of the values of a property.
    pub(super) fn of(value: &PartialDateTime, entry: &ICalendarEntry, zones: &Zones, fit: &mut Fit) -> Option<Self> {
        let time = value.to_date_time().filter(|time| is_usable(time.date_time))?;
        if value.hour.is_none() {
            return Some(Self::Day(time.date_time));
        }
        if let Some(offset) = time.offset {
            return Some(Self::Instant(time.date_time.checked_sub_offset(offset)?.and_utc()));
        }
        let zone = match entry.tz_id() {
            None => zones.floating(),
            Some(name) => zones.find(name, time.date_time).unwrap_or_else(|| {
                let default = zones.floating();
                let shown: String = name.chars().take(SHOWN_NAME).collect();
                fit.note(format!(
                    "the time zone \"{shown}\" is unknown; {} is used",
                    default.name()
                ));
                default
            }),
        };
        Some(Self::Local(time.date_time, zone))
    }

    /// The zone in which an event with this start is shown, and the local time.
    fn in_own_zone(self, zones: &Zones) -> (Zone, NaiveDateTime) {
        match self {
            Self::Day(local) => (zones.floating(), local),
            Self::Local(local, zone) => (zone, local),
            Self::Instant(instant) => (zones.floating(), zones.floating().to_local(instant)),
        }
    }

    /// The same time of an event that repeats. Its rule applies to the clock on which the start is written, which for
    /// instants is that of UTC.
    pub(super) fn of_series(self) -> Self {
        match self {
            Self::Instant(instant) => Self::Local(instant.naive_utc(), Zone::UTC),
            when => when,
        }
    }

    /// The local time as written.
    pub(super) fn local(self, zones: &Zones) -> NaiveDateTime {
        self.in_own_zone(zones).1
    }

    /// The place in the rule of a series that this time names. Days name that of the series on the day.
    pub(super) fn slot(self, start: Self, zones: &Zones) -> NaiveDateTime {
        let (zone, first) = start.in_own_zone(zones);
        let local = match self {
            Self::Day(day) => day.date().and_time(first.time()),
            Self::Local(local, own) if own == zone => local,
            when => zone.to_local(when.instant(zones)),
        };
        match start {
            Self::Day(_) => local.date().and_time(NaiveTime::MIN),
            _ => local,
        }
    }

    pub(super) fn instant(self, zones: &Zones) -> DateTime<Utc> {
        match self {
            Self::Day(local) => zones.floating().to_instant(local),
            Self::Local(local, zone) => zone.to_instant(local),
            Self::Instant(instant) => instant,
        }
    }
}

/// Whether the time is in the years 1 to 9999 on the clocks of all zones.
fn is_usable(time: NaiveDateTime) -> bool {
    (2..=9998).contains(&time.year())
}

/// Start and end. The end of a day is the last second of the day before DTEND, which is exclusive.
pub(super) fn times(component: &ICalendarComponent, start: When, zones: &Zones, fit: &mut Fit) -> Times {
    let (zone, local) = start.in_own_zone(zones);
    let end = component
        .property(&ICalendarProperty::Dtend)
        .and_then(|entry| When::read(entry, zones, fit));
    let duration = component
        .property(&ICalendarProperty::Duration)
        .and_then(|entry| match entry.values.first() {
            Some(ICalendarValue::Duration(duration)) => duration.to_time_delta(),
            _ => None,
        })
        .filter(|duration| *duration >= TimeDelta::zero());
    let after = |from: NaiveDateTime, duration: TimeDelta, fit: &mut Fit| {
        let end = from.checked_add_signed(duration).filter(|end| is_usable(*end));
        end.unwrap_or_else(|| {
            fit.note("has a duration that is too long; stored with its start as its end");
            from
        })
    };
    if let When::Day(first) = start {
        let day_before = |time: NaiveDateTime| time.checked_sub_days(Days::new(1)).unwrap_or(time);
        let last = match (end, duration) {
            (Some(end), _) => day_before(end.in_own_zone(zones).1),
            (None, Some(duration)) => day_before(after(first, duration, fit)),
            (None, None) => first,
        };
        // Some calendars write the same day as start and end.
        return Times::new(zone, (first, None), (last.max(first), None), true);
    }
    let instant = |when: When| match when {
        When::Instant(instant) => Some(instant),
        _ => None,
    };
    let start_instant = instant(start);
    let (end_local, end_instant) = match (end, duration) {
        (Some(When::Day(day)), _) => (day.date().and_time(NaiveTime::MIN), None),
        (Some(end), _) => {
            let instant = end.instant(zones);
            (zone.to_local(instant), Some(instant))
        }
        (None, Some(duration)) => {
            let from = start.instant(zones).naive_utc();
            let instant = after(from, duration, fit).and_utc();
            (zone.to_local(instant), Some(instant))
        }
        (None, None) => (local, start_instant),
    };
    let mut times = Times::new(zone, (local, start_instant), (end_local, end_instant), false);
    if times.correct_end() {
        fit.note("ends before its start; stored with its start as its end");
    }
    times
}

#[cfg(test)]
mod tests {
    use super::super::read::tests::events;

    #[test]
    fn notes_on_repeated_values_are_short() {
        let dates = vec!["20270402T190000"; 1_000].join(",");
        let file = events(&format!(
            "BEGIN:VEVENT\nUID:a\nSUMMARY:A\nDTSTART:20270401T100000Z\nRDATE;TZID={}:{dates}\nEND:VEVENT",
            "Mars".repeat(1_000)
        ));
        let [note] = &file.events[0].notes[..] else {
            panic!("{:?}", file.events[0].notes);
        };
        assert!(note.len() < 200, "{note}");
    }

    #[test]
    fn years_are_limited() {
        for (lines, end) in [
            (
                "DTSTART:20270301T180000Z\nDURATION:P95000000D",
                Some("2027-03-01 19:00:00"),
            ),
            ("DTSTART:20270301T180000Z\nDURATION:P1000D", Some("2029-11-25 19:00:00")),
            (
                "DTSTART;VALUE=DATE:20270301\nDURATION:P95000000D",
                Some("2027-03-01 23:59:59"),
            ),
            (
                "DTSTART:20270301T180000Z\nDTEND:99991231T235959Z",
                Some("2027-03-01 19:00:00"),
            ),
            ("DTSTART:99991231T235959Z", None),
            ("DTSTART:00000101T000000", None),
        ] {
            let file = events(&format!("BEGIN:VEVENT\nUID:1\nSUMMARY:x\n{lines}\nEND:VEVENT"));
            let found = file.events.first().map(|event| event.times.end.local.to_string());
            assert_eq!(found.as_deref(), end, "{lines}");
        }
    }
}
