//! Linked data in `script` elements.

use serde::Serialize;

use crate::views::{event::EventView, event_json_ld::EventJsonLd, json_ld::CONTEXT};

/// The events of a view as a schema.org ItemList.
#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
struct ItemList<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    name: &'a str,
    url: &'a str,
    number_of_items: usize,
    item_list_element: Vec<ListItem<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
struct ListItem<'a> {
    /// From 1.
    position: usize,
    item: EventJsonLd<'a>,
}

/// The content of the element for a list of events.
pub(super) fn item_list<'a>(name: &str, url: &str, events: impl IntoIterator<Item = &'a EventView>) -> String {
    let events = events.into_iter().map(EventJsonLd::of);
    let items: Vec<ListItem<'_>> = (1..)
        .zip(events)
        .map(|(position, item)| ListItem { position, item })
        .collect();
    script(&ItemList {
        context: CONTEXT,
        name,
        url,
        number_of_items: items.len(),
        item_list_element: items,
    })
}

/// The content of the element for any object, escaped so that no text in it can end the element.
pub(super) fn script(object: &impl Serialize) -> String {
    let json = serde_json::to_string(object).unwrap_or_default();
    json.replace('<', "\\u003c")
}
