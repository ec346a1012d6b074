//! Local times by the time zone rules of release 2025b.
//!
//! Older releases stored only instants, derived from local times by these rules. The conversion back needs the same
//! rules.

use std::str::FromStr;

use chrono::{DateTime, FixedOffset, MappedLocalTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;

/// Returns the local time at an instant, in seconds since 1970-01-01 00:00:00 local time, and its UTC offset in seconds
/// if it is ambiguous. An unknown zone is treated as UTC.
pub(crate) fn local_time_at(zone: &str, instant: i64) -> (i64, Option<i64>) {
    let at = DateTime::<Utc>::from_timestamp(instant, 0).unwrap_or_default();
    let (offset, is_ambiguous) = match Tz::from_str(zone) {
        Ok(zone) => {
            let offset = zone.offset_from_utc_datetime(&at.naive_utc()).fix();
            let times = zone.from_local_datetime(&(at.naive_utc() + offset));
            (offset, matches!(times, MappedLocalTime::Ambiguous(..)))
        }
        Err(_) => (fixed_offset(zone).unwrap_or(Utc.fix()), false),
    };
    let seconds = i64::from(offset.local_minus_utc());
    (at.timestamp() + seconds, is_ambiguous.then_some(seconds))
}

/// The offset of `UTC+5` or `UTC-3:30`, as names of fixed offsets were stored.
fn fixed_offset(name: &str) -> Option<FixedOffset> {
    let (sign, amount) = name.strip_prefix("UTC")?.split_at_checked(1)?;
    let (hours, minutes) = amount.split_once(':').unwrap_or((amount, "0"));
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    match sign {
        "-" => FixedOffset::west_opt(seconds),
        _ => FixedOffset::east_opt(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_follow_2025b() {
        assert_eq!(chrono_tz::IANA_TZDB_VERSION, "2025b");
        let second = |text: &str| text.parse::<DateTime<Utc>>().unwrap().timestamp();
        for (zone, instant, local, hours) in [
            // 13:00 by the rules of 2026e.
            (
                "America/Vancouver",
                "2026-12-15T20:00:00Z",
                "2026-12-15T12:00:00Z",
                None,
            ),
            ("Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T02:30:00Z", Some(2)),
            ("Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", Some(1)),
            ("UTC", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z", None),
            ("UTC-3:30", "2027-10-31T01:30:00Z", "2027-10-30T22:00:00Z", None),
            ("UTC+5", "2027-10-31T01:30:00Z", "2027-10-31T06:30:00Z", None),
            ("Mars/Base", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z", None),
        ] {
            let offset = hours.map(|hours: i64| hours * 3600);
            let found = local_time_at(zone, second(instant));
            assert_eq!(found, (second(local), offset), "{zone} {instant}");
        }
    }
}
