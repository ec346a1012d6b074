//! Local times as events store them: the time as written, from which instants are derived.

use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};

use super::{date::clamp_to_years, zone::Zone};

/// A local time. Its zone is stored separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    pub local: NaiveDateTime,
    /// The UTC offset, if the local time occurs twice in its zone; it selects one of the two.
    pub offset: Option<FixedOffset>,
}

impl LocalTime {
    /// The local time of `instant` in the zone.
    pub fn at(zone: &Zone, instant: DateTime<Utc>) -> Self {
        let local = zone.to_local(instant);
        let is_ambiguous = zone.overlap(local).is_some();
        Self {
            local,
            offset: is_ambiguous.then(|| zone.offset_at(instant)),
        }
    }

    /// The local time of a clock reading in the zone. A time inside a gap moves forward by the length of the gap; of an
    /// ambiguous time the first occurrence is taken (RFC 5545, section 3.3.5).
    pub fn from_wall_clock(zone: &Zone, local: NaiveDateTime) -> Self {
        Self::at(zone, clamp_to_years(zone, zone.to_instant(local)))
    }

    /// The instant according to the active time zone rules.
    pub fn instant(self, zone: &Zone) -> DateTime<Utc> {
        let is_valid = |offset: &FixedOffset| {
            let overlap = zone.overlap(self.local);
            overlap.is_some_and(|offsets| offsets.contains(offset))
        };
        let chosen = self.offset.filter(is_valid);
        let instant = match chosen {
            Some(offset) => (self.local - offset).and_utc(),
            None => zone.to_instant(self.local),
        };
        clamp_to_years(zone, instant)
    }
}

/// The start and end of an event in its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTimes {
    pub zone: Zone,
    pub start: LocalTime,
    pub end: LocalTime,
}

impl EventTimes {
    /// Extends the times from 00:00:00 of the first day to 23:59:59 of the last day.
    #[must_use]
    pub fn whole_days(self) -> Self {
        let Self { zone, start, end } = self;
        let first = start.local.date().and_hms_opt(0, 0, 0);
        let last = end.local.date().and_hms_opt(23, 59, 59);
        let from_wall_clock = |time: Option<NaiveDateTime>| time.map(|time| LocalTime::from_wall_clock(&zone, time));
        Self {
            zone,
            start: from_wall_clock(first).unwrap_or(start),
            end: from_wall_clock(last).unwrap_or(end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    #[test]
    fn offset_kept_for_ambiguous_time() {
        for (zone, instant, local, hours) in [
            ("Europe/Berlin", "2027-10-31 00:30:00", "2027-10-31 02:30:00", Some(2)),
            ("Europe/Berlin", "2027-10-31 01:30:00", "2027-10-31 02:30:00", Some(1)),
            ("Europe/Berlin", "2027-07-01 10:00:00", "2027-07-01 12:00:00", None),
            ("UTC+2", "2027-10-31 00:30:00", "2027-10-31 02:30:00", None),
        ] {
            let zone = Zone::parse(zone).unwrap();
            let found = LocalTime::at(&zone, time(instant).and_utc());
            assert_eq!(found.local, time(local), "{instant}");
            assert_eq!(
                found.offset.map(|offset| offset.local_minus_utc()),
                hours.map(|hours| hours * 3600)
            );
            assert_eq!(found.instant(&zone).naive_utc(), time(instant));
        }
    }

    #[test]
    fn stale_offset_is_ignored() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        for (local, instant) in [
            // Not ambiguous.
            ("2027-07-01 12:00:00", "2027-07-01 10:00:00"),
            // Ambiguous, with other offsets: the first occurrence.
            ("2027-10-31 02:30:00", "2027-10-31 00:30:00"),
            // Inside a gap.
            ("2027-03-28 02:30:00", "2027-03-28 01:30:00"),
        ] {
            let offset = FixedOffset::east_opt(5 * 3600);
            let stored = LocalTime {
                local: time(local),
                offset,
            };
            assert_eq!(stored.instant(&berlin).naive_utc(), time(instant), "{local}");
        }
    }

    #[test]
    fn from_wall_clock_in_gap_and_overlap() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        for (local, shown, hours) in [
            ("2027-03-28 02:30:00", "2027-03-28 03:30:00", None),
            ("2027-10-31 02:30:00", "2027-10-31 02:30:00", Some(2)),
            ("2027-07-01 12:00:00", "2027-07-01 12:00:00", None),
        ] {
            let found = LocalTime::from_wall_clock(&berlin, time(local));
            assert_eq!(found.local, time(shown));
            assert_eq!(
                found.offset,
                hours.and_then(|hours: i32| FixedOffset::east_opt(hours * 3600))
            );
        }
    }

    #[test]
    fn whole_days_start_after_skipped_midnight() {
        for (zone, start, end, first, last) in [
            (
                "Europe/Berlin",
                "2027-05-07 09:00:00",
                "2027-05-08 01:00:00",
                "2027-05-07 00:00:00",
                "2027-05-08 23:59:59",
            ),
            (
                "America/Sao_Paulo",
                "2018-11-04 09:00:00",
                "2018-11-04 10:00:00",
                "2018-11-04 01:00:00",
                "2018-11-04 23:59:59",
            ),
        ] {
            let zone = Zone::parse(zone).unwrap();
            let [start, end] = [start, end].map(|local| LocalTime::from_wall_clock(&zone, time(local)));
            let days = EventTimes { zone, start, end }.whole_days();
            assert_eq!([days.start.local, days.end.local], [time(first), time(last)]);
        }
    }
}
