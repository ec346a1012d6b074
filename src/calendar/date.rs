//! Parsing and formatting of dates and times.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, SubsecRound, Utc};
use thiserror::Error;

use super::absolute_date;
use super::relative_date::RelativeDate;
use super::zone::Zone;

/// The maximum length of a date.
const MAX_BYTES: usize = 64;

/// A parsed date, not yet resolved to an instant: that needs a time zone and the current time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DateTimeInput {
    /// A local date and time. Midnight if the text has no time.
    Local {
        /// Whole seconds.
        date_time: NaiveDateTime,
        /// Whether the text has a time.
        has_time: bool,
    },
    /// A timestamp with its own UTC offset.
    Instant(DateTime<Utc>),
    /// A date relative to the current time.
    Relative(RelativeDate),
}

/// How long a result derived from dates may be cached, from longest to shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CacheLifetime {
    Unlimited,
    /// Until the next midnight in the site's zone.
    UntilMidnight,
    /// Depends on the current time.
    Uncacheable,
}

/// The error of a text that is not a date in an accepted format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{}, or one such as now, today, tomorrow 9am, next monday, +1 day, 3 days ago",
    ABSOLUTE_EXAMPLES
)]
pub(crate) struct InvalidDate;

/// The error of a text that is not a date in a format that names a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{}, or one such as today, tomorrow 9am, next monday; dates relative to now are not accepted here",
    ABSOLUTE_EXAMPLES
)]
pub(crate) struct InvalidDay;

const ABSOLUTE_EXAMPLES: &str = "expected a date such as 2027-03-01, 2027-03-01 09:00, \
     2027-03-01 09:00:00, 2027/03/01 09:00, 2027-03-01T09:00:00+02:00";

/// A date resolved in a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedDate {
    /// Whole seconds.
    pub instant: DateTime<Utc>,
    /// The local time of the instant in the zone.
    pub local: NaiveDateTime,
    /// Whether the date has a time of day. Otherwise it covers the whole day.
    pub has_time: bool,
}

impl DateTimeInput {
    /// Parses a date in one of the formats that the message of [`InvalidDate`] lists.
    ///
    /// Truncates fractions of a second. Parsing is strict: a bare number, a day that does not exist and a month of one
    /// digit are errors.
    ///
    /// # Errors
    /// [`InvalidDate`] for any other text, and for years outside 1 to 9999.
    pub(crate) fn parse(text: &str) -> Result<DateTimeInput, InvalidDate> {
        let text = text.trim_ascii();
        if text.len() > MAX_BYTES {
            return Err(InvalidDate);
        }
        let input = absolute_date::parse_local(text)
            .or_else(|| absolute_date::parse_instant(text))
            .or_else(|| RelativeDate::parse(text).map(DateTimeInput::Relative));
        input.ok_or(InvalidDate)
    }

    /// Parses a date that names its day. Rejects `now` and `+1 day`, which a client could intend to be relative to
    /// another date of the same object.
    ///
    /// # Errors
    /// [`InvalidDay`] for any other text.
    pub(crate) fn parse_day(text: &str) -> Result<DateTimeInput, InvalidDay> {
        match DateTimeInput::parse(text) {
            Ok(DateTimeInput::Relative(relative)) if !relative.names_day() => Err(InvalidDay),
            input => input.map_err(|InvalidDate| InvalidDay),
        }
    }

    /// Parses a date from a query string, where a `+` that was not percent-encoded is decoded as a space.
    ///
    /// Restores the `+` before a UTC offset. Relative dates do not need this: ` 1 day` means the same as `+1 day`.
    ///
    /// # Errors
    /// As [`DateTimeInput::parse`].
    pub(crate) fn from_query(text: &str) -> Result<DateTimeInput, InvalidDate> {
        let text = text.trim_ascii();
        DateTimeInput::parse(text).or_else(|error| match text.rsplit_once(' ') {
            Some((local, offset)) => {
                let instant = absolute_date::parse_instant(&format!("{local}+{offset}"));
                instant.filter(|_| text.len() <= MAX_BYTES).ok_or(error)
            }
            None => Err(error),
        })
    }

    /// How long [`DateTimeInput::resolve`] returns the same result.
    pub(crate) fn cache_lifetime(&self) -> CacheLifetime {
        match self {
            DateTimeInput::Local { .. } | DateTimeInput::Instant(_) => CacheLifetime::Unlimited,
            DateTimeInput::Relative(relative) if relative.has_time() => CacheLifetime::Uncacheable,
            DateTimeInput::Relative(_) => CacheLifetime::UntilMidnight,
        }
    }

    /// Resolves the date in `zone`, relative to `now`.
    ///
    /// Instants outside the years 1 to 9999 in UTC or in the zone are clamped to these years.
    pub(crate) fn resolve(&self, zone: &Zone, now: DateTime<Utc>) -> ResolvedDate {
        let (instant, has_time) = match self {
            DateTimeInput::Local { date_time, has_time } => (zone.to_instant(*date_time), *has_time),
            DateTimeInput::Instant(instant) => (*instant, true),
            DateTimeInput::Relative(relative) => {
                let local = relative.resolve(zone.to_local(now));
                (instant_keeping_offset(zone, local, now), relative.has_time())
            }
        };
        let instant = clamp_to_years(zone, instant);
        ResolvedDate {
            instant,
            local: zone.to_local(instant),
            has_time,
        }
    }
}

/// `YYYY-MM-DD HH:MM:SS`.
pub(crate) fn format_local(local: NaiveDateTime) -> String {
    // Display has this format, and is faster than a format string.
    local.trunc_subsecs(0).to_string()
}

/// RFC 3339 in UTC, with `Z`.
pub(crate) fn format_utc(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// RFC 3339 with the offset of `local` from UTC, which is `+00:00` for UTC.
pub(crate) fn format_rfc3339(instant: DateTime<Utc>, local: NaiveDateTime) -> String {
    let seconds = (local - instant.naive_utc()).num_seconds();
    // Offsets in RFC 3339 have no seconds, but those before about 1900 do. Truncating the offset also shifts the local
    // time, so that the instant stays the same.
    let minutes = i32::try_from(seconds - seconds % 60).ok();
    match minutes.and_then(FixedOffset::east_opt) {
        Some(offset) => instant.with_timezone(&offset),
        None => instant.fixed_offset(),
    }
    .to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// The instant of a local time that was derived from `now`.
///
/// Keeps the offset of `now` if it is valid at the local time. Without that, `now` would always resolve to the first
/// occurrence of an ambiguous local time.
fn instant_keeping_offset(zone: &Zone, local: NaiveDateTime, now: DateTime<Utc>) -> DateTime<Utc> {
    local
        .checked_sub_offset(zone.offset_at(now))
        .map(|instant| instant.and_utc())
        .filter(|instant| zone.to_local(*instant) == local)
        .unwrap_or_else(|| zone.to_instant(local))
}

/// Clamps an instant to the years 1 to 9999, both in UTC and in the zone.
pub(super) fn clamp_to_years(zone: &Zone, instant: DateTime<Utc>) -> DateTime<Utc> {
    const FIRST: NaiveDateTime = match NaiveDate::from_ymd_opt(1, 1, 1) {
        Some(date) => date.and_time(NaiveTime::MIN),
        None => NaiveDateTime::MIN,
    };
    const LAST: NaiveDateTime = match NaiveDate::from_ymd_opt(9999, 12, 31) {
        Some(date) => match date.and_hms_opt(23, 59, 59) {
            Some(last) => last,
            None => NaiveDateTime::MAX,
        },
        None => NaiveDateTime::MAX,
    };
    instant
        .max(FIRST.and_utc())
        .max(zone.to_instant(FIRST))
        .min(LAST.and_utc())
        .min(zone.to_instant(LAST))
}

/// The instant of a Unix timestamp in seconds, which is how the database stores instants.
pub(crate) fn instant_at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::tzdb;
    use chrono::Datelike;
    use proptest::prelude::*;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    fn resolve(text: &str, zone: &str, now: &str) -> ResolvedDate {
        let input = DateTimeInput::parse(text).unwrap_or_else(|_| panic!("rejected: {text}"));
        input.resolve(&Zone::parse(zone).unwrap(), local(now).and_utc())
    }

    #[test]
    fn unencoded_plus_in_query() {
        for (text, expected) in [
            (" 1 day", "+1 day"),
            (" 1 week 2 days", "+1 week 2 days"),
            ("now  1 day", "now +1 day"),
            ("2027-03-01T09:00:00 02:00", "2027-03-01T09:00:00+02:00"),
            ("2027-03-01 09:00:00.5 02:00", "2027-03-01T09:00:00.5+02:00"),
            ("2027-03-01 09:00 02:00", "2027-03-01 09:00+02:00"),
        ] {
            let (text, expected) = (DateTimeInput::from_query(text), DateTimeInput::parse(expected));
            let now = local("2027-01-01 12:00:00").and_utc();
            assert_eq!(
                text.unwrap().resolve(&Zone::UTC, now),
                expected.unwrap().resolve(&Zone::UTC, now)
            );
        }
        assert_eq!(DateTimeInput::parse("2027-03-01T09:00:00 02:00"), Err(InvalidDate));
    }

    #[test]
    fn invalid_dates() {
        let long_fraction = format!("2027-03-01T09:00:00.{}Z", "1".repeat(64));
        let long_query = format!("2027-03-01T09:00:00.{} 02:00", "1".repeat(64));
        for text in [
            "",
            " ",
            "1",
            "20270301",
            "1700000000",
            "@12",
            "2027",
            "2027-03",
            "2027-3-1",
            "2027-13-01",
            "2027-00-10",
            "2027-02-29",
            "2027-02-30",
            "03/01/2027",
            "01.03.2027",
            "2027-03/01",
            "noon",
            "2027-03-01 24:00",
            "2027-03-01 09:60",
            "2027-03-01 23:59:60",
            "2027-03-01 9:00",
            "2027-03-01 09",
            "2027-03-0109:00",
            "2027-03-01  09:00",
            "2027-03-01T09:00.5Z",
            "2027-03-01T09:00:00.Z",
            "2027-03-01Z",
            "2027-03-01+02:00",
            "2027-03-01T09:00:00+0200",
            "2027-03-01T09:00:00+02",
            "2027-03-01T09:00:00+24:00",
            "2027-03-01T09:00:00+02:60",
            "2027-03-01T09:00:00ZZ",
            "2027-03-01T09:00:00 Z",
            "2027-03-01 10:00 tomorrow",
            "0000-01-01",
            "10000-01-01",
            "+2027-03-01",
            "-2027-03-01",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "２０２７-03-01",
            "2027‐03‐01",
            "2027-03-01\u{a0}09:00",
            "é",
            "Z",
            "+02:00",
            "2027-03-01T09:00:00\u{2212}02:00",
            &long_fraction,
            &long_query,
        ] {
            assert_eq!(DateTimeInput::parse(text), Err(InvalidDate), "{text}");
            assert_eq!(DateTimeInput::from_query(text), Err(InvalidDate), "{text}");
        }
    }

    #[test]
    fn resolve_in_zone() {
        for row in [
            // text | zone | now in UTC | instant in UTC | local time
            "2027-03-01 | Europe/Berlin | 2027-01-01 00:00 | 2027-02-28 23:00 | 2027-03-01 00:00",
            "2027-03-28T02:30 | Europe/Berlin | 2027-01-01 00:00 | 2027-03-28 01:30 | 2027-03-28 03:30",
            "2027-03-01T09:00Z | Asia/Kolkata | 2027-01-01 00:00 | 2027-03-01 09:00 | 2027-03-01 14:30",
            // The next day in Kiritimati.
            "today | Pacific/Kiritimati | 2027-01-01 12:00 | 2027-01-01 10:00 | 2027-01-02 00:00",
            // A day of 23 hours.
            "+1 day | Europe/Berlin | 2027-03-27 12:00 | 2027-03-28 11:00 | 2027-03-28 13:00",
            // The second occurrence of 02:30.
            "now | Europe/Berlin | 2027-10-31 01:30 | 2027-10-31 01:30 | 2027-10-31 02:30",
            "+10 minutes | Europe/Berlin | 2027-10-31 01:30 | 2027-10-31 01:40 | 2027-10-31 02:40",
            "today | Europe/Berlin | 2027-10-31 01:30 | 2027-10-30 22:00 | 2027-10-31 00:00",
        ] {
            let cells: Vec<&str> = row.split(" | ").collect();
            let [text, zone, now, instant, shown] = cells[..] else {
                panic!("{row}");
            };
            let minute = |text: &str| local(&format!("{text}:00"));
            let resolved = resolve(text, zone, &format!("{now}:00"));
            assert_eq!(resolved.instant.naive_utc(), minute(instant), "{row}");
            assert_eq!(resolved.local, minute(shown), "{row}");
        }
    }

    #[test]
    fn extreme_years_have_four_digits() {
        for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Niue", "UTC-14", "Europe/Berlin"] {
            for text in ["0001-01-01", "9999-12-31 23:59:59", "9999-12-31T23:59:59Z"] {
                let resolved = resolve(text, zone, "2027-01-01 00:00:00");
                assert!(
                    absolute_date::is_four_digit_year(resolved.instant.year()),
                    "{text} {zone}"
                );
                assert!(
                    absolute_date::is_four_digit_year(resolved.local.year()),
                    "{text} {zone}"
                );
            }
        }
        let sentinel = resolve("9999-12-31 23:59:59", "UTC", "2027-01-01 00:00:00");
        assert_eq!(sentinel.local, local("9999-12-31 23:59:59"));
    }

    #[test]
    fn format_with_offset() {
        assert_eq!(format_local(local("0099-03-01 09:00:00")), "0099-03-01 09:00:00");
        for (zone, at, expected) in [
            ("UTC", "2027-03-01 09:00:00", "2027-03-01T09:00:00+00:00"),
            ("Asia/Kolkata", "2027-03-01 09:00:00", "2027-03-01T14:30:00+05:30"),
            ("UTC-3:30", "2027-03-01 09:00:00", "2027-03-01T05:30:00-03:30"),
            // Local mean time: 53 minutes and 28 seconds ahead of UTC.
            ("Europe/Berlin", "1850-01-01 00:00:00", "1850-01-01T00:53:00+00:53"),
        ] {
            let (zone, at) = (Zone::parse(zone).unwrap(), local(at).and_utc());
            assert_eq!(format_rfc3339(at, zone.to_local(at)), expected);
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in any::<String>()) {
            let _ = DateTimeInput::from_query(&text);
        }

        #[test]
        fn format_round_trip(
            second in -62_135_596_800..=253_402_300_799_i64,
            name in prop::sample::select(tzdb::active().names().collect::<Vec<_>>()),
        ) {
            let zone = Zone::parse(name).unwrap();
            let instant = clamp_to_years(&zone, DateTime::from_timestamp(second, 0).unwrap());
            prop_assert_eq!(
                DateTimeInput::parse(&format_rfc3339(instant, zone.to_local(instant))),
                Ok(DateTimeInput::Instant(instant))
            );
            let date_time = zone.to_local(instant);
            prop_assert_eq!(
                DateTimeInput::parse(&format_local(date_time)),
                Ok(DateTimeInput::Local { date_time, has_time: true })
            );
        }
    }
}
