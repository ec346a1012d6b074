//! Reads the events of iCalendar data, which may come from anywhere: limits protect memory and time.

use std::collections::HashSet;

use calcard::icalendar::{
    ICalendar, ICalendarClassification, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarStatus,
    ICalendarValue,
};
use chrono::NaiveDateTime;
use sha2::{Digest, Sha256};

use super::{
    super::{
        ImportError,
        fit::Fit,
        http::MAX_BODY,
        records::{MAX_UID, Times},
    },
    properties::{as_html, categories, image, organizer, other, position, text},
    recurrence,
    replacements::{Replaced, add_replacements},
    times::{When, times},
    zones::Zones,
};
use crate::calendar::{date::format_local, zone::Zone};

/// The maximum number of components. The parser keeps all of them in memory.
const MAX_COMPONENTS: usize = 100_000;

/// An event of a file.
#[derive(Debug)]
pub(super) struct FileEvent {
    /// The identifier, and the time of the occurrence that an event replaces.
    pub key: String,
    /// None for a replaced occurrence, which has the identifier of its series.
    pub uid: Option<String>,
    pub times: Times,
    /// The local start as written, which may be in a gap of the time zone.
    pub start: NaiveDateTime,
    pub title: String,
    /// HTML.
    pub description: String,
    pub location: String,
    pub position: Option<(f64, f64)>,
    /// The name and the email address of the organizer.
    pub organizer: Option<(String, String)>,
    pub categories: Vec<String>,
    pub website: String,
    pub image: String,
    pub is_canceled: bool,
    pub is_private: bool,
    /// Seconds since 1970 UTC.
    pub modified_at: Option<i64>,
    /// The lines of the rule by which the event repeats. None for a single event.
    pub recurrence: Option<String>,
    /// The events that replace those of the rule, with their places in it.
    pub overrides: Vec<(NaiveDateTime, FileEvent)>,
    pub notes: Vec<String>,
}

/// The events of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub events: Vec<FileEvent>,
    /// What is not imported.
    pub notes: Vec<String>,
}

/// Reads a file. Events with errors are left out, with a note.
pub(super) fn read(content: &[u8], site: Zone) -> Result<File, ImportError> {
    if content.len() > MAX_BODY {
        return Err(ImportError::Source(format!(
            "the file is larger than {} MB",
            MAX_BODY / 1024 / 1024
        )));
    }
    let text = String::from_utf8_lossy(content);
    let text = text.trim_start_matches(['\u{feff}', '\r', '\n', ' ']);
    let is_calendar = text
        .get(..15)
        .is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:VCALENDAR"));
    if !is_calendar {
        let hint = match text.trim_start().starts_with('<') {
            true => "it is an HTML page: the address may require a login",
            false => "it does not begin with BEGIN:VCALENDAR",
        };
        return Err(ImportError::Source(format!("this is no iCalendar data; {hint}")));
    }
    let begins = |line: &&str| line.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:"));
    if text.lines().filter(begins).count() > MAX_COMPONENTS {
        return Err(ImportError::Source(format!(
            "the file has more than {MAX_COMPONENTS} components"
        )));
    }
    let calendar = ICalendar::parse(text)
        .map_err(|_| ImportError::Source("the iCalendar data are incomplete or malformed".to_owned()))?;
    let zones = Zones::of(&calendar, site);
    let mut file = File::default();
    let mut replacements = Vec::new();
    let mut starts = Vec::new();
    let mut keys = HashSet::new();
    let mut others = 0;
    for component in &calendar.components {
        match component.component_type {
            ICalendarComponentType::VEvent => {}
            ICalendarComponentType::VTodo | ICalendarComponentType::VJournal => {
                others += 1;
                continue;
            }
            _ => continue,
        }
        match event(component, &zones) {
            Ok(read) if !keys.insert(read.event.key.clone()) => file.notes.push(format!(
                "{} occurs more than once; the first one is imported",
                read.event.key
            )),
            Ok(ReadEvent {
                event,
                replaces: Some(replaced),
                ..
            }) => replacements.push((replaced, event)),
            Ok(ReadEvent { event, start, .. }) => {
                starts.push(start);
                file.events.push(event);
            }
            Err(note) => file.notes.push(note),
        }
    }
    add_replacements(&mut file.events, &starts, replacements, &zones);
    if others > 0 {
        file.notes.push(format!(
            "{others} tasks and journal entries are not events, and are left out"
        ));
    }
    Ok(file)
}

struct ReadEvent {
    event: FileEvent,
    start: When,
    replaces: Option<Replaced>,
}

/// Reads an event. The error is a note.
fn event(component: &ICalendarComponent, zones: &Zones) -> Result<ReadEvent, String> {
    let mut fit = Fit::default();
    let title = text(component, &ICalendarProperty::Summary).unwrap_or_default();
    let title = fit.title("SUMMARY", title);
    let start = component
        .property(&ICalendarProperty::Dtstart)
        .and_then(|entry| When::read(entry, zones, &mut fit))
        .ok_or_else(|| format!("\"{title}\" has no start that can be understood, and is left out"))?;
    let replaced = component
        .property(&ICalendarProperty::RecurrenceId)
        .and_then(|entry| When::read(entry, zones, &mut fit));
    let recurrence = recurrence::lines(component, Some(start).filter(|_| replaced.is_none()), zones, &mut fit);
    let start = match recurrence {
        Some(_) => start.of_series(),
        None => start,
    };
    let times = times(component, start, zones, &mut fit);
    let sent_uid = component.uid().filter(|uid| !uid.trim().is_empty());
    let uid = match sent_uid {
        Some(uid) if uid.len() <= MAX_UID => uid.trim().to_owned(),
        Some(uid) => hash(uid),
        None => {
            fit.note("has no UID; one is made from its title and start, which therefore identify it");
            hash(&format!("{title}|{}", format_local(times.start.local)))
        }
    };
    let key = match replaced {
        Some(when) => format!("{uid} {}", when.instant(zones).format("%Y%m%dT%H%M%SZ")),
        None => uid.clone(),
    };
    let (uid, replaces) = match replaced {
        Some(when) => (None, Some(Replaced { uid, when })),
        None => (Some(uid), None),
    };
    let description = match other(component, "X-ALT-DESC").filter(|html| html.contains('<')) {
        Some(html) => html.to_owned(),
        None => as_html(text(component, &ICalendarProperty::Description).unwrap_or_default()),
    };
    let status = component.status();
    let class = component
        .property(&ICalendarProperty::Class)
        .and_then(|entry| entry.values.first());
    let event = FileEvent {
        key,
        uid,
        times,
        start: start.local(zones),
        title,
        description: fit.html("DESCRIPTION", &description),
        location: text(component, &ICalendarProperty::Location)
            .unwrap_or_default()
            .to_owned(),
        position: position(component),
        organizer: organizer(component, &mut fit),
        categories: categories(component, &mut fit),
        website: fit.url("URL", text(component, &ICalendarProperty::Url).unwrap_or_default()),
        image: image(component, &mut fit),
        is_canceled: status == Some(&ICalendarStatus::Cancelled),
        is_private: matches!(
            class,
            Some(ICalendarValue::Classification(
                ICalendarClassification::Private | ICalendarClassification::Confidential
            ))
        ),
        modified_at: component
            .property(&ICalendarProperty::LastModified)
            .and_then(|entry| When::read(entry, zones, &mut Fit::default()))
            .map(|when| when.instant(zones).timestamp()),
        recurrence,
        overrides: Vec::new(),
        notes: fit.notes,
    };
    Ok(ReadEvent { event, start, replaces })
}

fn hash(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..16])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The events of a calendar with these lines.
    pub(in super::super) fn events(lines: &str) -> File {
        let text = format!("BEGIN:VCALENDAR\nVERSION:2.0\n{lines}\nEND:VCALENDAR\n").replace('\n', "\r\n");
        let berlin = Zone::parse("Europe/Berlin").expect("a zone");
        read(text.as_bytes(), berlin).expect("a calendar")
    }

    fn times_of(lines: &str) -> (String, String, String, bool) {
        let file = events(&format!("BEGIN:VEVENT\nUID:1\nSUMMARY:x\n{lines}\nEND:VEVENT"));
        let times = &file.events[0].times;
        (
            times.zone.name(),
            times.start.local.to_string(),
            times.end.local.to_string(),
            times.all_day,
        )
    }

    #[test]
    fn times_of_all_forms() {
        for (lines, zone, start, end, all_day) in [
            (
                "DTSTART;TZID=America/New_York:20270301T190000\nDTEND;TZID=America/New_York:20270301T210000",
                "America/New_York",
                "2027-03-01 19:00:00",
                "2027-03-01 21:00:00",
                false,
            ),
            (
                "DTSTART:20270301T180000Z\nDURATION:PT90M",
                "Europe/Berlin",
                "2027-03-01 19:00:00",
                "2027-03-01 20:30:00",
                false,
            ),
            (
                "DTSTART:20270301T190000",
                "Europe/Berlin",
                "2027-03-01 19:00:00",
                "2027-03-01 19:00:00",
                false,
            ),
            (
                "DTSTART;VALUE=DATE:20270301\nDTEND;VALUE=DATE:20270303",
                "Europe/Berlin",
                "2027-03-01 00:00:00",
                "2027-03-02 23:59:59",
                true,
            ),
            (
                "DTSTART;VALUE=DATE:20270301",
                "Europe/Berlin",
                "2027-03-01 00:00:00",
                "2027-03-01 23:59:59",
                true,
            ),
            (
                "DTSTART;TZID=W. Europe Standard Time:20270301T190000\nDTEND:20270228T100000Z",
                "Europe/Berlin",
                "2027-03-01 19:00:00",
                "2027-03-01 19:00:00",
                false,
            ),
        ] {
            let found = times_of(lines);
            assert_eq!(
                found,
                (zone.to_owned(), start.to_owned(), end.to_owned(), all_day),
                "{lines}"
            );
        }
    }

    #[test]
    fn values_of_an_event() {
        let file = events(
            "BEGIN:VEVENT\nUID:a@example.org\nDTSTART:20270301T180000Z\nSUMMARY:Jazz\\, live\n\
             DESCRIPTION:A < B\\nnext\n\
             LOCATION:City Hall\\, Main Street 1\nGEO:52.52;13.405\nORGANIZER;CN=Ann:mailto:ann@example.org\n\
             CATEGORIES:Music,Live\nURL:https://example.org/jazz\nSTATUS:CANCELLED\nCLASS:PRIVATE\nEND:VEVENT\n\
             BEGIN:VEVENT\nUID:a@example.org\nRECURRENCE-ID:20270308T180000Z\nDTSTART:20270308T190000Z\nSUMMARY:Later\n\
             END:VEVENT\nBEGIN:VTODO\nUID:t\nEND:VTODO",
        );
        let [event, later] = &file.events[..] else {
            panic!("{file:?}");
        };
        assert_eq!(event.title, "Jazz, live");
        assert_eq!(event.description, "<p>A &lt; B<br>next</p>");
        assert_eq!(event.location, "City Hall, Main Street 1");
        assert_eq!(event.position, Some((52.52, 13.405)));
        assert_eq!(event.organizer, Some(("Ann".to_owned(), "ann@example.org".to_owned())));
        assert_eq!(event.categories, ["Music", "Live"]);
        assert!(event.is_canceled && event.is_private);
        assert_eq!(later.key, "a@example.org 20270308T180000Z");
        assert_eq!(event.recurrence, None);
        assert_eq!(later.uid, None);
        assert_eq!(file.notes.len(), 1, "{:?}", file.notes);
    }

    #[test]
    fn rules_with_dates_and_replacements() {
        for (start, rule, replaced, lines, slot) in [
            (
                "DTSTART;TZID=Europe/Berlin:20270401T190000",
                "RRULE:FREQ=WEEKLY;BYDAY=TH\nEXDATE;TZID=Europe/Berlin:20270408T190000\nEXDATE:20270422T170000Z\n\
                 RDATE;VALUE=DATE:20270402",
                "20270415T170000Z",
                "RRULE:FREQ=WEEKLY;BYDAY=TH\nRDATE:20270402T190000\nEXDATE:20270408T190000,20270422T190000",
                "2027-04-15 19:00:00",
            ),
            (
                "DTSTART;VALUE=DATE:20270401",
                "RRULE:FREQ=DAILY;COUNT=9\nEXDATE;VALUE=DATE:20270402,20270403",
                "20270404T100000Z",
                "RRULE:FREQ=DAILY;COUNT=9\nEXDATE;VALUE=DATE:20270402,20270403",
                "2027-04-04 00:00:00",
            ),
            // The rule of an instant is that of UTC.
            (
                "DTSTART:20270401T230000Z",
                "RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=3",
                "20270408T230000Z",
                "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TH",
                "2027-04-08 23:00:00",
            ),
        ] {
            let file = events(&format!(
                "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:{replaced}\nDTSTART:20270501T100000Z\nEND:VEVENT\n\
                 BEGIN:VEVENT\nUID:a\n{start}\n{rule}\nEND:VEVENT"
            ));
            let [series] = &file.events[..] else {
                panic!("{file:?}");
            };
            assert_eq!(series.recurrence.as_deref(), Some(lines));
            let slots: Vec<String> = series.overrides.iter().map(|(slot, _)| slot.to_string()).collect();
            assert_eq!(slots, [slot]);
        }
    }

    #[test]
    fn hostile_files_are_refused() {
        for content in [
            "<!DOCTYPE html><title>Login</title>".to_owned(),
            String::new(),
            "BEGIN:VCALENDAR\r\n".to_owned() + &"BEGIN:VEVENT\r\n".repeat(MAX_COMPONENTS + 1),
            "BEGIN:VCALENDAR\r\n".to_owned() + &"x".repeat(MAX_BODY),
        ] {
            assert!(
                read(content.as_bytes(), Zone::UTC).is_err(),
                "{}",
                &content[..content.len().min(40)]
            );
        }
        let deep = "BEGIN:VEVENT\n".repeat(10_000) + &"END:VEVENT\n".repeat(10_000);
        let _ = events(deep.trim_end());
        let endless = events("BEGIN:VEVENT\nUID:1\nDTSTART:20270301T180000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT");
        assert_eq!(endless.events.len(), 1);
    }
}
