//! The page of one thing: what it is, its facts, its description, and the events that belong to it.

use askama::Template;

use crate::{
    auth::Caller,
    calendar::window::{Bounds, Meaning, window},
    store::{
        PageRequest,
        entity::event,
        events::{self, EventFilter},
    },
    view::{Detail, Shown, event::EventView},
    wire::{JsonObject, Nullable, Problem},
};

/// Events on a page.
const SHOWN: u64 = 20;

#[derive(Template)]
#[template(path = "thing.html")]
pub struct Thing {
    pub kind: &'static str,
    pub title: String,
    pub image: Option<String>,
    pub facts: Vec<Fact>,
    /// Sanitised when it was written.
    pub description: String,
    pub events: Vec<EventView>,
    /// JSON text that is safe inside a script element.
    pub json_ld: String,
}

/// A name and what it stands for, with a link where there is one.
pub struct Fact {
    pub name: &'static str,
    pub text: String,
    pub url: Option<String>,
}

impl Fact {
    /// A fact, unless there is nothing to tell.
    pub fn new(name: &'static str, text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (!text.is_empty()).then_some(Self {
            name,
            text,
            url: None,
        })
    }

    /// A fact that is a link.
    pub fn link(name: &'static str, text: impl Into<String>, url: &str) -> Option<Self> {
        let fact = Self::new(name, text)?;
        (!url.is_empty()).then(|| Self {
            url: Some(url.to_owned()),
            ..fact
        })
    }
}

/// JSON-LD as it may stand in a page: no text in it can end the script element.
pub fn script(json_ld: &Nullable<JsonObject>) -> String {
    match &json_ld.0 {
        Some(object) => serde_json::Value::Object(object.0.clone())
            .to_string()
            .replace('<', "\\u003c"),
        None => String::new(),
    }
}

/// The published events that the filter leaves, from now on.
pub async fn upcoming(
    caller: &Caller,
    narrow: impl FnOnce(&mut EventFilter),
) -> Result<Vec<EventView>, Problem> {
    let database = caller.almanac.store.reader();
    let site = &caller.almanac.settings.timezone;
    let window = window(&Bounds::default(), Meaning::B, site, caller.now);
    let mut filter = EventFilter::published(window, caller.timestamp());
    narrow(&mut filter);
    let first = PageRequest {
        page: 1,
        per_page: SHOWN,
    };
    let rows = events::list(database, &filter, first).await?.rows;
    event::Entity::show(caller, database, rows, Detail::Item).await
}
