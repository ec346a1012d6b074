//! Dates, times and flags in tables.

use chrono::{Datelike, NaiveDate, NaiveTime};
use clap::ValueEnum;

/// The order of day, month and year in dates that are not in ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DateOrder {
    /// Month, day, year: 3/31/2027
    Mdy,
    /// Day, month, year: 31.3.2027
    Dmy,
}

impl DateOrder {
    /// What a date in this order looks like.
    pub(super) fn expected(order: Option<Self>) -> &'static str {
        match order {
            None => {
                "is not a date such as 2027-03-31; --date-order mdy or dmy accepts dates such as 3/31/2027 or 31.3.2027"
            }
            Some(Self::Mdy) => "is not a date such as 3/31/2027 or 2027-03-31",
            Some(Self::Dmy) => "is not a date such as 31.3.2027 or 2027-03-31",
        }
    }
}

/// Parses a date. Without an order, only ISO 8601 is accepted: a guess would be wrong for half of the world.
pub(super) fn date(text: &str, order: Option<DateOrder>) -> Option<NaiveDate> {
    // Two digits would have to be guessed, and more than four can't be stored.
    let has_four_digits = |year: i32| (1000..=9999).contains(&year);
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date).filter(|date| has_four_digits(date.year()));
    }
    let parts: Vec<u32> = text
        .split(['/', '.', '-'])
        .map(|part| part.trim().parse().ok())
        .collect::<Option<_>>()?;
    let [first, second, year] = parts[..] else {
        return None;
    };
    let (month, day) = match order? {
        DateOrder::Mdy => (first, second),
        DateOrder::Dmy => (second, first),
    };
    let year = i32::try_from(year).ok().filter(|year| has_four_digits(*year))?;
    NaiveDate::from_ymd_opt(year, month, day)
}

/// What a time looks like.
pub(super) const TIME: &str = "is not a time such as 19:30, 19:30:00 or 7:30 PM";

/// Parses a time of 24 or 12 hours.
pub(super) fn time(text: &str) -> Option<NaiveTime> {
    let lower = text.to_ascii_lowercase().replace('.', "");
    let (clock, half) = match lower.strip_suffix("am") {
        Some(clock) => (clock, Some(0)),
        None => match lower.strip_suffix("pm") {
            Some(clock) => (clock, Some(12)),
            None => (lower.as_str(), None),
        },
    };
    let is_number = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = clock.trim().split(':').collect();
    if !parts.iter().all(is_number) || parts.len() > 3 || (half.is_none() && parts.len() < 2) {
        return None;
    }
    let part = |index: usize| parts.get(index).map_or(Some(0), |part| part.parse::<u32>().ok());
    let hour = match (part(0)?, half) {
        (hour @ 1..=12, Some(half)) => hour % 12 + half,
        (_, Some(_)) => return None,
        (hour, None) => hour,
    };
    NaiveTime::from_hms_opt(hour, part(1)?, part(2)?)
}

/// Whether a flag is set, by the rule of The Events Calendar.
pub(super) fn flag(text: &str) -> bool {
    ["yes", "true", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_order() {
        let march = NaiveDate::from_ymd_opt(2027, 3, 31);
        for (text, order, expected) in [
            ("2027-03-31", None, march),
            ("2027-03-31", Some(DateOrder::Dmy), march),
            ("3/31/2027", Some(DateOrder::Mdy), march),
            ("31.3.2027", Some(DateOrder::Dmy), march),
            ("31-03-2027", Some(DateOrder::Dmy), march),
            ("3/31/2027", None, None),
            ("31.3.2027", Some(DateOrder::Mdy), None),
            ("31.3.27", Some(DateOrder::Dmy), None),
            ("soon", Some(DateOrder::Dmy), None),
            ("2027-02-29", None, None),
            ("27-03-31", None, None),
            ("27-03-31", Some(DateOrder::Dmy), None),
            ("+262142-12-31", None, None),
        ] {
            assert_eq!(date(text, order), expected, "{text} {order:?}");
        }
    }

    #[test]
    fn times_of_both_clocks() {
        for (text, expected) in [
            ("19:30", NaiveTime::from_hms_opt(19, 30, 0)),
            ("7:30 PM", NaiveTime::from_hms_opt(19, 30, 0)),
            ("7pm", NaiveTime::from_hms_opt(19, 0, 0)),
            ("12:15 a.m.", NaiveTime::from_hms_opt(0, 15, 0)),
            ("12 pm", NaiveTime::from_hms_opt(12, 0, 0)),
            ("09:05:06", NaiveTime::from_hms_opt(9, 5, 6)),
            ("13:00 PM", None),
            ("24:00", None),
            ("7", None),
            ("", None),
            ("7:3x", None),
        ] {
            assert_eq!(time(text), expected, "{text}");
        }
    }

    #[test]
    fn flags() {
        for set in ["Yes", "TRUE", "1"] {
            assert!(flag(set), "{set}");
        }
        for unset in ["no", "", "on", "0"] {
            assert!(!flag(unset), "{unset}");
        }
    }
}
