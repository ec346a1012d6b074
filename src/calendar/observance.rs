//! The observances of a time zone: the periods in which its offset from UTC is constant, as iCalendar describes zones.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use jiff::{Timestamp, tz::TimeZoneTransition};

use super::{date::instant_at, zone::Zone};

/// The beginning of an observance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Observance {
    /// The instant of the transition, as clocks showed it before.
    pub starts: NaiveDateTime,
    /// Seconds east of UTC before the transition.
    pub offset_before: i32,
    /// Seconds east of UTC from the transition on.
    pub offset: i32,
    /// The abbreviation, such as `CET`.
    pub name: String,
    /// Whether it is daylight saving time.
    pub is_daylight: bool,
}

/// The observances that determine every local time of these years: for each run of consecutive years, the one in force
/// when it begins, and the transitions in it. Sorted by start.
///
/// A run of years begins a day early and ends a day late, in UTC, so that it contains the years of the zone.
pub(crate) fn observances(zone: &Zone, years: &BTreeSet<i32>) -> Vec<Observance> {
    let mut found = BTreeSet::new();
    for (first, last) in runs(years) {
        let [from, until] = [(first, -1), (last + 1, 1)].map(|(year, days)| {
            let start = NaiveDate::from_yo_opt(year, 1)
                .unwrap_or_default()
                .and_time(Default::default());
            start.and_utc() + TimeDelta::days(days)
        });
        match zone {
            Zone::Named(named) => {
                let [from_instant, until_instant] = [from, until].map(timestamp);
                // Also a transition at the beginning.
                let before = named.rules().preceding(timestamp(from + TimeDelta::seconds(1))).next();
                found.insert(before.map_or_else(|| initial(zone, from), |transition| begun_by(zone, &transition)));
                let transitions = named.rules().following(from_instant);
                let in_run = transitions.take_while(|transition| transition.timestamp() < until_instant);
                found.extend(in_run.map(|transition| begun_by(zone, &transition)));
            }
            Zone::Fixed(_) => _ = found.insert(initial(zone, from)),
        }
    }
    // `starts` is not monotonic in the instant where clocks are set back twice within hours, which no zone does.
    found.into_iter().collect()
}

/// The runs of consecutive years, as the first and the last year.
fn runs(years: &BTreeSet<i32>) -> Vec<(i32, i32)> {
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for year in years {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *year => *last = *year,
            _ => runs.push((*year, *year)),
        }
    }
    runs
}

/// The observance at an instant before which the zone has no transition.
fn initial(zone: &Zone, from: DateTime<Utc>) -> Observance {
    let offset = zone.offset_at(from);
    Observance {
        starts: zone.to_local(from),
        offset_before: offset.local_minus_utc(),
        offset: offset.local_minus_utc(),
        name: zone.abbreviation(from),
        is_daylight: false,
    }
}

fn begun_by(zone: &Zone, transition: &TimeZoneTransition<'_>) -> Observance {
    let instant = instant_at(transition.timestamp().as_second());
    let before: FixedOffset = zone.offset_at(instant - TimeDelta::seconds(1));
    Observance {
        starts: instant.naive_utc() + before,
        offset_before: before.local_minus_utc(),
        offset: transition.offset().seconds(),
        name: transition.abbreviation().to_owned(),
        is_daylight: transition.dst().is_dst(),
    }
}

fn timestamp(instant: DateTime<Utc>) -> Timestamp {
    let limit = match instant.timestamp() < 0 {
        true => Timestamp::MIN,
        false => Timestamp::MAX,
    };
    Timestamp::from_second(instant.timestamp()).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::tzdb;

    fn of(zone: &str, years: &[i32]) -> Vec<String> {
        let zone = Zone::parse(zone).unwrap();
        let found = observances(&zone, &years.iter().copied().collect());
        let line = |observance: Observance| {
            let Observance {
                starts,
                offset_before,
                offset,
                name,
                is_daylight,
            } = observance;
            let kind = if is_daylight { "daylight" } else { "standard" };
            format!("{starts} {offset_before} {offset} {name} {kind}")
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn transitions_of_years_and_the_one_before() {
        let expected = [
            "2025-10-26 03:00:00 7200 3600 CET standard",
            "2026-03-29 02:00:00 3600 7200 CEST daylight",
            "2026-10-25 03:00:00 7200 3600 CET standard",
        ];
        assert_eq!(of("Europe/Berlin", &[2026]), expected);
    }

    #[test]
    fn years_between_runs_are_left_out() {
        let expected = [
            "2009-10-25 03:00:00 10800 7200 EET standard",
            "2010-03-28 02:00:00 7200 10800 EEST daylight",
            "2010-10-31 03:00:00 10800 7200 EET standard",
            // The transition to another standard time in 2014 is not in the years, but in force when they begin.
            "2014-10-26 02:00:00 14400 10800 MSK standard",
        ];
        let found = of("Europe/Kaliningrad", &[2010]);
        assert_eq!(found[..1], ["2009-10-25 03:00:00 10800 7200 EET standard"]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(of("Europe/Moscow", &[2026]), expected[3..]);
    }

    #[test]
    fn fixed_offsets_and_zones_without_transitions() {
        assert_eq!(
            of("UTC+5:30", &[2027]),
            ["2026-12-31 05:30:00 19800 19800 UTC+5:30 standard"]
        );
        assert_eq!(of("Etc/GMT-2", &[2027]), ["2026-12-31 02:00:00 7200 7200 +02 standard"]);
    }

    #[test]
    fn no_years() {
        assert!(of("Europe/Berlin", &[]).is_empty());
    }

    proptest! {
        /// The last observance that begins before an instant of the years has the offset of the zone.
        #[test]
        fn observances_give_the_offset(
            name in prop::sample::select(tzdb::active().names().collect::<Vec<_>>()),
            years in proptest::collection::btree_set(1900..2100_i32, 1..6),
            second in 0..366 * 86_400_i64,
            which in 0..6_usize,
        ) {
            let zone = Zone::parse(name).unwrap();
            let year = years.iter().copied().nth(which % years.len()).unwrap();
            let start = NaiveDate::from_yo_opt(year, 1).unwrap().and_time(Default::default()).and_utc();
            let instant = start + TimeDelta::seconds(second);
            let found = observances(&zone, &years);
            let begun = |observance: &&Observance| {
                observance.starts - TimeDelta::seconds(observance.offset_before.into()) <= instant.naive_utc()
            };
            let last = found.iter().rfind(begun);
            let offset = zone.offset_at(instant).local_minus_utc();
            prop_assert_eq!(last.map(|observance| observance.offset), Some(offset), "{} {}", name, instant);
        }
    }
}
