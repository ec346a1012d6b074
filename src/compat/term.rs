//! Categories and tags in the reference's two shapes.

use serde_json::{Map, Value, json};

use super::{request::CompatRequest, typography::name};
use crate::calendar::Kind;

fn taxonomy(kind: Kind) -> &'static str {
    match kind {
        Kind::Category => "tribe_events_cat",
        _ => "post_tag",
    }
}

/// A term inside an event: WordPress's own record of it.
pub fn of_event(kind: Kind, native: &Value, asked: &CompatRequest) -> Value {
    json!({
        "name": shown_name(native),
        "slug": native["slug"],
        "term_group": 0,
        "term_taxonomy_id": native["id"],
        "taxonomy": taxonomy(kind),
        "description": native["description"],
        "parent": native["parent"].as_i64().unwrap_or(0),
        "count": native["count"],
        "filter": "raw",
        "id": native["id"],
        "urls": urls(native, asked),
    })
}

/// A term by itself or in a list: as WordPress's interface shows it. By itself it has links, unless it is gone.
pub fn by_itself(kind: Kind, native: &Value, asked: &CompatRequest, with_links: bool) -> Value {
    let mut term = json!({
        "id": native["id"],
        "count": native["count"],
        "description": native["description"],
        "name": shown_name(native),
        "slug": native["slug"],
        "taxonomy": taxonomy(kind),
    });
    if kind == Kind::Category {
        term["parent"] = native["parent"].clone();
    }
    term["meta"] = json!([]);
    term["url"] = native["url"].clone();
    let urls = urls(native, asked);
    if with_links {
        term["_links"] = links(kind, native, &urls, asked);
    }
    term["urls"] = urls;
    term
}

fn shown_name(native: &Value) -> String {
    name(native["name"].as_str().unwrap_or_default())
}

fn urls(native: &Value, asked: &CompatRequest) -> Value {
    let mut urls: Map<String, Value> = native["urls"].as_object().cloned().unwrap_or_default();
    for url in urls.values_mut() {
        *url = asked.moved(url.as_str().unwrap_or_default()).into();
    }
    urls.into()
}

/// WordPress's links, to what there is here.
fn links(kind: Kind, native: &Value, urls: &Value, asked: &CompatRequest) -> Value {
    let allow = match asked.is_anonymous {
        true => json!(["GET"]),
        false => json!(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    };
    let events = format!("{}/events?{}={}", asked.root(), kind.plural(), native["id"]);
    let mut links = json!({
        "self": [{"href": urls["self"], "targetHints": {"allow": allow}}],
        "collection": [{"href": urls["collection"]}],
        "about": [{"href": asked.root()}],
    });
    if let Some(up) = urls.get("up") {
        links["up"] = json!([{"embeddable": true, "href": up}]);
    }
    links["wp:post_type"] = json!([{"href": events}]);
    links["curies"] = json!([{"name": "wp", "href": "https://api.w.org/{rel}", "templated": true}]);
    links
}
