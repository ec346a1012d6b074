//! The times of events.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Serialize, Serializer};

use crate::calendar::{
    date::format_local,
    local_time::{EventTimes, LocalTime},
    zone::Zone,
};

/// The times of an event, on the clock of its zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(in crate::import) struct Times {
    #[serde(serialize_with = "zone_name")]
    pub zone: Zone,
    #[serde(serialize_with = "local_time")]
    pub start: LocalTime,
    #[serde(serialize_with = "local_time")]
    pub end: LocalTime,
    pub all_day: bool,
}

fn zone_name<S: Serializer>(zone: &Zone, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&zone.name())
}

fn local_time<S: Serializer>(time: &LocalTime, serializer: S) -> Result<S::Ok, S::Error> {
    let offset = time.offset.map(|offset| offset.to_string()).unwrap_or_default();
    serializer.serialize_str(&(format_local(time.local) + &offset))
}

impl Times {
    /// The times of clock readings. Where a reading occurs twice, the given instant selects one.
    pub(in crate::import) fn new(
        zone: Zone,
        start: (NaiveDateTime, Option<DateTime<Utc>>),
        end: (NaiveDateTime, Option<DateTime<Utc>>),
        all_day: bool,
    ) -> Self {
        let resolve = |(local, instant): (NaiveDateTime, Option<DateTime<Utc>>)| match instant {
            Some(instant) if zone.overlap(local).is_some() && zone.to_local(instant) == local => {
                LocalTime::at(&zone, instant)
            }
            _ => LocalTime::from_wall_clock(&zone, local),
        };
        let mut times = EventTimes {
            zone,
            start: resolve(start),
            end: resolve(end),
        };
        if all_day {
            times = times.whole_days();
        }
        Self {
            zone,
            start: times.start,
            end: times.end,
            all_day,
        }
    }

    /// The times of a stored event.
    pub(in crate::import) fn of_event(times: &EventTimes, all_day: bool) -> Self {
        let EventTimes { zone, start, end } = *times;
        Self {
            zone,
            start,
            end,
            all_day,
        }
    }

    /// The same, without whether they are whole days.
    pub(in crate::import) fn event_times(&self) -> EventTimes {
        let Self {
            zone,
            start,
            end,
            all_day: _,
        } = *self;
        EventTimes { zone, start, end }
    }

    /// The instant of the end.
    pub(in crate::import) fn ends_at(&self) -> DateTime<Utc> {
        self.end.instant(&self.zone)
    }

    /// Sets an end that is before the start to the start. Returns whether it was.
    pub(in crate::import) fn correct_end(&mut self) -> bool {
        let is_before = self.end.instant(&self.zone) < self.start.instant(&self.zone);
        if is_before {
            self.end = self.start;
        }
        is_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").expect("a time")
    }

    #[test]
    fn instant_selects_the_second_occurrence() {
        let berlin = Zone::parse("Europe/Berlin").expect("a zone");
        let time = local("2027-10-31 02:30:00");
        let second = local("2027-10-31 01:30:00").and_utc();
        let times = Times::new(berlin, (time, Some(second)), (time, Some(second)), false);
        assert_eq!(times.ends_at(), second);
        let times = Times::new(berlin, (time, None), (time, None), false);
        assert_eq!(times.ends_at(), local("2027-10-31 00:30:00").and_utc());
    }

    #[test]
    fn end_before_start_becomes_the_start() {
        let (start, end) = (local("2027-03-01 09:00:00"), local("2027-02-01 09:00:00"));
        let mut times = Times::new(Zone::UTC, (start, None), (end, None), false);
        assert!(times.correct_end());
        assert_eq!(times.end.local, start);
        assert!(!times.correct_end());
    }
}
