//! VEVENT (RFC 5545, section 3.6.1; RFC 7986).

use super::{
    text::ContentLines,
    time_zone::{CalendarZones, date, date_time, tzid},
};
use crate::{
    calendar::{
        date::instant_at,
        event_status::EventStatus,
        local_time::{EventTimes, LocalTime},
        uploads::image_media_type,
        zone::Zone,
    },
    feeds::{events::FeedEvent, linked::Linked, place},
    store::{calendar_uuid::event_uid, entity::event, publishable::PublishableRow},
    views::image::ImageView,
};

/// The properties that the events of a calendar share.
pub(super) struct EventContext<'a> {
    /// The UUID of the calendar.
    pub calendar: &'a str,
    pub zones: &'a CalendarZones,
    /// The site's zone.
    pub site: &'a Zone,
}

impl EventContext<'_> {
    /// Writes an event.
    pub(super) fn write(&self, lines: &mut ContentLines, event: &FeedEvent) {
        let uid = event_uid(self.calendar, &event.row);
        self.write_with(lines, &uid, event, |lines| self.write_times(lines, &event.row));
    }

    /// Writes an event with this identifier, whose times are written by `write_times`.
    pub(super) fn write_with(
        &self,
        lines: &mut ContentLines,
        uid: &str,
        event: &FeedEvent,
        write_times: impl FnOnce(&mut ContentLines),
    ) {
        let FeedEvent { row, linked, url } = event;
        let modified = utc(row.modified_at);
        lines.begin("VEVENT");
        lines.text("UID", uid);
        lines.value("DTSTAMP", &modified);
        lines.value("LAST-MODIFIED", &modified);
        lines.value("CREATED", &utc(row.published_at));
        lines.value("SEQUENCE", &row.version.to_string());
        write_times(lines);
        lines.text("SUMMARY", &row.title);
        write_description(lines, event);
        write_place(lines, linked);
        lines.value("URL", url);
        write_categories(lines, linked);
        if let Some(image) = &linked.image {
            write_image(lines, image);
        }
        for organizer in &linked.organizers {
            // ORGANIZER is the sender of an invitation, to which clients would reply.
            lines.text("CONTACT", &organizer.contact);
        }
        lines.value("STATUS", status(EventStatus::stored(&row.event_status)));
        lines.value("TRANSP", "TRANSPARENT");
        lines.value("CLASS", "PUBLIC");
        lines.end("VEVENT");
    }

    pub(super) fn write_times(&self, lines: &mut ContentLines, row: &event::Model) {
        let EventTimes { zone, start, end } = row.times(self.site);
        if row.all_day {
            lines.value("DTSTART;VALUE=DATE", &date(start.local.date()));
            // Exclusive.
            let end = end.local.date();
            lines.value("DTEND;VALUE=DATE", &date(end.succ_opt().unwrap_or(end)));
            return;
        }
        // An event without a duration has no DTEND, which must be later than DTSTART.
        let has_end = row.ends_at > row.starts_at;
        // A local time that occurs twice means the first one (section 3.3.5), but some readers take it for the second. It
        // is written in UTC.
        let is_understood = |time: LocalTime, instant: i64| {
            let is_unique = zone.overlap(time.local).is_none() && zone.to_instant(time.local) == instant_at(instant);
            is_unique && self.zones.contain(&zone, time.local)
        };
        if is_understood(start, row.starts_at) && is_understood(end, row.ends_at) {
            let tzid = tzid(&zone);
            lines.value(&format!("DTSTART;TZID={tzid}"), &date_time(start.local));
            if has_end {
                lines.value(&format!("DTEND;TZID={tzid}"), &date_time(end.local));
            }
        } else {
            lines.value("DTSTART", &utc(row.starts_at));
            if has_end {
                lines.value("DTEND", &utc(row.ends_at));
            }
        }
    }
}

/// The status (section 3.8.1.11). It has no value for events that are postponed or moved online.
fn status(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Canceled => "CANCELLED",
        EventStatus::Scheduled | EventStatus::Postponed | EventStatus::MovedOnline => "CONFIRMED",
    }
}

/// The plain text of the description, with the link as the last line, and the description as HTML.
fn write_description(lines: &mut ContentLines, event: &FeedEvent) {
    let FeedEvent { row, url, linked: _ } = event;
    let text = row.description_text();
    let description = match text.is_empty() {
        true => url.clone(),
        false => format!("{text}\n\n{url}"),
    };
    lines.text("DESCRIPTION", &description);
    if !row.description.is_empty() {
        lines.text("X-ALT-DESC;FMTTYPE=text/html", &row.description);
    }
}

/// The venues, and the position of the first one that has coordinates.
fn write_place(lines: &mut ContentLines, linked: &Linked) {
    if let Some(location) = place::location(&linked.places) {
        lines.text("LOCATION", &location);
    }
    if let Some((latitude, longitude)) = place::position(&linked.places) {
        lines.value("GEO", &format!("{latitude};{longitude}"));
    }
}

fn write_categories(lines: &mut ContentLines, linked: &Linked) {
    let terms = linked.categories.iter().chain(&linked.tags);
    let mut names: Vec<&str> = Vec::new();
    for name in terms.map(|term| term.name.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        lines.texts("CATEGORIES", names);
    }
}

/// The image, for readers of RFC 7986 and for those of RFC 5545.
fn write_image(lines: &mut ContentLines, image: &ImageView) {
    let media_type = image_media_type(&image.extension);
    let parameter = media_type.map_or_else(String::new, |media_type| format!(";FMTTYPE={media_type}"));
    lines.value(&format!("IMAGE;VALUE=URI;DISPLAY=BADGE{parameter}"), &image.url);
    lines.value(&format!("ATTACH{parameter}"), &image.url);
}

/// A date and time in UTC (section 3.3.5, form 2), from seconds since 1970 UTC.
pub(super) fn utc(second: i64) -> String {
    format!("{}Z", date_time(instant_at(second).naive_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start and the end of an event as written.
    fn times(zone: &str, start: &str, end: &str, change: impl FnOnce(&mut event::Model)) -> Vec<String> {
        let zone = Zone::parse(zone).unwrap();
        let [start, end] = [start, end].map(|text| {
            let local = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap();
            LocalTime::from_wall_clock(&zone, local)
        });
        let mut row = event::Model::default();
        row.set_times(&EventTimes { zone, start, end });
        change(&mut row);
        let mut zones = CalendarZones::default();
        zones.add(zone, [2027]);
        let context = EventContext {
            calendar: "",
            zones: &zones,
            site: &Zone::UTC,
        };
        let mut lines = ContentLines::default();
        context.write_times(&mut lines, &row);
        lines.take().lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_canceled_events_are_cancelled() {
        for event_status in EventStatus::ALL {
            let is_cancelled = status(event_status) == "CANCELLED";
            assert_eq!(is_cancelled, event_status == EventStatus::Canceled, "{event_status:?}");
        }
    }

    #[test]
    fn times_of_events() {
        let (start, end) = ("2027-05-07 19:30:00", "2027-05-07 22:00:00");
        for (zone, expected) in [
            (
                "Europe/Berlin",
                [
                    "DTSTART;TZID=Europe/Berlin:20270507T193000",
                    "DTEND;TZID=Europe/Berlin:20270507T220000",
                ],
            ),
            ("UTC", ["DTSTART:20270507T193000Z", "DTEND:20270507T220000Z"]),
            (
                "UTC-5",
                [
                    "DTSTART;TZID=UTC-0500:20270507T193000",
                    "DTEND;TZID=UTC-0500:20270507T220000",
                ],
            ),
        ] {
            assert_eq!(times(zone, start, end, |_| {}), expected, "{zone}");
        }
    }

    #[test]
    fn all_day_events_end_after_their_last_day() {
        let all_day = |row: &mut event::Model| row.all_day = true;
        let found = times("Europe/Berlin", "2027-05-07 00:00:00", "2027-05-09 23:59:59", all_day);
        assert_eq!(found, ["DTSTART;VALUE=DATE:20270507", "DTEND;VALUE=DATE:20270510"]);
    }

    #[test]
    fn event_without_duration_has_no_end() {
        let found = times("UTC", "2027-05-07 19:30:00", "2027-05-07 19:30:00", |_| {});
        assert_eq!(found, ["DTSTART:20270507T193000Z"]);
    }

    #[test]
    fn local_times_that_occur_twice_are_in_utc() {
        let (start, end) = ("2027-10-31 02:30:00", "2027-10-31 02:45:00");
        let first = times("Europe/Berlin", start, end, |_| {});
        assert_eq!(first, ["DTSTART:20271031T003000Z", "DTEND:20271031T004500Z"]);
        let second = times("Europe/Berlin", start, end, |row| {
            row.starts_at += 3600;
            row.ends_at += 3600;
            (row.starts_offset, row.ends_offset) = (Some(3600), Some(3600));
        });
        assert_eq!(second, ["DTSTART:20271031T013000Z", "DTEND:20271031T014500Z"]);
    }

    #[test]
    fn times_in_other_years_than_those_of_the_calendar_are_in_utc() {
        let found = times("Europe/Berlin", "2028-05-07 19:30:00", "2028-05-07 22:00:00", |_| {});
        assert_eq!(found, ["DTSTART:20280507T173000Z", "DTEND:20280507T200000Z"]);
    }
}
