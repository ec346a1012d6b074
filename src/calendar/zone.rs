//! Time zones: those of the IANA database, and fixed UTC offsets.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use jiff::{
    Timestamp, civil,
    tz::{AmbiguousOffset, Offset},
};
use thiserror::Error;

use super::{
    jiff_conversion::to_jiff,
    tzdb::{self, NamedZone},
};

/// The largest UTC offset in use (Pacific/Kiritimati), in minutes.
const MAX_OFFSET_MINUTES: i32 = 14 * 60;

const ZERO_OFFSET: FixedOffset = match FixedOffset::east_opt(0) {
    Some(offset) => offset,
    None => panic!("zero is an offset"),
};

/// A time zone, which converts between local times and instants.
///
/// Expects local times and instants in the years 1 to 9999, to which [`DateTimeInput`](super::date::DateTimeInput) is
/// limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// A zone of the IANA database, other than UTC.
    Named(&'static NamedZone),
    /// A fixed UTC offset in whole minutes, at most 14 hours.
    Fixed(FixedOffset),
}

/// The error of a text that is not a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected an IANA time zone such as Europe/Berlin, or an offset of at most 14 hours such as \
     UTC-5, UTC+5:30, UTC+5.5 or +05:30"
)]
pub struct UnknownZone;

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Zone = Zone::Fixed(ZERO_OFFSET);

    /// Parses an IANA name (ignoring case), `UTC±H`, `UTC±H:MM`, `UTC±H.5` (or `.25`, `.75`), or `±HH:MM`.
    ///
    /// Signs are those of ISO 8601: `UTC-5` is west of Greenwich.
    ///
    /// # Errors
    /// [`UnknownZone`] for any other text, and for offsets of more than 14 hours.
    pub fn parse(text: &str) -> Result<Zone, UnknownZone> {
        if text.eq_ignore_ascii_case("UTC") {
            return Ok(Zone::UTC);
        }
        if let Some(zone) = tzdb::active().find(text) {
            return Ok(Zone::Named(zone));
        }
        let minutes = offset_minutes(text).ok_or(UnknownZone)?;
        let offset = FixedOffset::east_opt(minutes * 60);
        offset.map(Zone::Fixed).ok_or(UnknownZone)
    }

    /// The canonical name, which [`Zone::parse`] accepts: `Europe/Berlin`, `UTC`, `UTC-5`, `UTC+5:30`.
    pub fn name(&self) -> String {
        match self {
            Zone::Named(zone) => zone.name().to_owned(),
            Zone::Fixed(offset) => {
                let minutes = offset.local_minus_utc() / 60;
                let sign = if minutes < 0 { '-' } else { '+' };
                match (minutes.abs() / 60, minutes.abs() % 60) {
                    (0, 0) => "UTC".to_owned(),
                    (hours, 0) => format!("UTC{sign}{hours}"),
                    (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
                }
            }
        }
    }

    /// The instant of a local time in this zone.
    ///
    /// A time inside a gap moves forward by the length of the gap. Of an ambiguous time, the first occurrence is taken.
    /// RFC 5545, section 3.3.5 requires both.
    pub fn to_instant(&self, local: NaiveDateTime) -> DateTime<Utc> {
        let (offset, _) = self.offsets_at_local(local);
        (local - offset).and_utc()
    }

    /// The offsets of the first and the second occurrence of `local`, if it is ambiguous in this zone.
    pub fn overlap(&self, local: NaiveDateTime) -> Option<[FixedOffset; 2]> {
        let (first, second) = self.offsets_at_local(local);
        second.map(|second| [first, second])
    }

    /// The offset of the first occurrence of `local`, and that of the second if it is ambiguous.
    ///
    /// In a gap, the offset before the gap: applied to a time inside the gap, it moves the time forward by the length
    /// of the gap.
    fn offsets_at_local(&self, local: NaiveDateTime) -> (FixedOffset, Option<FixedOffset>) {
        let zone = match self {
            Zone::Named(zone) => zone,
            Zone::Fixed(offset) => return (*offset, None),
        };
        let local = to_jiff(local).unwrap_or(civil::DateTime::MAX);
        match zone.rules().to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Gap { before: offset, .. } => {
                (to_chrono(offset), None)
            }
            AmbiguousOffset::Fold { before, after } => (to_chrono(before), Some(to_chrono(after))),
        }
    }

    /// The local time of `instant` in this zone.
    pub fn to_local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        instant.naive_utc() + self.offset_at(instant)
    }

    /// The UTC offset at `instant`. Before about 1900 it may include seconds (local mean time).
    pub fn offset_at(&self, instant: DateTime<Utc>) -> FixedOffset {
        match self {
            Zone::Named(zone) => to_chrono(zone.rules().to_offset(timestamp(instant))),
            Zone::Fixed(offset) => *offset,
        }
    }

    /// The abbreviation at `instant`: `CET`, `+0545` if the IANA database has no letters, or `UTC+5:30` for a fixed
    /// offset.
    pub fn abbreviation(&self, instant: DateTime<Utc>) -> String {
        match self {
            Zone::Named(zone) => {
                let info = zone.rules().to_offset_info(timestamp(instant));
                info.abbreviation().to_owned()
            }
            Zone::Fixed(_) => self.name(),
        }
    }

    /// The first instant of `date`: midnight, or the end of the gap if midnight is inside one.
    pub fn day_start(&self, date: NaiveDate) -> DateTime<Utc> {
        self.to_instant(date.and_time(NaiveTime::MIN))
    }
}

/// Clamps to the maximum of jiff, 26 hours before the end of the year 9999. No offset changes in between.
fn timestamp(instant: DateTime<Utc>) -> Timestamp {
    let second = instant.timestamp();
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}

/// All offsets are less than a day.
fn to_chrono(offset: Offset) -> FixedOffset {
    FixedOffset::east_opt(offset.seconds()).unwrap_or(ZERO_OFFSET)
}

/// Minutes east of UTC from `UTC+5`, `UTC+5:30`, `UTC+5.5` or `+05:30`.
fn offset_minutes(text: &str) -> Option<i32> {
    let has_prefix = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("utc"));
    let signed = if has_prefix { &text[3..] } else { text };
    let (sign, amount) = match signed.split_at_checked(1)? {
        ("+", amount) => (1, amount),
        ("-", amount) => (-1, amount),
        _ => return None,
    };
    let (hours, minutes) = match amount.split_once(':') {
        Some((hours, minutes)) => (hours, fixed_width_number(minutes, 2).filter(|minutes| *minutes < 60)?),
        None if !has_prefix => return None,
        None => match amount.split_once('.') {
            Some((hours, "25")) => (hours, 15),
            Some((hours, "5" | "50")) => (hours, 30),
            Some((hours, "75")) => (hours, 45),
            Some(_) => return None,
            None => (amount, 0),
        },
    };
    if !has_prefix && hours.len() != 2 {
        return None;
    }
    let total = fixed_width_number(hours, hours.len().min(2))? * 60 + minutes;
    (total <= MAX_OFFSET_MINUTES).then_some(sign * total)
}

/// Parses a number of exactly `digits` ASCII digits. `str::parse` alone would accept a sign.
fn fixed_width_number(text: &str, digits: usize) -> Option<i32> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use proptest::prelude::*;

    fn zone(name: &str) -> Zone {
        Zone::parse(name).unwrap()
    }

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    #[test]
    fn names_ignore_case() {
        for (text, name) in [
            ("Europe/Berlin", "Europe/Berlin"),
            ("europe/berlin", "Europe/Berlin"),
            ("AMERICA/NEW_YORK", "America/New_York"),
            ("utc", "UTC"),
            ("UTC+0", "UTC"),
            ("-00:00", "UTC"),
            ("etc/gmt-5", "Etc/GMT-5"),
        ] {
            assert_eq!(zone(text).name(), name, "{text}");
        }
    }

    #[test]
    fn fixed_offsets() {
        for (text, minutes, name) in [
            ("UTC+2", 120, "UTC+2"),
            ("UTC-5", -300, "UTC-5"),
            ("utc-05", -300, "UTC-5"),
            ("UTC-3:30", -210, "UTC-3:30"),
            ("UTC-0:30", -30, "UTC-0:30"),
            ("UTC+5.5", 330, "UTC+5:30"),
            ("UTC+8.75", 525, "UTC+8:45"),
            ("UTC-9.5", -570, "UTC-9:30"),
            ("UTC+0.25", 15, "UTC+0:15"),
            ("+05:30", 330, "UTC+5:30"),
            ("-03:00", -180, "UTC-3"),
            ("UTC+14", 840, "UTC+14"),
            ("UTC-14:00", -840, "UTC-14"),
        ] {
            let parsed = zone(text);
            let seconds = parsed.offset_at(DateTime::<Utc>::UNIX_EPOCH).local_minus_utc();
            assert_eq!(seconds, minutes * 60, "{text}");
            assert_eq!(parsed.name(), name, "{text}");
        }
    }

    #[test]
    fn unknown_zones() {
        for text in [
            "",
            "UTC+",
            "UTC+15",
            "UTC+14:01",
            "UTC-14.25",
            "UTC+1.3",
            "UTC+1:5",
            "UTC+1:60",
            "+5",
            "5",
            "+5:30",
            "+0530",
            "UTC++5",
            "UTC+-5",
            "UTC+005",
            "UTC 5",
            "Mars/Base",
            "ÜTC+1",
            "é",
            "+",
            "UTC+5:30:00",
        ] {
            assert_eq!(Zone::parse(text), Err(UnknownZone), "{text}");
        }
    }

    #[test]
    fn local_to_instant() {
        for (name, local_time, instant) in [
            ("Europe/Berlin", "2027-01-01 12:00:00", "2027-01-01 11:00:00"),
            ("Europe/Berlin", "2027-07-01 12:00:00", "2027-07-01 10:00:00"),
            // The gap of March 2027: 02:30 does not exist and reads as 03:30.
            ("Europe/Berlin", "2027-03-28 02:30:00", "2027-03-28 01:30:00"),
            // The overlap of October 2027: the first 02:30 is the summer one.
            ("Europe/Berlin", "2027-10-31 02:30:00", "2027-10-31 00:30:00"),
            ("America/New_York", "2027-11-07 01:30:00", "2027-11-07 05:30:00"),
            // Daylight saving time of half an hour.
            ("Australia/Lord_Howe", "2027-10-03 02:10:00", "2027-10-02 15:40:00"),
            // British Columbia and Alberta, Manitoba and Morocco keep one offset since 2026.
            ("America/Vancouver", "2026-12-15 12:00:00", "2026-12-15 19:00:00"),
            ("America/Edmonton", "2026-12-15 12:00:00", "2026-12-15 18:00:00"),
            ("America/Winnipeg", "2026-12-15 12:00:00", "2026-12-15 17:00:00"),
            ("Africa/Casablanca", "2026-12-15 12:00:00", "2026-12-15 12:00:00"),
            // Recurring rules have no end.
            ("Europe/Berlin", "9998-07-01 12:00:00", "9998-07-01 10:00:00"),
            // Berlin used local mean time until 1893.
            ("Europe/Berlin", "1850-01-01 00:53:28", "1850-01-01 00:00:00"),
            // Samoa skipped this day.
            ("Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00"),
            ("Pacific/Kiritimati", "2027-01-01 00:00:00", "2026-12-31 10:00:00"),
            ("UTC-3:30", "2027-01-01 00:00:00", "2027-01-01 03:30:00"),
        ] {
            let found = zone(name).to_instant(local(local_time)).naive_utc();
            assert_eq!(found, local(instant), "{name} {local_time}");
        }
    }

    #[test]
    fn day_start_after_skipped_midnight() {
        let date = NaiveDate::from_ymd_opt(2018, 11, 4).unwrap();
        let start = zone("America/Sao_Paulo").day_start(date);
        assert_eq!(start.naive_utc(), local("2018-11-04 03:00:00"));
    }

    #[test]
    fn abbreviations() {
        for (name, at, abbreviation) in [
            ("Europe/Berlin", "2027-01-01 00:00:00", "CET"),
            ("Europe/Berlin", "2027-07-01 00:00:00", "CEST"),
            ("Asia/Kathmandu", "2027-07-01 00:00:00", "+0545"),
            ("UTC+5:30", "2027-07-01 00:00:00", "UTC+5:30"),
            ("UTC", "2027-07-01 00:00:00", "UTC"),
        ] {
            assert_eq!(zone(name).abbreviation(local(at).and_utc()), abbreviation, "{name}");
        }
    }

    #[test]
    fn offsets_at_end_of_year_9999() {
        for name in ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Niue", "UTC-14"] {
            let zone = zone(name);
            let offset = zone.offset_at(local("9999-12-25 12:00:00").and_utc());
            for time in ["9999-12-30 23:00:00", "9999-12-31 23:59:59"] {
                assert_eq!(zone.offset_at(local(time).and_utc()), offset, "{name} {time}");
                assert_eq!(zone.to_instant(local(time)), (local(time) - offset).and_utc());
            }
        }
    }

    #[test]
    fn overlap_offsets() {
        let hours = |hours: i32| FixedOffset::east_opt(hours * 3600).unwrap();
        for (name, time, overlap) in [
            ("Europe/Berlin", "2027-10-31 02:30:00", Some([hours(2), hours(1)])),
            ("Europe/Berlin", "2027-10-31 03:00:00", None),
            ("Europe/Berlin", "2027-03-28 02:30:00", None),
            ("UTC+2", "2027-10-31 02:30:00", None),
        ] {
            assert_eq!(zone(name).overlap(local(time)), overlap, "{name} {time}");
        }
    }

    fn any_zone() -> impl Strategy<Value = Zone> {
        prop_oneof![
            prop::sample::select(tzdb::active().names().collect::<Vec<_>>()).prop_map(zone),
            (-840..=840).prop_map(|minutes: i32| {
                let sign = if minutes < 0 { '-' } else { '+' };
                zone(&format!("UTC{sign}{}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
            }),
        ]
    }

    /// From 1900 to 2100, which includes most transitions.
    fn any_instant() -> impl Strategy<Value = DateTime<Utc>> {
        (-2_208_988_800..4_102_444_800_i64).prop_map(|second| DateTime::from_timestamp(second, 0).unwrap())
    }

    proptest! {
        #[test]
        fn name_round_trip(zone in any_zone()) {
            prop_assert_eq!(Zone::parse(&zone.name()), Ok(zone));
        }

        #[test]
        fn parsing_never_panics(text in ".{0,20}") {
            let _ = Zone::parse(&text);
        }

        #[test]
        fn local_time_round_trip_or_gap(
            zone in any_zone(), second in any_instant()
        ) {
            let local = second.naive_utc();
            let back = zone.to_local(zone.to_instant(local));
            prop_assert!(back >= local);
            if back != local {
                // Inside a gap: no instant has this local time.
                let offsets = [second - TimeDelta::days(2), second + TimeDelta::days(2)]
                    .map(|near| zone.offset_at(near));
                for offset in offsets {
                    prop_assert_ne!(zone.to_local((local - offset).and_utc()), local);
                }
            }
        }

        #[test]
        fn instant_round_trip_or_overlap(
            zone in any_zone(), instant in any_instant()
        ) {
            let local = zone.to_local(instant);
            let back = zone.to_instant(local);
            prop_assert_eq!(zone.to_local(back), local);
            let is_ambiguous = zone.overlap(local).is_some();
            if is_ambiguous {
                prop_assert!(back <= instant);
            } else {
                prop_assert_eq!(back, instant);
            }
        }
    }
}
