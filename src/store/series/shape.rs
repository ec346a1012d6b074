//! When the events of a series take place.

use chrono::{DateTime, Months, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use crate::calendar::{
    local_time::{EventTimes, LocalTime},
    recurrence::{MAX_OCCURRENCES, Recurrence},
    zone::Zone,
};

/// The times of a series: its rule in local times, its time zone, and the duration of its events.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub rule: Recurrence,
    pub zone: Zone,
    /// Seconds, or days if the events last all day.
    pub duration: i64,
    pub all_day: bool,
}

/// The places in a rule for which events exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    pub slots: Vec<NaiveDateTime>,
    /// The local time up to which these are all; None if the rule ends before.
    pub until: Option<NaiveDateTime>,
}

impl Shape {
    /// The duration of events with these times.
    pub(crate) fn duration_of(times: &EventTimes, all_day: bool) -> i64 {
        let EventTimes { zone, start, end } = times;
        match all_day {
            true => (end.local.date() - start.local.date()).num_days() + 1,
            // RFC 5545, section 3.8.5.3: the duration of all occurrences is that of the first one, exactly.
            false => (end.instant(zone) - start.instant(zone)).num_seconds(),
        }
    }

    /// The times of the event at a place in the rule. A place in a gap moves forward by the length of the gap, and one in
    /// an overlap is its first occurrence.
    pub(crate) fn times(&self, slot: NaiveDateTime) -> EventTimes {
        let zone = self.zone;
        let start = LocalTime::from_wall_clock(&zone, slot);
        if self.all_day {
            let days = TimeDelta::try_days(self.duration - 1).unwrap_or_default();
            let last = slot.checked_add_signed(days).unwrap_or(slot);
            let end = LocalTime::from_wall_clock(&zone, last);
            return EventTimes { zone, start, end }.whole_days();
        }
        let duration = TimeDelta::try_seconds(self.duration).unwrap_or_default();
        let start_instant = start.instant(&zone);
        let end = start_instant.checked_add_signed(duration).unwrap_or(start_instant);
        EventTimes {
            zone,
            start,
            end: LocalTime::at(&zone, end),
        }
    }

    /// The local time in the zone of the series.
    pub(crate) fn local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        self.zone.to_local(instant)
    }

    /// The places for which events should exist: all of a rule with an end. Otherwise those within the horizon of now, or
    /// of the first one if that is later, and at least those before `least`, with at most [`MAX_OCCURRENCES`] upcoming
    /// ones.
    pub(crate) fn expansion(&self, now: DateTime<Utc>, horizon: Months, least: Option<NaiveDateTime>) -> Expansion {
        let rule = &self.rule;
        if !rule.is_endless() {
            let slots = rule.slots(None, None).collect();
            return Expansion { slots, until: None };
        }
        let until = self.limit_upcoming(now, std::cmp::max(Some(self.horizon(now, horizon)), least));
        Expansion {
            slots: rule.slots(None, until).collect(),
            until,
        }
    }

    /// The local time up to which the events of an endless rule should exist.
    pub(crate) fn horizon(&self, now: DateTime<Utc>, horizon: Months) -> NaiveDateTime {
        let first = self.rule.slots(None, None).next();
        let latest = std::cmp::max(self.local(now), first.unwrap_or_else(|| self.rule.start()));
        latest.checked_add_months(horizon).unwrap_or(NaiveDateTime::MAX)
    }

    /// The given time, or the first place that is one too many.
    pub(crate) fn limit_upcoming(&self, now: DateTime<Utc>, until: Option<NaiveDateTime>) -> Option<NaiveDateTime> {
        let excess = self.rule.slots(Some(self.local(now)), until).nth(MAX_OCCURRENCES);
        excess.or(until)
    }

    /// The start of the rule of events with this start.
    pub(crate) fn first_slot(start: NaiveDateTime, all_day: bool) -> NaiveDateTime {
        match all_day {
            true => start.date().and_time(NaiveTime::MIN),
            false => start,
        }
    }
}
