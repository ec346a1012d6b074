//! JSON-LD as The Events Calendar generates it: empty members are included.

use serde_json::{Map, Value, json};

use super::typography::texturize;

/// A venue as a schema.org `Place`.
pub(super) fn place(venue: &Value) -> Value {
    let mut address = json!({"@type": "PostalAddress"});
    for (member, field) in [
        ("streetAddress", "address"),
        ("addressLocality", "city"),
        ("addressRegion", "stateprovince"),
        ("postalCode", "zip"),
        ("addressCountry", "country"),
    ] {
        let text = venue[field].as_str().unwrap_or_default();
        if !text.is_empty() {
            address[member] = text.into();
        }
    }
    let mut place = json!({
        "@type": "Place",
        "name": texturized(&venue["venue"]),
        "description": plain_text(&venue["description"]),
        "url": "",
        "address": address,
    });
    if let (Some(latitude), Some(longitude)) = (venue["geo_lat"].as_f64(), venue["geo_lng"].as_f64()) {
        place["geo"] = json!({"@type": "GeoCoordinates", "latitude": latitude, "longitude": longitude});
    }
    place["telephone"] = venue["phone"].clone();
    place["sameAs"] = venue["website"].clone();
    place
}

/// An organizer as a schema.org `Person`.
pub(super) fn person(organizer: &Value) -> Value {
    json!({
        "@type": "Person",
        "name": texturized(&organizer["organizer"]),
        "description": plain_text(&organizer["description"]),
        "url": "",
        "telephone": organizer["phone"],
        "email": organizer["email"],
        "sameAs": organizer["website"],
    })
}

/// An event as a schema.org `Event`.
pub(super) fn event(native: &Value) -> Value {
    let summary = match native["excerpt"].as_str() {
        Some("") | None => &native["description"],
        Some(_) => &native["excerpt"],
    };
    let mut event = Map::new();
    let mut set = |name: &str, value: Value| event.insert(name.to_owned(), value);
    set("@context", "http://schema.org".into());
    set("@type", "Event".into());
    set("name", texturized(&native["title"]).into());
    set("description", plain_text(summary).into());
    if let Some(url) = native["image"].get("url") {
        set("image", url.clone());
    }
    set("url", native["url"].clone());
    let attendance = "https://schema.org/OfflineEventAttendanceMode";
    set("eventAttendanceMode", attendance.into());
    set("eventStatus", native["json_ld"]["eventStatus"].clone());
    set("startDate", native["starts_at"].clone());
    set("endDate", native["ends_at"].clone());
    if let Some(places) = one_or_list(&native["venue"], place) {
        set("location", places);
    }
    if let Some(persons) = one_or_list(&native["organizer"], person) {
        set("organizer", persons);
    }
    if let Some(price) = native["cost_details"]["values"].get(0) {
        let offer = json!({
            "@type": "Offer",
            "price": price,
            "priceCurrency": native["cost_details"]["currency_code"],
            "url": native["url"],
            "category": "primary",
            "availability": "inStock",
            "validFrom": native["published_at"],
        });
        set("offers", offer);
    }
    set("performer", "Organization".into());
    event.into()
}

fn one_or_list(natives: &Value, write: impl Fn(&Value) -> Value) -> Option<Value> {
    match natives.as_array()?.as_slice() {
        [] => None,
        [one] => Some(write(one)),
        several => Some(several.iter().map(write).collect()),
    }
}

fn texturized(text: &Value) -> String {
    texturize(text.as_str().unwrap_or_default())
}

fn plain_text(html: &Value) -> String {
    crate::calendar::html::text_content(html.as_str().unwrap_or_default())
}
