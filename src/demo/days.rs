//! The days over which the demo calendar is spread, and the hours of its events.

use chrono::{NaiveDate, NaiveTime, TimeDelta};

use super::{
    event_type::{EventType, Schedule},
    random::Random,
};
use crate::calendar::{
    local_time::{EventTimes, LocalTime},
    zone::Zone,
};

/// Events a day, where the calendar is not longer than the longest.
const EVENTS_PER_DAY: u64 = 6;
/// The least and the most days of a calendar: a month, and six years.
const MIN_DAYS: u64 = 30;
const MAX_DAYS: u64 = 6 * 365;

/// As many days before today as after it.
#[derive(Clone, Copy, Debug)]
pub struct Days {
    pub today: NaiveDate,
    half_length: i64,
}

impl Days {
    /// Enough days for so many events.
    pub fn around(today: NaiveDate, events: u64) -> Self {
        let days = (events / EVENTS_PER_DAY).clamp(MIN_DAYS, MAX_DAYS);
        Self {
            today,
            half_length: days.cast_signed() / 2,
        }
    }

    /// One of them.
    pub fn random_day(&self, random: &mut Random) -> NaiveDate {
        self.today + TimeDelta::days(random.between(-self.half_length..=self.half_length))
    }

    /// Whether a day is not beyond the last one.
    pub fn includes(&self, day: NaiveDate) -> bool {
        day <= self.today + TimeDelta::days(self.half_length)
    }
}

/// When an event happens on a clock that hangs where it happens, its first day left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    pub is_all_day: bool,
    /// From the first day's midnight to its start.
    start: TimeDelta,
    /// From the first day's midnight to its end.
    end: TimeDelta,
}

impl Hours {
    /// Hours at which an event of this kind may happen.
    pub fn generate(random: &mut Random, event_type: &EventType) -> Self {
        if let Schedule::AllDay(days) = &event_type.schedule {
            let days = random.between(days.clone());
            return Self {
                is_all_day: true,
                start: TimeDelta::zero(),
                end: TimeDelta::days(days) - TimeDelta::seconds(1),
            };
        }
        // Most things begin at the full hour, and some at odd quarters.
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

    /// When an event is that begins on this day.
    pub fn on(self, day: NaiveDate, zone: Zone) -> EventTimes {
        let midnight = day.and_time(NaiveTime::MIN);
        EventTimes {
            zone,
            start: LocalTime::from_wall_clock(&zone, midnight + self.start),
            end: LocalTime::from_wall_clock(&zone, midnight + self.end),
        }
    }

    /// How many days it touches after its first one.
    pub fn additional_days(self) -> i64 {
        self.end.num_days()
    }
}
