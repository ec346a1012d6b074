//! The identifiers of events, which the feed of the site has.

use std::collections::HashMap;

use calcard::icalendar::{ICalendar, ICalendarComponentType, ICalendarProperty};
use serde_json::Value;

use super::{
    super::{ImportError, records::MAX_UID},
    client::Site,
    read,
};

/// Events per request.
const EVENTS: usize = 30;

/// The identifiers of these events, by their IDs at the source. Events that the feed lacks are missing.
pub(super) async fn of_events(site: &Site<'_>, events: &[&Value]) -> Result<HashMap<i64, String>, ImportError> {
    let mut found = HashMap::new();
    for events in events.chunks(EVENTS) {
        let ids: Vec<String> = events
            .iter()
            .filter_map(|event| read::id(event))
            .map(|id| id.to_string())
            .collect();
        if ids.is_empty() {
            continue;
        }
        if let Some(feed) = site.feed(&ids).await? {
            assign(&feed, events, &mut found);
        }
    }
    Ok(found)
}

/// Assigns each identifier in a feed to the event with the same address, or with the ID at its beginning.
fn assign(feed: &str, events: &[&Value], found: &mut HashMap<i64, String>) {
    let Ok(calendar) = ICalendar::parse(feed) else {
        return;
    };
    for component in calendar.components {
        if component.component_type != ICalendarComponentType::VEvent {
            continue;
        }
        let Some(uid) = component.uid().filter(|uid| uid.len() <= MAX_UID) else {
            continue;
        };
        let url = component
            .property(&ICalendarProperty::Url)
            .and_then(|entry| entry.values.first()?.as_text());
        let has_url = |event: &&&Value| url.is_some() && event["url"].as_str() == url;
        let has_id = |event: &&&Value| read::id(event).is_some() && read::id(event) == leading_id(uid);
        let event = events.iter().find(has_url).or_else(|| events.iter().find(has_id));
        if let Some(id) = event.and_then(|event| read::id(event)) {
            found.insert(id, uid.to_owned());
        }
    }
}

/// The digits at the beginning of an identifier such as `51-1806616800-1806625800@site.example` or `51@…`.
fn leading_id(uid: &str) -> Option<i64> {
    let end = uid.find(['-', '@'])?;
    uid[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn identifiers_by_address_or_id() {
        let feed = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:51-1-2@site.example\r\nEND:VEVENT\r\n\
                    BEGIN:VEVENT\r\nUID:moved@other.example\r\nURL:https://site.example/event/b/\r\nEND:VEVENT\r\n\
                    END:VCALENDAR\r\n";
        let events = [
            json!({"id": 51, "url": "https://site.example/event/a/"}),
            json!({"id": 52, "url": "https://site.example/event/b/"}),
        ];
        let mut found = HashMap::new();
        assign(feed, &[&events[0], &events[1]], &mut found);
        assert_eq!(found[&51], "51-1-2@site.example");
        assert_eq!(found[&52], "moved@other.example");
    }
}
