//! The page of an event, venue or organizer.

use std::borrow::Cow;

use askama::Template;
use serde::Deserialize;

use super::{
    calendar::{CalendarAddress, Frame, Link, subscribe::Subscription},
    dates::EventDates,
    event_items::EventGroup,
    event_lists::EventLists,
    json_ld::script,
    layout::Layout,
    texts::Texts,
};
use crate::{
    calendar::{Kind, html::text_content},
    extract::JsonText,
    response::Nullable,
    views::{image::ImageView, publishable::PublishableView, venue::VenueView},
};

pub(super) use crate::views::venue::postal_address;

/// The maximum length of a summary, in characters.
const SUMMARY_LENGTH: usize = 200;

#[derive(Template)]
#[template(path = "resource_page.html")]
pub(super) struct ResourcePage {
    pub layout: Layout,
    pub kind: Kind,
    pub title: String,
    /// The canonical URL.
    pub url: String,
    /// From the start page to the parent.
    pub breadcrumbs: Vec<Link>,
    /// The badge of an event that does not take place as planned; empty for others.
    pub status: &'static str,
    /// A notice above the content; may be empty.
    pub notice: &'static str,
    pub dates: Option<EventDates>,
    /// The ways to add an event to one's calendar.
    pub calendars: Vec<Link>,
    pub properties: Vec<Property>,
    pub image: Option<ImageView>,
    /// HTML, sanitised when it was written.
    pub excerpt: String,
    /// HTML, sanitised when it was written.
    pub description: String,
    /// The description as plain text.
    pub plain_text: String,
    pub events: EventLists,
    pub related: Vec<RelatedEvents>,
    /// The feeds of the events of a venue or organizer.
    pub subscription: Option<Subscription>,
    /// A link to the list of all events, or of those of a venue or organizer.
    pub onward: Link,
    /// Whether search engines may index the page.
    pub is_indexed: bool,
    pub json_ld: JsonText,
}

impl ResourcePage {
    /// A page with only a title.
    fn new(layout: Layout, kind: Kind, title: String, url: String) -> Self {
        let link = |label: &str, path: &str| Link {
            label: label.to_owned(),
            url: format!("{}{path}", layout.prefix()),
        };
        Self {
            breadcrumbs: vec![link(layout.site_name(), "/"), link(layout.texts.events, "/events")],
            onward: link(layout.texts.all_upcoming_events, "/events"),
            calendars: Vec::new(),
            related: Vec::new(),
            subscription: None,
            layout,
            kind,
            title,
            url,
            status: "",
            notice: "",
            dates: None,
            properties: Vec::new(),
            image: None,
            excerpt: String::new(),
            description: String::new(),
            plain_text: String::new(),
            events: EventLists::default(),
            is_indexed: true,
            json_ld: JsonText::default(),
        }
    }

    /// A page with the properties that events, venues and organizers share.
    pub(super) fn for_publishable(
        layout: Layout,
        kind: Kind,
        title: String,
        common: PublishableView,
        json_ld: Nullable<JsonText>,
    ) -> Self {
        /// The member with the description as plain text, which is absent if there is none.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Described {
            description: String,
        }
        let json_ld = json_ld.0.unwrap_or_default();
        let described: Described = json_ld.parse().unwrap_or_default();
        Self {
            image: common.image.0,
            description: common.description,
            plain_text: described.description,
            json_ld,
            ..Self::new(layout, kind, title, common.url)
        }
    }

    /// Adds the feeds and the list of the events with this venue or organizer.
    pub(super) fn with_events_of(mut self, parameter: &str, id: i64) -> Self {
        let address = CalendarAddress {
            filters: vec![(parameter.to_owned(), id.to_string())],
            ..CalendarAddress::new(Frame::Page)
        };
        self.subscription = Some(Subscription::of(&self.layout, &address));
        self.onward.url = format!("{}{}", self.layout.prefix(), address.path());
        self
    }

    /// The beginning of the excerpt, or of the description if there is no excerpt, as plain text.
    fn summary(&self) -> String {
        let text = match self.excerpt.is_empty() {
            true => Cow::Borrowed(&self.plain_text),
            false => Cow::Owned(text_content(&self.excerpt)),
        };
        match text.char_indices().nth(SUMMARY_LENGTH) {
            None => text.into_owned(),
            Some((end, _)) => {
                let end = text[..end].rfind(' ').unwrap_or(end);
                format!("{} …", &text[..end])
            }
        }
    }

    /// Whether the excerpt is shown: it often repeats the beginning of the description.
    fn has_lead(&self) -> bool {
        let excerpt = text_content(&self.excerpt);
        !excerpt.is_empty() && !self.plain_text.starts_with(&excerpt)
    }

    /// The content of the `script` element with the JSON-LD.
    fn json_ld_script(&self) -> String {
        script(&self.json_ld)
    }
}

/// Events that are related to an event.
pub(super) struct RelatedEvents {
    pub heading: String,
    /// The list that continues them.
    pub url: String,
    pub groups: Vec<EventGroup>,
}

impl RelatedEvents {
    fn groups(&self) -> &[EventGroup] {
        &self.groups
    }
}

/// A labelled property with one or more values.
pub(super) struct Property {
    pub label: &'static str,
    pub values: Vec<PropertyValue>,
}

impl Property {
    /// Whether the values are short names, shown on one line.
    fn is_inline(&self, texts: &Texts) -> bool {
        self.label == texts.categories || self.label == texts.tags
    }
}

/// A value of a property.
#[derive(Default)]
pub(super) struct PropertyValue {
    pub text: String,
    /// The target of the text; empty if it is not a link.
    pub url: String,
    /// A note below the text; may be empty.
    pub note: String,
}

impl PropertyValue {
    /// A linked text.
    pub(super) fn link(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            url: url.into(),
            ..Self::default()
        }
    }

    /// A link to a website, labelled with its host.
    pub(super) fn website(url: &str) -> Self {
        let host = url::Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default();
        Self::link(host.trim_start_matches("www."), url)
    }

    pub(super) fn phone(number: &str) -> Self {
        let dialled: String = number
            .chars()
            .filter(|character| character.is_ascii_digit() || *character == '+')
            .collect();
        Self::link(
            number,
            if dialled.is_empty() {
                dialled
            } else {
                format!("tel:{dialled}")
            },
        )
    }

    pub(super) fn email(address: &str) -> Self {
        Self::link(address, format!("mailto:{address}"))
    }
}

impl From<String> for PropertyValue {
    fn from(text: String) -> Self {
        Self::link(text, "")
    }
}

/// The properties that have values.
pub(super) fn properties<const N: usize>(properties: [(&'static str, Vec<PropertyValue>); N]) -> Vec<Property> {
    properties
        .into_iter()
        .map(|(label, values)| Property {
            label,
            values: values.into_iter().filter(|value| !value.text.is_empty()).collect(),
        })
        .filter(|property| !property.values.is_empty())
        .collect()
}

/// The URL of a map of the venue; empty if its location is unknown or it has no map link.
pub(super) fn map_url(venue: &VenueView) -> String {
    if !venue.show_map_link {
        return String::new();
    }
    if let (Some(latitude), Some(longitude)) = (venue.geo_lat.0, venue.geo_lng.0) {
        return format!(
            "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"
        );
    }
    // A street without a city is ambiguous.
    if venue.address.is_empty() || venue.city.is_empty() {
        return String::new();
    }
    let search = [("query", postal_address(venue))];
    url::Url::parse_with_params("https://www.openstreetmap.org/search", search)
        .map(String::from)
        .unwrap_or_default()
}
