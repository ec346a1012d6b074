//! The representations of events, venues and organizers in The Events Calendar.

use serde_json::{Map, Value, json};

use super::{
    json_ld,
    request::CompatRequest,
    term,
    typography::{paragraphs, texturize, url_attribute},
};
use crate::calendar::{Kind, currency::with_currency, slug::encoded};

/// The members of an event, in the order of The Events Calendar.
const EVENT_MEMBERS: &[&str] = &[
    "id",
    "global_id",
    "global_id_lineage",
    "author",
    "status",
    "date",
    "date_utc",
    "modified",
    "modified_utc",
    "url",
    "rest_url",
    "title",
    "description",
    "excerpt",
    "slug",
    "image",
    "all_day",
    "start_date",
    "start_date_details",
    "end_date",
    "end_date_details",
    "utc_start_date",
    "utc_start_date_details",
    "utc_end_date",
    "utc_end_date_details",
    "timezone",
    "timezone_abbr",
    "cost",
    "cost_details",
    "website",
    "show_map",
    "show_map_link",
    "hide_from_listings",
    "sticky",
    "featured",
    "categories",
    "tags",
    "venue",
    "organizer",
    "custom_fields",
    "json_ld",
];

/// The members of venues and organizers. Empty ones and those of the other kind are omitted.
const LINKED_RESOURCE_MEMBERS: &[&str] = &[
    "id",
    "author",
    "status",
    "date",
    "date_utc",
    "modified",
    "modified_utc",
    "url",
    "venue",
    "organizer",
    "description",
    "slug",
    "image",
    "address",
    "city",
    "country",
    "province",
    "state",
    "zip",
    "phone",
    "website",
    "email",
    "stateprovince",
    "geo_lat",
    "geo_lng",
    "json_ld",
];

/// The members of venues and organizers that are never omitted.
const ALWAYS_PRESENT: &[&str] = &["show_map", "show_map_link", "global_id", "global_id_lineage"];

/// Represents an object. `is_single` is true for a read of one object, which includes JSON-LD.
pub(super) fn represent(kind: Kind, native: &Value, compat: &CompatRequest, is_single: bool) -> Value {
    match kind {
        Kind::Event => event(native, compat, is_single),
        Kind::Venue | Kind::Organizer => linked_resource(kind, native, is_single),
        Kind::Category | Kind::Tag => term::standalone(kind, native, compat, false),
    }
}

fn event(native: &Value, compat: &CompatRequest, is_single: bool) -> Value {
    let each = |name: &str, write: &dyn Fn(&Value) -> Value| -> Value {
        let items = native[name].as_array().into_iter().flatten();
        items.map(write).collect()
    };
    let mut event = Map::new();
    for name in EVENT_MEMBERS {
        let value = &native[*name];
        let represented = match *name {
            "author" => author(value).unwrap_or_else(|| "0".to_owned()).into(),
            "rest_url" => compat.rebase(text(value)).into(),
            "title" => texturize(text(value)).into(),
            "description" | "excerpt" => paragraphs(text(value)).into(),
            "image" => image(value),
            "slug" => encoded(text(value)).into(),
            "cost" => cost(native).into(),
            // The website of an event without one is its page.
            "website" if text(value).is_empty() => native["url"].clone(),
            "website" => url_attribute(text(value)).into(),
            "cost_details" => cost_details(native),
            "categories" => each(name, &|native| term::embedded(Kind::Category, native, compat)),
            "tags" => each(name, &|native| term::embedded(Kind::Tag, native, compat)),
            "venue" => venues(each(name, &|native| linked_resource(Kind::Venue, native, is_single))),
            "organizer" => each(name, &|native| linked_resource(Kind::Organizer, native, is_single)),
            // PHP's empty array.
            "custom_fields" if value.as_object().is_none_or(Map::is_empty) => json!([]),
            "json_ld" if is_single => json_ld::event(native),
            "json_ld" => continue,
            _ => value.clone(),
        };
        event.insert((*name).to_owned(), represented);
    }
    event.into()
}

/// The price, with the site's currency if it is a bare amount.
fn cost(native: &Value) -> String {
    let details = &native["cost_details"];
    let (sign, code) = (&details["currency_symbol"], &details["currency_code"]);
    with_currency(text(&native["cost"]), text(sign), text(code))
}

/// A single venue as an object; none or several as a list.
fn venues(mut venues: Value) -> Value {
    match venues.as_array_mut() {
        Some(list) if list.len() == 1 => list.swap_remove(0),
        _ => venues,
    }
}

fn linked_resource(kind: Kind, native: &Value, is_single: bool) -> Value {
    let mut resource = Map::new();
    for name in LINKED_RESOURCE_MEMBERS {
        let value = &native[*name];
        let represented = match *name {
            "author" => author(value).map_or(Value::Null, Value::from),
            "venue" | "organizer" => texturize(text(value)).into(),
            "description" => paragraphs(text(value)).into(),
            "image" => image(value),
            "slug" => encoded(text(value)).into(),
            "json_ld" if is_single && kind == Kind::Venue => json_ld::place(native),
            "json_ld" if is_single => json_ld::person(native),
            "json_ld" => continue,
            _ => value.clone(),
        };
        if !is_empty_in_php(&represented) {
            resource.insert((*name).to_owned(), represented);
        }
    }
    for name in ALWAYS_PRESENT {
        if let Some(value) = native.get(name) {
            resource.insert((*name).to_owned(), value.clone());
        }
    }
    resource.into()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn author(value: &Value) -> Option<String> {
    value.as_i64().map(|id| id.to_string())
}

/// Represents an image; false if there is none.
fn image(native: &Value) -> Value {
    if native.is_null() {
        return false.into();
    }
    let mut image = json!({});
    for name in ["url", "id", "extension", "width", "height", "sizes"] {
        image[name] = native[name].clone();
    }
    image
}

/// Represents the details of a price. The value of a price without an amount is its text.
fn cost_details(native: &Value) -> Value {
    let mut details = native["cost_details"].clone();
    let text = text(&native["cost"]);
    let has_values = details["values"].get(0).is_some();
    if !has_values && !text.is_empty() {
        details["values"] = json!([text.to_lowercase()]);
    }
    details
}

/// Returns what PHP's `empty()` returns for the value. PHP decodes a JSON object to an array.
pub(super) fn is_empty_in_php(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty() || text == "0",
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
