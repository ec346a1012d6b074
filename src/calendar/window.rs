//! Time windows of event lists: ranges of start and end times.

use chrono::{DateTime, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use super::date::{CacheLifetime, DateTimeInput, ResolvedDate};
use super::{Variant, zone::Zone};

/// The requested bounds of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Events that start at this time or later.
    pub start_date: Option<DateTimeInput>,
    /// Events that start (A) or end (B) at this time or earlier.
    pub end_date: Option<DateTimeInput>,
    /// Events that start before this time.
    pub starts_before: Option<DateTimeInput>,
    /// Events that start after this time.
    pub starts_after: Option<DateTimeInput>,
    /// Events that end before this time.
    pub ends_before: Option<DateTimeInput>,
    /// Events that end after this time.
    pub ends_after: Option<DateTimeInput>,
    /// Bounds are exact to the second instead of covering their whole day.
    pub strict: bool,
}

/// A half-open range of time in Unix seconds. `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Inclusive.
    pub from: Option<i64>,
    /// Exclusive.
    pub before: Option<i64>,
}

/// Selects events by the ranges of their start and of their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The range of the start.
    pub starts: Span,
    /// The range of the end.
    pub ends: Span,
}

/// The window of a list whose query has no dates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultWindow {
    /// That of the interface: the next two years.
    Interface,
    /// Another one, which is valid for this time.
    Other(Window, CacheLifetime),
}

impl Bounds {
    /// The window of the bounds, or the default if there are none, and how long it is valid.
    pub(crate) fn resolve(
        &self,
        default: DefaultWindow,
        variant: Variant,
        site: &Zone,
        now: DateTime<Utc>,
    ) -> (Window, CacheLifetime) {
        match default {
            DefaultWindow::Other(window, cache_lifetime) if self.dates().iter().all(|bound| bound.is_none()) => {
                (window, cache_lifetime)
            }
            // Only dates replace such a window: a bound that is not given is unbounded.
            DefaultWindow::Other(..) => (window_of(self, false, variant, site, now), self.lifetime(false)),
            DefaultWindow::Interface => (window(self, variant, site, now), self.cache_lifetime(variant)),
        }
    }

    /// All bounds.
    fn dates(&self) -> [&Option<DateTimeInput>; 6] {
        let [first, second, third, fourth] = self.explicit_bounds();
        [&self.start_date, &self.end_date, first, second, third, fourth]
    }

    /// The bounds other than `start_date` and `end_date`. Any of them disables the default window.
    fn explicit_bounds(&self) -> [&Option<DateTimeInput>; 4] {
        [
            &self.starts_before,
            &self.starts_after,
            &self.ends_before,
            &self.ends_after,
        ]
    }

    fn uses_defaults(&self, variant: Variant) -> bool {
        variant == Variant::A || self.explicit_bounds().iter().all(|bound| bound.is_none())
    }

    /// How long [`window`] returns the same result.
    fn cache_lifetime(&self, variant: Variant) -> CacheLifetime {
        self.lifetime(self.uses_defaults(variant))
    }

    fn lifetime(&self, has_default: bool) -> CacheLifetime {
        let first = [&self.start_date, &self.end_date];
        let default = has_default && first.iter().any(|bound| bound.is_none());
        let given = first.into_iter().chain(self.explicit_bounds()).flatten();
        given
            .map(DateTimeInput::cache_lifetime)
            .chain(default.then_some(CacheLifetime::UntilMidnight))
            .max()
            .unwrap_or(CacheLifetime::Unlimited)
    }
}

impl Span {
    /// Returns true if the span contains no instant.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.from, self.before), (Some(from), Some(before)) if from >= before)
    }

    /// Whether the span contains the Unix time.
    pub fn contains(&self, second: i64) -> bool {
        self.from.is_none_or(|from| from <= second) && self.before.is_none_or(|before| second < before)
    }

    /// The intersection.
    pub fn intersect(mut self, other: Span) -> Span {
        self.limit_from(other.from);
        self.limit_before(other.before);
        self
    }

    fn limit_from(&mut self, from: Option<i64>) {
        self.from = self.from.max(from);
    }

    fn limit_before(&mut self, before: Option<i64>) {
        // `None` is unbounded, but compares less than any bound.
        self.before = self.before.into_iter().chain(before).min();
    }
}

/// The window of `bounds`, which apply together.
///
/// `site` is the zone of bounds without an offset, and of the days that bounds cover. If `start_date` or `end_date` is
/// absent, [`default_start`] or [`default_end`] applies, unless one of the other four bounds is given.
fn window(bounds: &Bounds, variant: Variant, site: &Zone, now: DateTime<Utc>) -> Window {
    window_of(bounds, bounds.uses_defaults(variant), variant, site, now)
}

fn window_of(bounds: &Bounds, has_default: bool, variant: Variant, site: &Zone, now: DateTime<Utc>) -> Window {
    let resolve = |bound: &Option<DateTimeInput>| {
        bound
            .as_ref()
            .map(|input| ResolvedBound::new(input.resolve(site, now), site))
    };
    let default = |local: NaiveDateTime| has_default.then(|| ResolvedBound::whole_day(local.date(), site));

    let start = resolve(&bounds.start_date).or_else(|| default(default_start(site, now)));
    let end = resolve(&bounds.end_date).or_else(|| default(default_end(site, now)));
    let strict = bounds.strict;
    let is_exact = |bound: &ResolvedBound| bound.has_time && (variant == Variant::A || strict);

    let (mut starts, mut ends) = (Span::default(), Span::default());
    starts.limit_from(start.map(|bound| bound.first_second_from(is_exact(&bound))));
    let until = end.map(|bound| bound.first_second_after(is_exact(&bound)));
    match variant {
        Variant::A => starts.limit_before(until),
        Variant::B => {
            ends.limit_before(until);
            // If strict and without a time, these four mean the first second of their day.
            starts.limit_before(resolve(&bounds.starts_before).map(|bound| bound.first_second_excluded(strict)));
            starts.limit_from(resolve(&bounds.starts_after).map(|bound| bound.first_second_after(strict)));
            ends.limit_before(resolve(&bounds.ends_before).map(|bound| bound.first_second_excluded(strict)));
            ends.limit_from(resolve(&bounds.ends_after).map(|bound| bound.first_second_after(strict)));
        }
    }
    Window { starts, ends }
}

/// The default start of lists: today at 00:00:00 in the site's zone.
pub(crate) fn default_start(site: &Zone, now: DateTime<Utc>) -> NaiveDateTime {
    site.to_local(now).date().and_time(NaiveTime::MIN)
}

/// The default end of lists: two years after today at 23:59:59 in the site's zone. Two years after 29 February is 28
/// February.
pub(crate) fn default_end(site: &Zone, now: DateTime<Utc>) -> NaiveDateTime {
    let today = site.to_local(now).date();
    let last = today.checked_add_months(Months::new(24)).unwrap_or(today);
    next_day(last).and_time(NaiveTime::MIN) - TimeDelta::seconds(1)
}

/// The Unix time at which the current day began in the site's zone.
pub(crate) fn start_of_today(site: &Zone, now: DateTime<Utc>) -> i64 {
    ResolvedBound::whole_day(site.to_local(now).date(), site).day
}

/// The Unix time at which the next day begins in the site's zone.
pub(crate) fn next_midnight(site: &Zone, now: DateTime<Utc>) -> i64 {
    ResolvedBound::whole_day(site.to_local(now).date(), site).next_day
}

/// A bound in Unix seconds, with the start of its day and of the next day in the site's zone.
#[derive(Clone, Copy)]
struct ResolvedBound {
    second: i64,
    has_time: bool,
    day: i64,
    next_day: i64,
}

impl ResolvedBound {
    fn new(date: ResolvedDate, site: &Zone) -> ResolvedBound {
        ResolvedBound {
            second: date.instant.timestamp(),
            has_time: date.has_time,
            ..ResolvedBound::whole_day(date.local.date(), site)
        }
    }

    fn whole_day(date: NaiveDate, site: &Zone) -> ResolvedBound {
        let day = site.day_start(date).timestamp();
        ResolvedBound {
            second: day,
            has_time: false,
            day,
            next_day: site.day_start(next_day(date)).timestamp(),
        }
    }

    /// The first second at or after the bound, or the first of its day.
    fn first_second_from(self, is_exact: bool) -> i64 {
        if is_exact { self.second } else { self.day }
    }

    /// The first second after the bound, or after its day.
    fn first_second_after(self, is_exact: bool) -> i64 {
        let exact = self.second + 1;
        if is_exact { exact } else { self.next_day }
    }

    /// The first second that is not before the bound, or the first after its day.
    fn first_second_excluded(self, is_exact: bool) -> i64 {
        if is_exact { self.second } else { self.next_day }
    }
}

/// The next day. chrono's calendar ends in the year 262142, far after any parsed date.
fn next_day(date: NaiveDate) -> NaiveDate {
    date.succ_opt().unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::tzdb;
    use proptest::prelude::*;

    const NOW: &str = "2027-01-15T12:00:00Z";

    fn instant(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    /// Parses a span such as `2027-03-01T00:00Z..`.
    fn span(text: &str) -> Span {
        let (from, before) = text.split_once("..").unwrap();
        let second = |text: &str| (!text.is_empty()).then(|| instant(text).timestamp());
        Span {
            from: second(from),
            before: second(before),
        }
    }

    /// Parses bounds from a query such as `start_date=2027-03-01&strict`.
    fn bounds(query: &str) -> Bounds {
        let mut bounds = Bounds::default();
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let bound = match name {
                "start_date" => &mut bounds.start_date,
                "end_date" => &mut bounds.end_date,
                "starts_before" => &mut bounds.starts_before,
                "starts_after" => &mut bounds.starts_after,
                "ends_before" => &mut bounds.ends_before,
                "ends_after" => &mut bounds.ends_after,
                _ => panic!("{name}"),
            };
            *bound = Some(DateTimeInput::parse(value).unwrap());
        }
        bounds.strict = query.ends_with("strict");
        bounds
    }

    /// Checks rows of `variant zone [query] -> starts, ends`.
    fn check(rows: &[&str]) {
        for row in rows {
            let (input, output) = row.split_once(" -> ").unwrap();
            let mut words = input.split(' ');
            let variant = match words.next().unwrap() {
                "A" => Variant::A,
                _ => Variant::B,
            };
            let site = Zone::parse(words.next().unwrap()).unwrap();
            let bounds = bounds(words.next().unwrap_or_default());
            let (starts, ends) = output.split_once(", ").unwrap();
            let expected = Window {
                starts: span(starts),
                ends: span(ends),
            };
            assert_eq!(window(&bounds, variant, &site, instant(NOW)), expected, "{row}");
        }
    }

    #[test]
    fn default_window() {
        check(&[
            "A Europe/Berlin -> 2027-01-14T23:00:00Z..2029-01-15T23:00:00Z, ..",
            "B Europe/Berlin -> 2027-01-14T23:00:00Z.., ..2029-01-15T23:00:00Z",
            "B Europe/Berlin &strict -> 2027-01-14T23:00:00Z.., ..2029-01-15T23:00:00Z",
            // It is already the 16th there.
            "B Pacific/Kiritimati -> 2027-01-15T10:00:00Z.., ..2029-01-16T10:00:00Z",
        ]);
    }

    #[test]
    fn defaults_are_independent() {
        check(&[
            "B UTC start_date=2027-05-01 -> 2027-05-01T00:00:00Z.., ..2029-01-16T00:00:00Z",
            "B UTC end_date=2027-04-30 -> 2027-01-15T00:00:00Z.., ..2027-05-01T00:00:00Z",
        ]);
    }

    #[test]
    fn explicit_bounds_disable_defaults() {
        check(&[
            "B UTC starts_after=2027-04-30 -> 2027-05-01T00:00:00Z.., ..",
            "B UTC starts_before=2027-04-30 -> ..2027-05-01T00:00:00Z, ..",
            "B UTC ends_after=2027-04-30 -> .., 2027-05-01T00:00:00Z..",
            "B UTC ends_before=2027-04-30 -> .., ..2027-05-01T00:00:00Z",
            // Variant A ignores them.
            "A UTC ends_before=2027-04-30 -> 2027-01-15T00:00:00Z..2029-01-16T00:00:00Z, ..",
        ]);
    }

    #[test]
    fn other_default_window() {
        let site = Zone::UTC;
        let other = Window {
            starts: Span::default(),
            ends: span("2027-01-01T00:00:00Z.."),
        };
        let default = DefaultWindow::Other(other, CacheLifetime::UntilMidnight);
        let resolve = |query: &str| bounds(query).resolve(default, Variant::B, &site, instant(NOW));
        assert_eq!(resolve(""), (other, CacheLifetime::UntilMidnight));
        assert_eq!(resolve("&strict"), (other, CacheLifetime::UntilMidnight));
        let all = Window {
            starts: span("1900-01-01T00:00:00Z.."),
            ends: Span::default(),
        };
        assert_eq!(resolve("start_date=1900-01-01"), (all, CacheLifetime::Unlimited));
    }

    #[test]
    fn variant_a_bounds() {
        check(&[
            "A Europe/Berlin start_date=2027-03-01&end_date=2027-03-02 \
             -> 2027-02-28T23:00:00Z..2027-03-02T23:00:00Z, ..",
            "A Europe/Berlin start_date=2027-03-01T09:00&end_date=2027-03-02T10:00 \
             -> 2027-03-01T08:00:00Z..2027-03-02T09:00:01Z, ..",
        ]);
    }

    #[test]
    fn variant_b_bounds_cover_site_day() {
        for time in ["", "T09:00", "T09:00+05:30", "T23:59:59+05:30", "T12:00Z"] {
            let day = format!("2027-03-01{time}");
            check(&[
                &format!(
                    "B Asia/Kolkata start_date={day}&end_date={day} \
                     -> 2027-02-28T18:30:00Z.., ..2027-03-01T18:30:00Z"
                ),
                &format!(
                    "B Asia/Kolkata starts_after={day}&ends_before={day} \
                     -> 2027-03-01T18:30:00Z.., ..2027-03-01T18:30:00Z"
                ),
                &format!(
                    "B Asia/Kolkata starts_before={day}&ends_after={day} \
                     -> ..2027-03-01T18:30:00Z, 2027-03-01T18:30:00Z.."
                ),
            ]);
        }
    }

    #[test]
    fn strict_bounds() {
        check(&[
            "B UTC start_date=2027-03-01T09:00&end_date=2027-03-01T09:00&strict \
             -> 2027-03-01T09:00:00Z.., ..2027-03-01T09:00:01Z",
            "B UTC starts_after=2027-03-01T09:00&ends_before=2027-03-01T09:00&strict \
             -> 2027-03-01T09:00:01Z.., ..2027-03-01T09:00:00Z",
            "B UTC starts_before=2027-03-01T09:00&ends_after=2027-03-01T09:00&strict \
             -> ..2027-03-01T09:00:00Z, 2027-03-01T09:00:01Z..",
        ]);
    }

    #[test]
    fn strict_bounds_without_time() {
        check(&[
            "B UTC start_date=2027-03-01&end_date=2027-03-01&strict \
             -> 2027-03-01T00:00:00Z.., ..2027-03-02T00:00:00Z",
            "B UTC starts_after=2027-03-01&ends_before=2027-03-01&strict \
             -> 2027-03-01T00:00:01Z.., ..2027-03-01T00:00:00Z",
        ]);
    }

    #[test]
    fn bounds_combine() {
        check(&[
            "B UTC start_date=2027-03-05&starts_after=2027-03-01&starts_before=2027-03-09\
             &end_date=2027-03-12&ends_before=2027-03-10 \
             -> 2027-03-05T00:00:00Z..2027-03-10T00:00:00Z, ..2027-03-11T00:00:00Z",
        ]);
    }

    #[test]
    fn day_length_at_clock_change() {
        for (day, hours) in [("2027-03-28", 23), ("2027-10-31", 25), ("2027-06-01", 24)] {
            let site = Zone::parse("Europe/Berlin").unwrap();
            let query = bounds(&format!("start_date={day}&end_date={day}"));
            let Span { from, before } = window(&query, Variant::A, &site, instant(NOW)).starts;
            assert_eq!(before.unwrap() - from.unwrap(), hours * 3600, "{day}");
        }
    }

    #[test]
    fn cache_lifetime_of_window() {
        for (query, variant, cache_lifetime) in [
            ("", Variant::B, CacheLifetime::UntilMidnight),
            ("start_date=2027-03-01", Variant::B, CacheLifetime::UntilMidnight),
            (
                "start_date=2027-03-01&end_date=2027-03-02T10:00Z",
                Variant::A,
                CacheLifetime::Unlimited,
            ),
            ("ends_after=2027-03-01T10:00", Variant::B, CacheLifetime::Unlimited),
            (
                "starts_after=tomorrow&ends_before=2027-03-01",
                Variant::B,
                CacheLifetime::UntilMidnight,
            ),
            ("start_date=next monday", Variant::A, CacheLifetime::UntilMidnight),
            ("start_date=now", Variant::B, CacheLifetime::Uncacheable),
            ("ends_after=+1 hour", Variant::B, CacheLifetime::Uncacheable),
            ("start_date=tomorrow 9am", Variant::A, CacheLifetime::Uncacheable),
        ] {
            assert_eq!(bounds(query).cache_lifetime(variant), cache_lifetime, "{query}");
        }
    }

    #[test]
    fn next_midnight_in_site_zone() {
        for (site, now, midnight) in [
            ("UTC", "2027-01-15T00:00:00Z", "2027-01-16T00:00:00Z"),
            ("UTC", "2027-01-15T23:59:59Z", "2027-01-16T00:00:00Z"),
            ("Europe/Berlin", "2027-03-28T00:30:00Z", "2027-03-28T22:00:00Z"),
        ] {
            let site = Zone::parse(site).unwrap();
            assert_eq!(super::next_midnight(&site, instant(now)), instant(midnight).timestamp());
        }
    }

    #[test]
    fn default_end_after_leap_day() {
        let now = instant("2028-02-29T12:00:00Z");
        assert_eq!(default_end(&Zone::UTC, now).to_string(), "2030-02-28 23:59:59");
        assert_eq!(default_start(&Zone::UTC, now).to_string(), "2028-02-29 00:00:00");
    }

    proptest! {
        #[test]
        fn whole_day_bounds_include_strict_bounds(
            name in prop::sample::select(tzdb::active().names().collect::<Vec<_>>()),
            start in 0..4_000_000_000_i64, end in 0..4_000_000_000_i64, has_time: bool,
            event in 0..4_000_000_000_i64,
        ) {
            let site = Zone::parse(name).unwrap();
            let when = |second| {
                let local = DateTime::from_timestamp(second, 0).unwrap().naive_utc();
                let date_time = if has_time { local } else { local.date().and_time(NaiveTime::MIN) };
                Some(DateTimeInput::Local { date_time, has_time })
            };
            let wide = Bounds { start_date: when(start), end_date: when(end), ..Bounds::default() };
            let strict = Bounds { strict: true, ..wide.clone() };
            let now = instant(NOW);
            let wide = window(&wide, Variant::B, &site, now);
            let strict = window(&strict, Variant::B, &site, now);
            for second in [event, start, end] {
                prop_assert!(!strict.starts.contains(second) || wide.starts.contains(second));
                prop_assert!(!strict.ends.contains(second) || wide.ends.contains(second));
            }
            prop_assert!(wide.starts.from <= strict.starts.from);
            prop_assert!(wide.ends.before >= strict.ends.before);
        }
    }
}
