//! An event as an item of RSS, Atom and JSON Feed, which know articles but no events.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use quick_xml::escape::escape;

use super::{events::FeedEvent, feed::Feed, place};
use crate::{
    calendar::{
        date::{format_local, format_rfc3339, instant_at},
        event_status::EventStatus,
        html::text_content,
        local_time::EventTimes,
        zone::Zone,
    },
    config::Language,
    pages::texts::Texts,
    store::publishable::PublishableRow,
};

/// The number of items of a feed.
pub(super) const LIMIT: u64 = 100;

/// An item.
pub(super) struct Item<'a> {
    pub urn: String,
    pub event: &'a FeedEvent,
    /// Begins with the status, unless the event takes place as planned.
    pub title: Cow<'a, str>,
    pub published: DateTime<Utc>,
    pub modified: DateTime<Utc>,
    /// The start, RFC 3339.
    pub starts_at: String,
    /// The end, RFC 3339.
    pub ends_at: String,
    /// The name of the zone of the event.
    pub timezone: String,
    pub event_status: EventStatus,
    /// When and where, then the excerpt or the beginning of the description, as plain text.
    pub summary: String,
    /// When and where, then the description, as HTML.
    pub html: String,
    /// The names of its categories and tags.
    pub categories: Vec<&'a str>,
    /// The names of its organizers.
    pub authors: Vec<&'a str>,
    pub image: Option<&'a str>,
    pub location: Option<String>,
}

impl<'a> Item<'a> {
    /// The item of an event. Events whose zone is unknown are in the site's zone.
    pub(super) fn new(feed: &Feed, event: &'a FeedEvent, site: &Zone, language: Language) -> Self {
        let FeedEvent { row, linked, url: _ } = event;
        let event_status = EventStatus::stored(&row.event_status);
        let title = match event_status {
            EventStatus::Scheduled => row.title.as_str().into(),
            status => format!("{}: {}", Texts::of(language).event_status(status), row.title).into(),
        };
        let times = row.times(site);
        let (starts_at, ends_at) = (instant_at(row.starts_at), instant_at(row.ends_at));
        let mut occasion = when(row.all_day, &times, &times.zone.abbreviation(starts_at));
        let location = place::location(&linked.places);
        if let Some(location) = &location {
            occasion = format!("{occasion}, {location}");
        }
        let text = match row.excerpt.is_empty() {
            true => row.description_text(),
            false => text_content(&row.excerpt).into(),
        };
        let terms = linked.categories.iter().chain(&linked.tags);
        let organizers = linked.organizers.iter();
        Self {
            urn: feed.urn_of(row.id),
            event,
            title,
            published: instant_at(row.published_at),
            modified: instant_at(row.modified_at),
            starts_at: format_rfc3339(starts_at, times.start.local),
            ends_at: format_rfc3339(ends_at, times.end.local),
            timezone: times.zone.name(),
            event_status,
            summary: format!("{occasion}\n\n{text}").trim_end().to_owned(),
            html: format!("<p>{}</p>\n{}", escape(&occasion), row.description),
            categories: terms.map(|term| term.name.as_str()).collect(),
            authors: organizers.map(|organizer| organizer.name.as_str()).collect(),
            image: linked.image.as_ref().map(|image| image.url.as_str()),
            location,
        }
    }
}

/// The start and end in the zone of the event, in the same form in all languages.
fn when(all_day: bool, times: &EventTimes, zone: &str) -> String {
    let [start, end] = [times.start, times.end].map(|time| format_local(time.local));
    let day = |text: &str| text.get(..10).unwrap_or_default().to_owned();
    let minute = |text: &str| text.get(..16).unwrap_or_default().to_owned();
    match (all_day, day(&start) == day(&end)) {
        (true, true) => day(&start),
        (true, false) => format!("{} – {}", day(&start), day(&end)),
        (false, _) if start == end => format!("{} {zone}", minute(&start)),
        (false, true) => {
            let end = end.get(11..16).unwrap_or_default();
            format!("{} – {end} {zone}", minute(&start))
        }
        (false, false) => format!("{} – {} {zone}", minute(&start), minute(&end)),
    }
}
