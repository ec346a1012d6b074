//! Dates as text, in each language.

use std::ops::Range;

use chrono::{Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike};

use super::texts::{Texts, zone_label};
use crate::{config::Language, views::event::EventView};

/// "Friday, 7 May", or with the year.
pub(super) fn date(language: Language, date: NaiveDate, with_year: bool) -> String {
    let texts = Texts::of(language);
    let weekday = texts.weekday_names[weekday(date)];
    let month = texts.month_names[date.month0() as usize];
    let (day, year) = (date.day(), date.year());
    match (language, with_year) {
        (Language::En, false) => format!("{weekday}, {day} {month}"),
        (Language::En, true) => format!("{weekday}, {day} {month} {year}"),
        (Language::Es, false) => format!("{weekday}, {day} de {month}"),
        (Language::Es, true) => format!("{weekday}, {day} de {month} de {year}"),
    }
}

/// "May 2027", capitalised, as in headings.
pub(super) fn month(language: Language, date: NaiveDate) -> String {
    let name = Texts::of(language).month_names[date.month0() as usize];
    let year = date.year();
    match language {
        Language::En => format!("{name} {year}"),
        Language::Es => capitalised(&format!("{name} de {year}")),
    }
}

/// The text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// The day of the week: 0 for Monday.
pub(super) fn weekday(date: NaiveDate) -> usize {
    date.weekday().num_days_from_monday() as usize
}

/// Parses a date in the format of the views, `YYYY-MM-DD HH:MM:SS`. Lists parse dozens, and format strings take longer.
pub(super) fn parse_local(text: &str) -> NaiveDateTime {
    let number = |range: Range<usize>| text.get(range)?.parse::<u32>().ok();
    let parse = || {
        let year = i32::try_from(number(0..4)?).ok()?;
        let date = NaiveDate::from_ymd_opt(year, number(5..7)?, number(8..10)?)?;
        date.and_hms_opt(number(11..13)?, number(14..16)?, number(17..19)?)
    };
    parse().unwrap_or_default()
}

/// `19:30`.
fn time_of_day(time: NaiveDateTime) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

/// The dates of an event.
pub(super) struct EventDates {
    pub start: TimeElement,
    /// `None` if the event starts and ends at the same time, or lasts one whole day.
    pub end: Option<TimeElement>,
    /// The label of the time zone, if it is not that of the site; empty for all-day events.
    pub zone: String,
    pub all_day: bool,
}

/// The content of an HTML `time` element.
pub(super) struct TimeElement {
    pub text: String,
    /// Machine-readable: RFC 3339, or the date of an all-day event.
    pub datetime: String,
}

impl EventDates {
    /// `site` is the name of the site's time zone.
    pub(super) fn of(language: Language, event: &EventView, site: &str) -> Self {
        let (start, end) = (
            parse_local(&event.fields.start_date),
            parse_local(&event.fields.end_date),
        );
        let (starts_at, ends_at) = match event.fields.all_day {
            true => (start.format("%F").to_string(), end.format("%F").to_string()),
            false => (event.fields.starts_at.clone(), event.fields.ends_at.clone()),
        };
        let (start, end) = date_range(language, start, end, event.fields.all_day);
        Self {
            start: TimeElement::new(start, starts_at),
            end: end.map(|end| TimeElement::new(end, ends_at)),
            zone: foreign_zone(language, event, site),
            all_day: event.fields.all_day,
        }
    }
}

impl TimeElement {
    fn new(text: String, datetime: String) -> Self {
        Self { text, datetime }
    }
}

/// The label of the event's time zone, if its times are not those of the site.
pub(super) fn foreign_zone(language: Language, event: &EventView, site: &str) -> String {
    match event.fields.all_day || event.fields.timezone == site {
        true => String::new(),
        false => zone_label(language, &event.fields.timezone),
    }
}

/// The time of an event beside the tile with its date, or the end of a longer event. `year` is the current year.
pub(super) fn tile_time(
    language: Language,
    (start, end): (NaiveDateTime, NaiveDateTime),
    all_day: bool,
    year: i32,
) -> String {
    let is_same_day = start.date() == end.date();
    let is_overnight = !all_day && end - start < TimeDelta::days(1);
    if !is_same_day && !is_overnight {
        let end = date(language, end.date(), end.year() != year);
        return match language {
            Language::En => format!("until {end}"),
            Language::Es => format!("hasta el {end}"),
        };
    }
    let texts = Texts::of(language);
    let weekday = capitalised(texts.weekday_names[weekday(start.date())]);
    match (all_day, start == end) {
        (true, _) => format!("{weekday}, {}", texts.all_day),
        (false, true) => format!("{weekday}, {}", time_of_day(start)),
        (false, false) => {
            let (start, end) = (time_of_day(start), time_of_day(end));
            format!("{weekday}, {start} – {end}")
        }
    }
}

/// The texts of start and end. A year or day that both share appears once.
fn date_range(language: Language, start: NaiveDateTime, end: NaiveDateTime, all_day: bool) -> (String, Option<String>) {
    let is_same_day = start.date() == end.date();
    let is_same_year = start.year() == end.year();
    let first = capitalised(&date(language, start.date(), !is_same_year || is_same_day));
    let last = date(language, end.date(), true);
    let (from, to) = (time_of_day(start), time_of_day(end));
    match (all_day, is_same_day) {
        (true, true) => (first, None),
        (true, false) => (first, Some(last)),
        (false, true) => (format!("{first}, {from}"), (start != end).then_some(to)),
        (false, false) => (format!("{first}, {from}"), Some(format!("{last}, {to}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of_range(language: Language, start: &str, end: &str, all_day: bool) -> String {
        match date_range(language, parse_local(start), parse_local(end), all_day) {
            (start, Some(end)) => format!("{start} – {end}"),
            (start, None) => start,
        }
    }

    #[test]
    fn date_range_texts() {
        for (start, end, all_day, expected) in [
            (
                "2027-05-07 19:30:00",
                "2027-05-07 22:00:00",
                false,
                "Friday, 7 May 2027, 19:30 – 22:00",
            ),
            (
                "2027-05-07 19:30:00",
                "2027-05-07 19:30:00",
                false,
                "Friday, 7 May 2027, 19:30",
            ),
            (
                "2027-05-07 22:00:00",
                "2027-05-08 02:00:00",
                false,
                "Friday, 7 May, 22:00 – Saturday, 8 May 2027, 02:00",
            ),
            ("2027-05-07 00:00:00", "2027-05-07 23:59:59", true, "Friday, 7 May 2027"),
            (
                "2027-05-07 00:00:00",
                "2027-05-09 23:59:59",
                true,
                "Friday, 7 May – Sunday, 9 May 2027",
            ),
            (
                "2027-12-31 00:00:00",
                "2028-01-01 23:59:59",
                true,
                "Friday, 31 December 2027 – Saturday, 1 January 2028",
            ),
        ] {
            assert_eq!(text_of_range(Language::En, start, end, all_day), expected);
        }
        let spanish = text_of_range(Language::Es, "2027-05-07 22:00:00", "2027-05-08 02:00:00", false);
        assert_eq!(spanish, "Viernes, 7 de mayo, 22:00 – sábado, 8 de mayo de 2027, 02:00");
    }

    #[test]
    fn parse_local_dates() {
        let parsed = parse_local("2027-05-07 19:30:05");
        assert_eq!(parsed.to_string(), "2027-05-07 19:30:05");
        assert_eq!(parse_local("0001-01-01 00:00:00").year(), 1);
        for text in ["", "2027-05-07", "2027-13-07 19:30:05"] {
            assert_eq!(parse_local(text), NaiveDateTime::default(), "{text}");
        }
    }

    #[test]
    fn tile_times() {
        let text =
            |language, start, end, all_day| tile_time(language, (parse_local(start), parse_local(end)), all_day, 2027);
        for (start, end, all_day, expected) in [
            (
                "2027-05-07 19:30:00",
                "2027-05-07 22:00:00",
                false,
                "Friday, 19:30 – 22:00",
            ),
            (
                "2027-05-07 22:00:00",
                "2027-05-08 02:00:00",
                false,
                "Friday, 22:00 – 02:00",
            ),
            ("2027-05-07 19:30:00", "2027-05-07 19:30:00", false, "Friday, 19:30"),
            ("2027-05-07 00:00:00", "2027-05-07 23:59:59", true, "Friday, all day"),
            (
                "2027-05-07 00:00:00",
                "2027-05-08 23:59:59",
                true,
                "until Saturday, 8 May",
            ),
            (
                "2027-05-07 10:00:00",
                "2028-01-09 18:00:00",
                false,
                "until Sunday, 9 January 2028",
            ),
        ] {
            assert_eq!(text(Language::En, start, end, all_day), expected);
        }
        let spanish = text(Language::Es, "2027-05-07 10:00:00", "2028-01-09 18:00:00", false);
        assert_eq!(spanish, "hasta el domingo, 9 de enero de 2028");
        let spanish = text(Language::Es, "2027-05-07 00:00:00", "2027-05-07 23:59:59", true);
        assert_eq!(spanish, "Viernes, todo el día");
    }

    #[test]
    fn months() {
        let date = NaiveDate::from_ymd_opt(2027, 5, 1).expect("a date");
        assert_eq!(month(Language::En, date), "May 2027");
        assert_eq!(month(Language::Es, date), "Mayo de 2027");
    }
}
