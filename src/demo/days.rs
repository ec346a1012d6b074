//! The range of days of the demo calendar, and the times of its events.

use chrono::{NaiveDate, NaiveTime, TimeDelta};

use super::{
    event_type::{EventType, Schedule},
    random::Random,
};
use crate::calendar::{
    local_time::{EventTimes, LocalTime},
    zone::Zone,
};

/// Average, unless the number of days is limited.
const EVENTS_PER_DAY: u64 = 6;
/// The limits of the length of the calendar: a month, and six years.
const MIN_DAYS: u64 = 30;
const MAX_DAYS: u64 = 6 * 365;

/// A range of days, centred on today.
#[derive(Clone, Copy, Debug)]
pub(super) struct Days {
    pub today: NaiveDate,
    half_length: i64,
}

impl Days {
    /// A range long enough for the number of events.
    pub(super) fn around(today: NaiveDate, events: u64) -> Self {
        let days = (events / EVENTS_PER_DAY).clamp(MIN_DAYS, MAX_DAYS);
        Self {
            today,
            half_length: days.cast_signed() / 2,
        }
    }

    /// A random day of the range.
    pub(super) fn random_day(&self, random: &mut Random) -> NaiveDate {
        self.today + TimeDelta::days(random.between(-self.half_length..=self.half_length))
    }

    /// Whether the day is not after the last one.
    pub(super) fn includes(&self, day: NaiveDate) -> bool {
        day <= self.today + TimeDelta::days(self.half_length)
    }
}

/// The local times of an event, relative to its first day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hours {
    pub is_all_day: bool,
    /// Since midnight of the first day.
    start: TimeDelta,
    /// Since midnight of the first day.
    end: TimeDelta,
}

impl Hours {
    /// Random times for an event of the type.
    pub(super) fn generate(random: &mut Random, event_type: &EventType) -> Self {
        if let Schedule::AllDay(days) = &event_type.schedule {
            let days = random.between(days.clone());
            return Self {
                is_all_day: true,
                start: TimeDelta::zero(),
                end: TimeDelta::days(days) - TimeDelta::seconds(1),
            };
        }
        // Most events start on the hour, some at odd quarters.
        let minute = random.pick(&[0, 0, 0, 0, 30, 30, 15, 45]);
        let start = TimeDelta::hours(random.between(event_type.start_hours.clone())) + TimeDelta::minutes(*minute);
        let days = match &event_type.schedule {
            Schedule::MultiDay(days) => random.between(days.clone()),
            _ => 0,
        };
        let length = TimeDelta::minutes(*random.pick(event_type.durations)) + TimeDelta::days(days);
        Self {
            is_all_day: false,
            start,
            end: start + length,
        }
    }

    /// The times of an event that starts on the day.
    pub(super) fn on(self, day: NaiveDate, zone: Zone) -> EventTimes {
        let midnight = day.and_time(NaiveTime::MIN);
        EventTimes {
            zone,
            start: LocalTime::from_wall_clock(&zone, midnight + self.start),
            end: LocalTime::from_wall_clock(&zone, midnight + self.end),
        }
    }

    /// The number of days after the first one.
    pub(super) fn additional_days(self) -> i64 {
        self.end.num_days()
    }
}
