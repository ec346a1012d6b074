//! An event as an item of RSS, Atom and JSON Feed, which know articles but no events.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use quick_xml::escape::escape;

use super::{events::FeedEvent, feed::Feed, place};
use crate::{
    calendar::{date::instant_at, event_status::EventStatus, html::text_content},
    config::Language,
    store::publishable::PublishableRow,
    views::event::EventView,
};

/// The number of items of a feed.
pub(super) const LIMIT: u64 = 100;

/// An item.
pub(super) struct Item<'a> {
    pub urn: String,
    pub event: &'a EventView,
    /// Begins with the status, unless the event takes place as planned.
    pub title: Cow<'a, str>,
    pub published: DateTime<Utc>,
    pub modified: DateTime<Utc>,
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
    pub(super) fn new(feed: &Feed, event: &'a FeedEvent, language: Language) -> Self {
        let FeedEvent { row, view } = event;
        let title = match status(EventStatus::stored(&row.event_status), language) {
            Some(status) => format!("{status}: {}", row.title).into(),
            None => row.title.as_str().into(),
        };
        let location = place::location(view);
        let mut occasion = when(view);
        if let Some(location) = &location {
            occasion = format!("{occasion}, {location}");
        }
        let text = match view.excerpt.is_empty() {
            true => row.description_text().into_owned(),
            false => text_content(&view.excerpt),
        };
        let categories = view.categories.iter().map(|category| category.term.name.as_str());
        Self {
            urn: feed.urn_of(row.id),
            event: view,
            title,
            published: instant_at(row.published_at),
            modified: instant_at(row.modified_at),
            summary: format!("{occasion}\n\n{text}").trim_end().to_owned(),
            html: format!("<p>{}</p>\n{}", escape(&occasion), view.common.description),
            categories: categories
                .chain(view.tags.iter().map(|tag| tag.term.name.as_str()))
                .collect(),
            authors: view
                .organizer
                .iter()
                .map(|organizer| organizer.organizer.as_str())
                .collect(),
            image: view.common.image.0.as_ref().map(|image| image.url.as_str()),
            location,
        }
    }
}

/// The word for a status. None for events that take place as planned.
fn status(status: EventStatus, language: Language) -> Option<&'static str> {
    let [english, spanish] = match status {
        EventStatus::Scheduled => return None,
        EventStatus::Canceled => ["Canceled", "Cancelado"],
        EventStatus::Postponed => ["Postponed", "Aplazado"],
        EventStatus::MovedOnline => ["Moved online", "En línea"],
    };
    Some(match language {
        Language::En => english,
        Language::Es => spanish,
    })
}

/// The start and end in the zone of the event, in the same form in all languages.
fn when(event: &EventView) -> String {
    let (start, end) = (&event.start_date, &event.end_date);
    let day = |text: &str| text.get(..10).unwrap_or_default().to_owned();
    let minute = |text: &str| text.get(..16).unwrap_or_default().to_owned();
    match (event.all_day, day(start) == day(end)) {
        (true, true) => day(start),
        (true, false) => format!("{} – {}", day(start), day(end)),
        (false, _) if start == end => format!("{} {}", minute(start), event.timezone_abbr),
        (false, true) => {
            let end = end.get(11..16).unwrap_or_default();
            format!("{} – {end} {}", minute(start), event.timezone_abbr)
        }
        (false, false) => format!("{} – {} {}", minute(start), minute(end), event.timezone_abbr),
    }
}
