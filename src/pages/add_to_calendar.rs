//! The ways to add an event to one's own calendar.

use chrono::{NaiveDateTime, TimeDelta};

use super::{
    calendar::{Link, subscribe::with_parameters},
    dates::parse_local,
    layout::Layout,
};
use crate::views::{event::EventView, venue::name_and_address};

/// Links to the event's iCalendar file, and to forms of Google Calendar and Outlook with its dates.
pub(super) fn links(layout: &Layout, event: &EventView) -> Vec<Link> {
    let (start, end) = (
        parse_local(&event.fields.start_date),
        parse_local(&event.fields.end_date),
    );
    let place = event.venue.first().map(|venue| name_and_address(venue));
    let place = place.unwrap_or_default();
    let url = &event.fields.common.url;
    let google = [
        ("action", "TEMPLATE"),
        ("text", &event.fields.title),
        ("dates", &google_dates(start, end, event.fields.all_day)),
        ("ctz", &event.fields.timezone),
        ("location", &place),
        ("details", url),
    ];
    let (starts_at, ends_at) = match event.fields.all_day {
        true => (start.format("%F").to_string(), day_after(end).format("%F").to_string()),
        false => (event.fields.starts_at.clone(), event.fields.ends_at.clone()),
    };
    let outlook = [
        ("subject", event.fields.title.as_str()),
        ("startdt", &starts_at),
        ("enddt", &ends_at),
        ("allday", if event.fields.all_day { "true" } else { "false" }),
        ("location", &place),
        ("body", url),
    ];
    let link = |label: &str, url| Link {
        label: label.to_owned(),
        url,
    };
    vec![
        link(layout.texts.calendar_file, format!("{url}.ics?download")),
        link(
            "Google Calendar",
            with_parameters("https://calendar.google.com/calendar/render", &google),
        ),
        link(
            "Outlook",
            with_parameters("https://outlook.live.com/calendar/0/deeplink/compose", &outlook),
        ),
    ]
}

/// Local times, or days of which the last one is exclusive.
fn google_dates(start: NaiveDateTime, end: NaiveDateTime, all_day: bool) -> String {
    match all_day {
        true => format!("{}/{}", start.format("%Y%m%d"), day_after(end).format("%Y%m%d")),
        false => format!("{}/{}", start.format("%Y%m%dT%H%M%S"), end.format("%Y%m%dT%H%M%S")),
    }
}

fn day_after(date: NaiveDateTime) -> NaiveDateTime {
    date.checked_add_signed(TimeDelta::days(1)).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_for_google() {
        for (start, end, all_day, expected) in [
            (
                "2027-05-07 19:30:00",
                "2027-05-07 22:00:00",
                false,
                "20270507T193000/20270507T220000",
            ),
            ("2027-05-07 00:00:00", "2027-05-09 23:59:59", true, "20270507/20270510"),
        ] {
            assert_eq!(google_dates(parse_local(start), parse_local(end), all_day), expected);
        }
    }
}
