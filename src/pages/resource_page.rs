//! The page of an event, venue, organizer or term.

use std::borrow::Cow;

use askama::Template;
use serde_json::{Map, Value};

use super::{event_dates::EventDates, event_lists::EventLists, layout::Layout};
use crate::{
    calendar::{Kind, html::text_content},
    extract::JsonObject,
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
    /// A notice above the content; may be empty.
    pub notice: &'static str,
    pub dates: Option<EventDates>,
    pub properties: Vec<Property>,
    pub image: Option<ImageView>,
    /// HTML, sanitised when it was written.
    pub excerpt: String,
    /// HTML, sanitised when it was written.
    pub description: String,
    /// The description as plain text.
    pub plain_text: String,
    pub events: EventLists,
    /// Whether search engines may index the page.
    pub is_indexed: bool,
    pub json_ld: Map<String, Value>,
}

impl ResourcePage {
    /// A page with only a title.
    pub(super) fn new(layout: Layout, kind: Kind, title: String, url: String) -> Self {
        Self {
            layout,
            kind,
            title,
            url,
            notice: "",
            dates: None,
            properties: Vec::new(),
            image: None,
            excerpt: String::new(),
            description: String::new(),
            plain_text: String::new(),
            events: EventLists::default(),
            is_indexed: true,
            json_ld: Map::new(),
        }
    }

    /// A page with the properties that events, venues and organizers share.
    pub(super) fn for_publishable(
        layout: Layout,
        kind: Kind,
        title: String,
        common: PublishableView,
        json_ld: Nullable<JsonObject>,
    ) -> Self {
        let json_ld = json_ld.0.unwrap_or_default().0;
        let plain_text = json_ld.get("description").and_then(Value::as_str);
        Self {
            image: common.image.0,
            description: common.description,
            plain_text: plain_text.unwrap_or_default().to_owned(),
            json_ld,
            ..Self::new(layout, kind, title, common.url)
        }
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

    /// The JSON-LD for a `script` element, escaped so that no text in it can end the element.
    fn json_ld_script(&self) -> String {
        serde_json::to_string(&self.json_ld)
            .unwrap_or_default()
            .replace('<', "\\u003c")
    }
}

/// A labelled property with one or more values.
pub(super) struct Property {
    pub label: &'static str,
    pub values: Vec<PropertyValue>,
}

impl Property {
    /// Whether the values are short names, shown on one line.
    fn is_inline(&self) -> bool {
        matches!(self.label, "Categories" | "Tags")
    }
}

/// A value of a property.
#[derive(Default)]
pub(super) struct PropertyValue {
    pub text: String,
    /// The target of the text; empty if it is not a link.
    pub url: String,
    /// A note beside the text; may be empty.
    pub note: String,
    /// A map of the place; may be empty.
    pub map_url: String,
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
