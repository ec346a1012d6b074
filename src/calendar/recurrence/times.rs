//! Dates and local times as iCalendar writes them (RFC 5545, sections 3.3.4 and 3.3.5).

use std::fmt;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime};

use crate::calendar::zone::Zone;

/// A date, or a date with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadTime {
    pub date: NaiveDate,
    pub time: Option<NaiveTime>,
    /// It ends with "Z".
    pub is_utc: bool,
}

impl ReadTime {
    /// Reads `YYYYMMDD`, `YYYYMMDDTHHMMSS` or `YYYYMMDDTHHMMSSZ`, in the years 1 to 9999.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (local, is_utc) = match text.strip_suffix(['Z', 'z']) {
            Some(local) => (local, true),
            None => (text, false),
        };
        let (date, time) = match local.split_once(['T', 't']) {
            Some((date, time)) => (date, Some(numbers(time, [2, 2, 2])?)),
            None => (local, None),
        };
        let [year, month, day] = numbers(date, [4, 2, 2])?;
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        let time = match time {
            Some([hour, minute, second]) => Some(NaiveTime::from_hms_opt(hour, minute, second)?),
            None => None,
        };
        (year > 0 && (time.is_some() || !is_utc)).then_some(Self { date, time, is_utc })
    }

    /// The local time in `zone`, if there is a time. Without "Z", it is one of `written_in`, or of `zone`.
    pub(super) fn to_local(self, zone: &Zone, written_in: Option<&Zone>) -> Option<NaiveDateTime> {
        let time = self.date.and_time(self.time?);
        let local = match (self.is_utc, written_in) {
            (true, _) => zone.to_local(time.and_utc()),
            (false, Some(other)) if other != zone => zone.to_local(other.to_instant(time)),
            (false, _) => time,
        };
        (1..=9999).contains(&local.year()).then_some(local)
    }
}

/// The numbers of which a text consists, if they have these numbers of digits.
fn numbers<const N: usize>(text: &str, lengths: [usize; N]) -> Option<[u32; N]> {
    let is_long_enough = text.len() == lengths.iter().sum::<usize>();
    if !is_long_enough || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut rest = text;
    let mut found = [0; N];
    for (number, length) in found.iter_mut().zip(lengths) {
        let (digits, others) = rest.split_at(length);
        *number = digits.parse().ok()?;
        rest = others;
    }
    Some(found)
}

/// A local time, or the date of an all-day event (`true`), as iCalendar writes it.
pub(super) struct Written(pub NaiveDateTime, pub bool);

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = if self.1 { "%Y%m%d" } else { "%Y%m%dT%H%M%S" };
        write!(formatter, "{}", self.0.format(shape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let read = |text| ReadTime::parse(text).map(|read| (read.date.to_string(), read.time, read.is_utc));
        let evening = NaiveTime::from_hms_opt(19, 30, 0);
        assert_eq!(read("20270105"), Some(("2027-01-05".to_owned(), None, false)));
        assert_eq!(read("20270105T193000"), Some(("2027-01-05".to_owned(), evening, false)));
        assert_eq!(read("20270105t193000z"), Some(("2027-01-05".to_owned(), evening, true)));
        for text in [
            "",
            "Z",
            "2027",
            "2027-01-05",
            "20270105Z",
            "20270230",
            "20270105T",
            "20270105T1930",
            "20270105T240000",
            "20270105T193060",
            "00000105",
            "+2270105",
            "2027010é",
            "20270105T193000+01",
            "20270105T193000ZZ",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn local_times() {
        let zone = |name| Zone::parse(name).expect("a zone");
        let (berlin, tokyo) = (zone("Europe/Berlin"), zone("Asia/Tokyo"));
        let local = |text, written_in| {
            let read = ReadTime::parse(text).expect("a time");
            read.to_local(&berlin, written_in).map(|local| local.to_string())
        };
        assert_eq!(local("20270105T193000", None).as_deref(), Some("2027-01-05 19:30:00"));
        assert_eq!(local("20270105T193000Z", None).as_deref(), Some("2027-01-05 20:30:00"));
        assert_eq!(
            local("20270705T193000Z", Some(&tokyo)).as_deref(),
            Some("2027-07-05 21:30:00")
        );
        assert_eq!(
            local("20270105T193000", Some(&tokyo)).as_deref(),
            Some("2027-01-05 11:30:00")
        );
        assert_eq!(
            local("20270105T193000", Some(&berlin)).as_deref(),
            Some("2027-01-05 19:30:00")
        );
        assert_eq!(local("99991231T235959Z", None), None);
        assert_eq!(local("20270105", None), None);
    }
}
