//! Dates relative to now: `tomorrow 9am`, `next monday`, `+1 week 2 days`.
//!
//! `parse_datetime` parses and calculates them. It follows GNU `date`, which also accepts bare numbers, military time
//! zones and comments, so a small grammar is checked first. The meaning is that of PHP, which clients of event
//! calendars expect: a word that names a day means its midnight.

use chrono::{Datelike, NaiveDateTime, NaiveTime, Weekday};
use jiff::tz::TimeZone;

use super::jiff_conversion::{from_jiff, to_jiff};

/// The maximum shift, in years. Keeps results within the years 1 to 9999.
const MAX_SHIFT_YEARS: i32 = 1000;

/// A validated relative date: it can be resolved at any current time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelativeDate {
    /// Accepted by the grammar, in lower case, separated by single spaces.
    text: String,
    from_midnight: bool,
    has_time: bool,
}

/// A token of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Now,
    /// today, tomorrow, yesterday
    Day,
    Weekday,
    /// next, last
    NextOrLast,
    /// An amount with a sign
    SignedAmount,
    /// An amount without a sign, which shifts forward
    UnsignedAmount,
    /// day, week, month, year
    DateUnit,
    /// second, minute, hour
    TimeUnit,
    Ago,
    /// 9am, 10:00
    TimeOfDay,
}

impl RelativeDate {
    /// Parses a relative date, ignoring case. `None` for any other text.
    pub(super) fn parse(text: &str) -> Option<RelativeDate> {
        let words: Vec<String> = text.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let tokens: Vec<Token> = words.iter().map(|word| Token::of(word)).collect::<Option<_>>()?;
        if !is_well_formed(&tokens) {
            return None;
        }
        let from_midnight = tokens.contains(&Token::Day) || tokens.contains(&Token::Weekday);
        let has_time = !from_midnight || tokens.contains(&Token::TimeOfDay) || tokens.contains(&Token::TimeUnit);
        let relative = RelativeDate {
            text: words.join(" "),
            from_midnight,
            has_time,
        };
        relative.is_in_range().then_some(relative)
    }

    /// Whether the text has a time of day, or is relative to the current one.
    pub(crate) fn has_time(&self) -> bool {
        self.has_time
    }

    /// Whether the text is relative to a day that it names, rather than to the current time.
    pub(crate) fn names_day(&self) -> bool {
        self.from_midnight
    }

    /// Resolves the date relative to the local time `now`. Whole seconds.
    ///
    /// Calculates on the wall clock: a day later has the same time of day, regardless of clock changes. Returns `now`
    /// if the result is out of range, which only an absurd clock causes.
    pub(crate) fn resolve(&self, now: NaiveDateTime) -> NaiveDateTime {
        self.shift(now).unwrap_or(now)
    }

    fn shift(&self, now: NaiveDateTime) -> Option<NaiveDateTime> {
        let base = if self.from_midnight {
            now.date().and_time(NaiveTime::MIN)
        } else {
            now
        };
        // UTC has no clock changes, so this is wall clock arithmetic.
        let base = to_jiff(base)?.to_zoned(TimeZone::UTC).ok()?;
        let shifted = parse_datetime::parse_datetime_at_date(base, &self.text).ok()?;
        from_jiff(shifted.into_zoned()?.datetime())
    }

    /// Whether [`RelativeDate::resolve`] stays in range at any plausible current time.
    fn is_in_range(&self) -> bool {
        const YEAR: i32 = 5000;
        let middle = chrono::NaiveDate::from_yo_opt(YEAR, 1).map(|date| date.and_time(NaiveTime::MIN));
        middle
            .and_then(|middle| self.shift(middle))
            .is_some_and(|shifted| (shifted.year() - YEAR).abs() <= MAX_SHIFT_YEARS)
    }
}

impl Token {
    fn of(word: &str) -> Option<Token> {
        match word {
            "now" => return Some(Token::Now),
            "today" | "tomorrow" | "yesterday" => return Some(Token::Day),
            "next" | "last" => return Some(Token::NextOrLast),
            "ago" => return Some(Token::Ago),
            _ => {}
        }
        match word.strip_suffix('s').unwrap_or(word) {
            "day" | "week" | "month" | "year" => return Some(Token::DateUnit),
            "second" | "minute" | "hour" => return Some(Token::TimeUnit),
            _ => {}
        }
        if word.parse::<Weekday>().is_ok() {
            return Some(Token::Weekday);
        }
        if is_amount(word) {
            return Some(Token::UnsignedAmount);
        }
        if word.strip_prefix(['+', '-']).is_some_and(is_amount) {
            return Some(Token::SignedAmount);
        }
        is_time(word).then_some(Token::TimeOfDay)
    }
}

/// Whether PHP and GNU `date` give these tokens the same meaning.
///
/// They differ on `1 week 2 days ago`: PHP subtracts both amounts, GNU only the days.
fn is_well_formed(tokens: &[Token]) -> bool {
    use Token::{Ago, DateUnit, Day, NextOrLast, Now, SignedAmount, TimeOfDay, TimeUnit, UnsignedAmount, Weekday};
    let shifts = match tokens {
        [UnsignedAmount, DateUnit | TimeUnit, Ago] | [NextOrLast, DateUnit | TimeUnit] => return true,
        [] => return false,
        [NextOrLast, Weekday, TimeOfDay, shifts @ ..] => shifts,
        [NextOrLast, Weekday, shifts @ ..] => shifts,
        [Day | Weekday, TimeOfDay, shifts @ ..] => shifts,
        [Now | Day | Weekday, shifts @ ..] => shifts,
        shifts => shifts,
    };
    shifts
        .chunks(2)
        .all(|shift| matches!(shift, [SignedAmount | UnsignedAmount, DateUnit | TimeUnit]))
}

fn is_amount(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the word has the format of a time of day: `9am`, `9:30pm`, `10:00`, `10:00:30`.
fn is_time(word: &str) -> bool {
    let twelve_hour = word.strip_suffix("am").or(word.strip_suffix("pm"));
    let mut parts = twelve_hour.unwrap_or(word).split(':');
    let is_hour = parts.next().is_some_and(|hour| is_amount(hour) && hour.len() <= 2);
    let rest: Vec<&str> = parts.collect();
    is_hour
        && (twelve_hour.is_some() || !rest.is_empty())
        && rest.len() <= 2
        && rest.iter().all(|part| is_amount(part) && part.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    /// Resolves `text` on Wednesday, 3 March 2027, at 14:15:16.
    fn resolve(text: &str) -> (String, bool) {
        let relative = RelativeDate::parse(text).unwrap_or_else(|| panic!("rejected: {text}"));
        let resolved = relative.resolve(local("2027-03-03 14:15:16"));
        (resolved.to_string(), relative.has_time())
    }

    #[test]
    fn day_words_mean_midnight() {
        for (text, expected) in [
            ("today", "2027-03-03 00:00:00"),
            ("tomorrow", "2027-03-04 00:00:00"),
            ("Yesterday", "2027-03-02 00:00:00"),
            ("monday", "2027-03-08 00:00:00"),
            ("WED", "2027-03-03 00:00:00"),
            ("next wednesday", "2027-03-10 00:00:00"),
            ("next monday", "2027-03-08 00:00:00"),
            ("last friday", "2027-02-26 00:00:00"),
            ("last wednesday", "2027-02-24 00:00:00"),
            ("tomorrow +1 week", "2027-03-11 00:00:00"),
            ("monday +1 week", "2027-03-15 00:00:00"),
            ("today -2 months", "2027-01-03 00:00:00"),
        ] {
            assert_eq!(resolve(text), (expected.to_owned(), false), "{text}");
        }
    }

    #[test]
    fn day_with_time_of_day() {
        for (text, expected) in [
            ("tomorrow 9am", "2027-03-04 09:00:00"),
            ("tomorrow 12am", "2027-03-04 00:00:00"),
            ("tomorrow 12pm", "2027-03-04 12:00:00"),
            ("yesterday 10:00", "2027-03-02 10:00:00"),
            ("today 9:30PM", "2027-03-03 21:30:00"),
            ("next monday 10:00:30", "2027-03-08 10:00:30"),
            ("friday 8:05", "2027-03-05 08:05:00"),
            ("tomorrow 10:00 +1 day", "2027-03-05 10:00:00"),
            ("tomorrow 10:00 -2 days", "2027-03-02 10:00:00"),
            ("tomorrow +2 hours", "2027-03-04 02:00:00"),
        ] {
            assert_eq!(resolve(text), (expected.to_owned(), true), "{text}");
        }
    }

    #[test]
    fn shifts_keep_time_of_day() {
        for (text, expected) in [
            ("now", "2027-03-03 14:15:16"),
            ("+1 day", "2027-03-04 14:15:16"),
            ("1 day", "2027-03-04 14:15:16"),
            ("-2 weeks", "2027-02-17 14:15:16"),
            ("+1 week 2 days", "2027-03-12 14:15:16"),
            ("+1 WEEK  -2 days", "2027-03-08 14:15:16"),
            ("3 days ago", "2027-02-28 14:15:16"),
            ("now +90 minutes", "2027-03-03 15:45:16"),
            ("-30 seconds", "2027-03-03 14:14:46"),
            ("next week", "2027-03-10 14:15:16"),
            ("last year", "2026-03-03 14:15:16"),
            ("+11 months", "2028-02-03 14:15:16"),
        ] {
            assert_eq!(resolve(text), (expected.to_owned(), true), "{text}");
        }
    }

    #[test]
    fn ambiguous_phrases_are_rejected() {
        for text in [
            "",
            "1",
            "+1",
            "@12",
            "10:00",
            "9am",
            "noon",
            "midnight",
            "day",
            "ago",
            "next",
            "a",
            "next day ago",
            "day ago",
            "-3 days ago",
            "1 week 2 days ago",
            "1 monday",
            "now today",
            "today tomorrow",
            "tomorrow monday",
            "now 10:00",
            "10:00 tomorrow",
            "tomorrow 9",
            "tomorrow 25:00",
            "tomorrow 24:00",
            "tomorrow 13pm",
            "tomorrow 0am",
            "tomorrow 9:5",
            "tomorrow 10:60",
            "tomorrow 10:00:60",
            "tomorrow 010:00",
            "tomorrow am",
            "monday next week",
            "tomorrow 10:00 UTC",
            "(x) now",
            "+ 1 day",
            "+1day",
            "+-1 day",
            "+1.5 days",
            "+1 fortnight",
            "+1 dayss",
            "next next monday",
            "heute",
            "ｎow",
            "+١ day",
            "+1001 years",
            "+99999999999999999999 days",
            "-9999 years",
            "+999 years +999 years",
        ] {
            assert_eq!(RelativeDate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn clock_out_of_range() {
        let relative = RelativeDate::parse("+1 day").unwrap();
        assert_eq!(relative.resolve(NaiveDateTime::MAX), NaiveDateTime::MAX);
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "[-+0-9a-z: ]{0,24}") {
            let _ = RelativeDate::parse(&text);
        }

        #[test]
        fn day_shifts_match_chrono(days in -9999..=9999_i64, second in 0..4_000_000_000_i64) {
            let now = chrono::DateTime::from_timestamp(second, 0).unwrap().naive_utc();
            let relative = RelativeDate::parse(&format!("{days:+} days")).unwrap();
            prop_assert_eq!(relative.resolve(now), now + chrono::TimeDelta::days(days));
        }
    }
}
