//! The page of one thing: what it is, when and where, what is told of it, and the events that belong to it.

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

/// Characters of a summary, which is shown where a page is linked.
const SUMMARY_LENGTH: usize = 200;

#[derive(Template)]
#[template(path = "resource_page.html")]
pub struct ResourcePage {
    pub layout: Layout,
    pub kind: Kind,
    pub title: String,
    /// The public address of this page.
    pub url: String,
    /// Something that its reader should know first; may be empty.
    pub notice: &'static str,
    pub dates: Option<EventDates>,
    pub properties: Vec<Property>,
    pub image: Option<ImageView>,
    /// Sanitised when it was written, as the description.
    pub excerpt: String,
    pub description: String,
    /// The same as plain text.
    pub plain_text: String,
    pub events: EventLists,
    /// Whether search engines may show it.
    pub is_indexed: bool,
    pub json_ld: Map<String, Value>,
}

impl ResourcePage {
    /// A thing of which no more is known.
    pub fn new(layout: Layout, kind: Kind, title: String, url: String) -> Self {
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

    /// An event, venue or organizer with what they have alike.
    pub fn for_publishable(
        layout: Layout,
        kind: Kind,
        title: String,
        post: PublishableView,
        json_ld: Nullable<JsonObject>,
    ) -> Self {
        let json_ld = json_ld.0.unwrap_or_default().0;
        let plain_text = json_ld.get("description").and_then(Value::as_str);
        Self {
            image: post.image.0,
            description: post.description,
            plain_text: plain_text.unwrap_or_default().to_owned(),
            json_ld,
            ..Self::new(layout, kind, title, post.url)
        }
    }

    /// The beginning of what is told of it, as plain text.
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

    /// Whether the excerpt tells something: often it is how the description begins.
    fn has_lead(&self) -> bool {
        let excerpt = text_content(&self.excerpt);
        !excerpt.is_empty() && !self.plain_text.starts_with(&excerpt)
    }

    /// JSON-LD as it may stand in a page: no text in it can end the script element.
    fn json_ld_script(&self) -> String {
        serde_json::to_string(&self.json_ld)
            .unwrap_or_default()
            .replace('<', "\\u003c")
    }
}

/// A name and what it stands for.
pub struct Property {
    pub label: &'static str,
    pub values: Vec<PropertyValue>,
}

impl Property {
    /// Whether it tells nothing but short names, which may stand on one line.
    fn is_inline(&self) -> bool {
        matches!(self.label, "Categories" | "Tags")
    }
}

/// One of the things that a fact tells.
#[derive(Default)]
pub struct PropertyValue {
    pub text: String,
    /// Where the text leads; may be empty.
    pub url: String,
    /// What is told beside it; may be empty.
    pub note: String,
    /// Where a map shows it; may be empty.
    pub map_url: String,
}

impl PropertyValue {
    /// A text that leads somewhere.
    pub fn link(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            url: url.into(),
            ..Self::default()
        }
    }

    /// A website, named by its host.
    pub fn website(url: &str) -> Self {
        let host = url::Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default();
        Self::link(host.trim_start_matches("www."), url)
    }

    pub fn phone(number: &str) -> Self {
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

    pub fn email(address: &str) -> Self {
        Self::link(address, format!("mailto:{address}"))
    }
}

impl From<String> for PropertyValue {
    fn from(text: String) -> Self {
        Self::link(text, "")
    }
}

/// The facts that have something to tell.
pub fn properties<const N: usize>(properties: [(&'static str, Vec<PropertyValue>); N]) -> Vec<Property> {
    properties
        .into_iter()
        .map(|(label, values)| Property {
            label,
            values: values.into_iter().filter(|value| !value.text.is_empty()).collect(),
        })
        .filter(|property| !property.values.is_empty())
        .collect()
}

/// The address of a venue on one line.
pub fn postal_address(venue: &VenueView) -> String {
    let city = [venue.zip.as_str(), &venue.city].join(" ");
    [&venue.address, city.trim(), &venue.stateprovince, &venue.country]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// A map that shows the venue; empty where nobody knows where that is, or where no link is wanted.
pub fn map_url(venue: &VenueView) -> String {
    if !venue.show_map_link {
        return String::new();
    }
    if let (Some(latitude), Some(longitude)) = (venue.geo_lat.0, venue.geo_lng.0) {
        return format!(
            "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"
        );
    }
    // A street without its town is everywhere.
    if venue.address.is_empty() || venue.city.is_empty() {
        return String::new();
    }
    let search = [("query", postal_address(venue))];
    url::Url::parse_with_params("https://www.openstreetmap.org/search", search)
        .map(String::from)
        .unwrap_or_default()
}
