//! The page of one thing: what it is, when and where, what is told of it, and the events that belong to it.

use std::borrow::Cow;

use askama::Template;
use serde_json::{Map, Value};

use super::{event_dates::EventDates, events::Events, site::Site};
use crate::{
    calendar::{Kind, html::text_content},
    extract::JsonObject,
    response::Nullable,
    views::{image::ImageView, publishable::PublishableView, venue::VenueView},
};

/// Characters of a summary, which is shown where a page is linked.
const SUMMARY: usize = 200;

#[derive(Template)]
#[template(path = "resource_page.html")]
pub struct ResourcePage {
    pub site: Site,
    pub kind: Kind,
    pub title: String,
    /// The public address of this page.
    pub url: String,
    /// Something that its reader should know first; may be empty.
    pub note: &'static str,
    pub when: Option<EventDates>,
    pub facts: Vec<Fact>,
    pub image: Option<ImageView>,
    /// Sanitised when it was written, as the description.
    pub excerpt: String,
    pub description: String,
    /// The same as plain text.
    pub text: String,
    pub events: Events,
    /// Whether search engines may show it.
    pub is_listed: bool,
    pub json_ld: Map<String, Value>,
}

impl ResourcePage {
    /// A thing of which no more is known.
    pub fn new(site: Site, kind: Kind, title: String, url: String) -> Self {
        Self {
            site,
            kind,
            title,
            url,
            note: "",
            when: None,
            facts: Vec::new(),
            image: None,
            excerpt: String::new(),
            description: String::new(),
            text: String::new(),
            events: Events::default(),
            is_listed: true,
            json_ld: Map::new(),
        }
    }

    /// An event, venue or organizer with what they have alike.
    pub fn of_post(
        site: Site,
        kind: Kind,
        title: String,
        post: PublishableView,
        json_ld: Nullable<JsonObject>,
    ) -> Self {
        let json_ld = json_ld.0.unwrap_or_default().0;
        let text = json_ld.get("description").and_then(Value::as_str);
        Self {
            image: post.image.0,
            description: post.description,
            text: text.unwrap_or_default().to_owned(),
            json_ld,
            ..Self::new(site, kind, title, post.url)
        }
    }

    /// The beginning of what is told of it, as plain text.
    fn summary(&self) -> String {
        let words = match self.excerpt.is_empty() {
            true => Cow::Borrowed(&self.text),
            false => Cow::Owned(text_content(&self.excerpt)),
        };
        match words.char_indices().nth(SUMMARY) {
            None => words.into_owned(),
            Some((end, _)) => {
                let end = words[..end].rfind(' ').unwrap_or(end);
                format!("{} …", &words[..end])
            }
        }
    }

    /// Whether the excerpt tells something: often it is how the description begins.
    fn has_lead(&self) -> bool {
        let excerpt = text_content(&self.excerpt);
        !excerpt.is_empty() && !self.text.starts_with(&excerpt)
    }

    /// JSON-LD as it may stand in a page: no text in it can end the script element.
    fn script(&self) -> String {
        serde_json::to_string(&self.json_ld)
            .unwrap_or_default()
            .replace('<', "\\u003c")
    }
}

/// A name and what it stands for.
pub struct Fact {
    pub name: &'static str,
    pub items: Vec<Item>,
}

impl Fact {
    /// Whether it tells nothing but short names, which may stand on one line.
    fn are_words(&self) -> bool {
        matches!(self.name, "Categories" | "Tags")
    }
}

/// One of the things that a fact tells.
#[derive(Default)]
pub struct Item {
    pub text: String,
    /// Where the text leads; may be empty.
    pub url: String,
    /// What is told beside it; may be empty.
    pub detail: String,
    /// Where a map shows it; may be empty.
    pub map: String,
}

impl Item {
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

impl From<String> for Item {
    fn from(text: String) -> Self {
        Self::link(text, "")
    }
}

/// The facts that have something to tell.
pub fn told<const N: usize>(facts: [(&'static str, Vec<Item>); N]) -> Vec<Fact> {
    facts
        .into_iter()
        .map(|(name, items)| Fact {
            name,
            items: items.into_iter().filter(|item| !item.text.is_empty()).collect(),
        })
        .filter(|fact| !fact.items.is_empty())
        .collect()
}

/// The address of a venue on one line.
pub fn address(venue: &VenueView) -> String {
    let city = [venue.zip.as_str(), &venue.city].join(" ");
    [&venue.address, city.trim(), &venue.stateprovince, &venue.country]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// A map that shows the venue; empty where nobody knows where that is, or where no link is wanted.
pub fn map(venue: &VenueView) -> String {
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
    let search = [("query", address(venue))];
    url::Url::parse_with_params("https://www.openstreetmap.org/search", search)
        .map(String::from)
        .unwrap_or_default()
}
