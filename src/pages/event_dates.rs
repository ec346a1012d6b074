//! The dates of an event as text, in the event's time zone.

use chrono::{Datelike, NaiveDateTime, TimeDelta};

use crate::views::event::EventView;

/// The dates of an event.
pub(super) struct EventDates {
    pub start: TimeElement,
    /// `None` if the event starts and ends at the same time, or lasts one whole day.
    pub end: Option<TimeElement>,
    /// The label of the time zone; empty for all-day events.
    pub zone: String,
}

/// The content of an HTML `time` element.
pub(super) struct TimeElement {
    pub text: String,
    /// Machine-readable: RFC 3339, or the date of an all-day event.
    pub datetime: String,
}

const DATE: &str = "%A, %-d %B";
const DATE_WITH_YEAR: &str = "%A, %-d %B %Y";
const TIME: &str = "%H:%M";

impl EventDates {
    pub(super) fn of(event: &EventView) -> Self {
        let (start, end) = (parse_local(&event.start_date), parse_local(&event.end_date));
        let (starts_at, ends_at) = match event.all_day {
            true => (start.format("%F").to_string(), end.format("%F").to_string()),
            false => (event.starts_at.clone(), event.ends_at.clone()),
        };
        let (start, end) = date_range(start, end, event.all_day);
        Self {
            start: TimeElement::new(start, starts_at),
            end: end.map(|end| TimeElement::new(end, ends_at)),
            zone: match event.all_day {
                true => String::new(),
                false => zone_label(&event.timezone),
            },
        }
    }
}

impl TimeElement {
    fn new(text: String, datetime: String) -> Self {
        Self { text, datetime }
    }
}

/// The date of an event in a list, shown as a tile with day and month, and the time beside it.
pub(super) struct DateTile {
    pub day: String,
    pub month: String,
    /// Empty for the current year.
    pub year: String,
    pub datetime: String,
    /// The day of the week and the time, or the end of a longer event.
    pub time: String,
}

impl DateTile {
    /// `year` is the current year.
    pub(super) fn of(event: &EventView, year: i32) -> Self {
        let (start, end) = (parse_local(&event.start_date), parse_local(&event.end_date));
        Self {
            day: start.day().to_string(),
            month: start.format("%b").to_string(),
            year: match start.year() == year {
                true => String::new(),
                false => start.year().to_string(),
            },
            datetime: start.format("%F").to_string(),
            time: tile_time(start, end, event.all_day, year),
        }
    }
}

/// The text beside a tile.
fn tile_time(start: NaiveDateTime, end: NaiveDateTime, all_day: bool, year: i32) -> String {
    let is_same_day = start.date() == end.date();
    let is_overnight = !all_day && end - start < TimeDelta::days(1);
    if !is_same_day && !is_overnight {
        let format = if end.year() == year { DATE } else { DATE_WITH_YEAR };
        return format!("until {}", end.format(format));
    }
    let weekday = start.format("%A");
    match (all_day, start == end) {
        (true, _) => format!("{weekday}, all day"),
        (false, true) => format!("{weekday}, {}", start.format(TIME)),
        (false, false) => {
            let (start, end) = (start.format(TIME), end.format(TIME));
            format!("{weekday}, {start} – {end}")
        }
    }
}

/// The texts of start and end. A year or day that both share appears once.
fn date_range(start: NaiveDateTime, end: NaiveDateTime, all_day: bool) -> (String, Option<String>) {
    let is_same_day = start.date() == end.date();
    let is_same_year = start.year() == end.year();
    let first = if is_same_year && !is_same_day {
        DATE
    } else {
        DATE_WITH_YEAR
    };
    let (first, last) = (start.format(first), end.format(DATE_WITH_YEAR));
    let (from, to) = (start.format(TIME), end.format(TIME));
    match (all_day, is_same_day) {
        (true, true) => (first.to_string(), None),
        (true, false) => (first.to_string(), Some(last.to_string())),
        (false, true) => (format!("{first}, {from}"), (start != end).then(|| to.to_string())),
        (false, false) => (format!("{first}, {from}"), Some(format!("{last}, {to}"))),
    }
}

/// Parses a date in the format of the views.
fn parse_local(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%F %T").unwrap_or_default()
}

/// "Europe/Berlin time" for a named zone, and "UTC+2" for an offset.
fn zone_label(zone: &str) -> String {
    match zone.contains('/') {
        true => format!("{} time", zone.replace('_', " ")),
        false => zone.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of_range(start: &str, end: &str, all_day: bool) -> String {
        match date_range(parse_local(start), parse_local(end), all_day) {
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
            assert_eq!(text_of_range(start, end, all_day), expected);
        }
    }

    #[test]
    fn tile_times() {
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
            assert_eq!(tile_time(parse_local(start), parse_local(end), all_day, 2027), expected);
        }
    }

    #[test]
    fn zone_labels() {
        assert_eq!(zone_label("America/New_York"), "America/New York time");
        assert_eq!(zone_label("UTC+5:30"), "UTC+5:30");
    }
}
