//! Dates and times as people and programs send them, and as replies write them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use thiserror::Error;

use super::absolute_date;
use super::relative_date::RelativeDate;
use super::zone::Zone;

/// Longer texts are no date, in bytes.
const MAX_BYTES: usize = 64;

/// A date as it was sent, before it is known which zone and which now it is read in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DateTimeInput {
    /// What clocks show. Midnight when the text has no time.
    Local {
        /// The date and time, to the second.
        date_time: NaiveDateTime,
        /// Whether the text has a time.
        has_time: bool,
    },
    /// The text carries its own offset from UTC.
    Instant(DateTime<Utc>),
    /// The text counts from now.
    Relative(RelativeDate),
}

/// How long what is read from a date stays the same while time goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheLifetime {
    Unlimited,
    /// Until midnight.
    UntilMidnight,
    /// No longer than now.
    Uncacheable,
}

/// The text is no date in one of the accepted forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{}, or one such as now, today, tomorrow 9am, next monday, +1 day, 3 days ago",
    ABSOLUTE_EXAMPLES
)]
pub struct InvalidDate;

/// The text is no date in one of the forms that name a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{}, or one such as today, tomorrow 9am, next monday; what counts from now is not accepted here",
    ABSOLUTE_EXAMPLES
)]
pub struct InvalidDay;

const ABSOLUTE_EXAMPLES: &str = "expected a date such as 2027-03-01, 2027-03-01 09:00, \
     2027-03-01 09:00:00, 2027/03/01 09:00, 2027-03-01T09:00:00+02:00";

/// A date that has been read in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedDate {
    /// The instant, to the second.
    pub instant: DateTime<Utc>,
    /// What clocks in the zone show then.
    pub local: NaiveDateTime,
    /// Whether a time of day is meant, and not the day as a whole.
    pub has_time: bool,
}

impl DateTimeInput {
    /// Reads a date in one of the forms that [`InvalidDate`] names.
    ///
    /// Fractions of a second are cut. Nothing is guessed: a number alone, a day that no calendar
    /// has, or a month without its zero is refused.
    ///
    /// # Errors
    /// [`InvalidDate`] for every other text, and for years outside 1 to 9999.
    pub fn parse(text: &str) -> Result<DateTimeInput, InvalidDate> {
        let text = text.trim_ascii();
        if text.len() > MAX_BYTES {
            return Err(InvalidDate);
        }
        let input = absolute_date::parse_local(text)
            .or_else(|| absolute_date::parse_instant(text))
            .or_else(|| RelativeDate::parse(text).map(DateTimeInput::Relative));
        input.ok_or(InvalidDate)
    }

    /// Reads a date that names its day: `now` and `+1 day` could be relative to another date of the same object.
    ///
    /// # Errors
    /// [`InvalidDay`] for every other text.
    pub fn parse_day(text: &str) -> Result<DateTimeInput, InvalidDay> {
        match DateTimeInput::parse(text) {
            Ok(DateTimeInput::Relative(relative)) if !relative.names_day() => Err(InvalidDay),
            input => input.map_err(|InvalidDate| InvalidDay),
        }
    }

    /// Reads a date from a query, where a `+` that was not encoded has arrived as a space.
    ///
    /// In front of an offset the space is read as the `+` again. A relative date needs no such
    /// care: ` 1 day` counts forward as `+1 day` does.
    ///
    /// # Errors
    /// As [`DateTimeInput::parse`].
    pub fn from_query(text: &str) -> Result<DateTimeInput, InvalidDate> {
        let text = text.trim_ascii();
        DateTimeInput::parse(text).or_else(|error| match text.rsplit_once(' ') {
            Some((local, offset)) => {
                let instant = absolute_date::parse_instant(&format!("{local}+{offset}"));
                instant.filter(|_| text.len() <= MAX_BYTES).ok_or(error)
            }
            None => Err(error),
        })
    }

    /// How long [`DateTimeInput::resolve`] gives the same moment.
    pub fn cache_lifetime(&self) -> CacheLifetime {
        match self {
            DateTimeInput::Local { .. } | DateTimeInput::Instant(_) => CacheLifetime::Unlimited,
            DateTimeInput::Relative(relative) if relative.has_time() => CacheLifetime::Uncacheable,
            DateTimeInput::Relative(_) => CacheLifetime::UntilMidnight,
        }
    }

    /// The moment that is meant in `zone` when it is `now`.
    ///
    /// At the two ends of the years 1 to 9999, instants that those years have no room for in UTC
    /// or in the zone are moved to the nearest that they have.
    pub fn resolve(&self, zone: &Zone, now: DateTime<Utc>) -> ResolvedDate {
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
pub fn format_local(local: NaiveDateTime) -> String {
    local.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// RFC 3339 with the offset at which clocks show the instant as `local`, UTC as `+00:00`.
pub fn format_rfc3339(instant: DateTime<Utc>, local: NaiveDateTime) -> String {
    let seconds = (local - instant.naive_utc()).num_seconds();
    // RFC 3339 has no room for the odd seconds of offsets before 1900. Cut off here, they are taken
    // from the local time too, and the instant stays what it is.
    let minutes = i32::try_from(seconds - seconds % 60).ok();
    match minutes.and_then(FixedOffset::east_opt) {
        Some(offset) => instant.with_timezone(&offset),
        None => instant.fixed_offset(),
    }
    .to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// The instant of a local time that was counted from `now`.
///
/// The offset of now is kept where it is valid there. So `now` is now in both of the hours that
/// clocks show twice, and not always in the first.
fn instant_keeping_offset(zone: &Zone, local: NaiveDateTime, now: DateTime<Utc>) -> DateTime<Utc> {
    local
        .checked_sub_offset(zone.offset_at(now))
        .map(|instant| instant.and_utc())
        .filter(|instant| zone.to_local(*instant) == local)
        .unwrap_or_else(|| zone.to_instant(local))
}

/// Moves an instant into the years 1 to 9999 of both UTC and the zone.
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

/// The instant so many seconds after 1970 UTC, as instants are stored. Only those of the years 1 to 9999 are.
pub fn instant_at(seconds: i64) -> DateTime<Utc> {
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
        let input = DateTimeInput::parse(text).unwrap_or_else(|_| panic!("refused: {text}"));
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
            // Already tomorrow on Kiritimati.
            "today | Pacific/Kiritimati | 2027-01-01 12:00 | 2027-01-01 10:00 | 2027-01-02 00:00",
            // A day that is 23 hours long.
            "+1 day | Europe/Berlin | 2027-03-27 12:00 | 2027-03-28 11:00 | 2027-03-28 13:00",
            // The second half past two of that night.
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
            // Berlin was 53 minutes and 28 seconds ahead of Greenwich.
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
