//! The events of a view as a schema.org ItemList.

use serde_json::{Value, json};

use crate::views::event::EventView;

/// The list for a `script` element, escaped so that no text in it can end the element.
pub(in crate::pages) fn script<'a>(name: &str, url: &str, events: impl IntoIterator<Item = &'a EventView>) -> String {
    let items: Vec<Value> = (1..)
        .zip(events)
        .map(|(position, event)| json!({"@type": "ListItem", "position": position, "item": item(event)}))
        .collect();
    let list = json!({
        "@context": "https://schema.org",
        "@type": "ItemList",
        "name": name,
        "url": url,
        "numberOfItems": items.len(),
        "itemListElement": items,
    });
    list.to_string().replace('<', "\\u003c")
}

/// An event, without what only its own page has.
fn item(event: &EventView) -> Value {
    let date = |text: &str| match event.all_day {
        true => text.get(..10).unwrap_or(text).to_owned(),
        false => text.to_owned(),
    };
    let mut item = json!({
        "@type": "Event",
        "name": event.title,
        "url": event.common.url,
        "startDate": date(&event.starts_at),
        "endDate": date(&event.ends_at),
    });
    if let Some(image) = &event.common.image.0 {
        item["image"] = image.url.clone().into();
    }
    if let Some(venue) = event.venue.first() {
        let mut place = json!({"@type": "Place", "name": venue.venue});
        let parts = [
            ("streetAddress", &venue.address),
            ("addressLocality", &venue.city),
            ("addressRegion", &venue.stateprovince),
            ("postalCode", &venue.zip),
            ("addressCountry", &venue.country),
        ];
        let mut address = json!({"@type": "PostalAddress"});
        for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
            address[name] = text.clone().into();
        }
        place["address"] = address;
        item["location"] = place;
    }
    item
}
