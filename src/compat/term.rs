//! The two representations of categories and tags in The Events Calendar.

use serde_json::{Map, Value, json};

use super::{request::CompatRequest, typography::term_name};
use crate::calendar::{Kind, slug::encoded};

fn taxonomy(kind: Kind) -> &'static str {
    match kind {
        Kind::Category => "tribe_events_cat",
        _ => "post_tag",
    }
}

/// A term inside an event: the record of WordPress.
pub(super) fn embedded(kind: Kind, native: &Value, compat: &CompatRequest) -> Value {
    json!({
        "name": escaped_name(native),
        "slug": encoded(native["slug"].as_str().unwrap_or_default()),
        "term_group": 0,
        "term_taxonomy_id": native["id"],
        "taxonomy": taxonomy(kind),
        "description": native["description"],
        "parent": native["parent"].as_i64().unwrap_or(0),
        "count": native["count"],
        "filter": "raw",
        "id": native["id"],
        "urls": urls(native, compat),
    })
}

/// A term alone or in a list: the representation of the WordPress REST API.
pub(super) fn standalone(kind: Kind, native: &Value, compat: &CompatRequest, with_links: bool) -> Value {
    let mut term = json!({
        "id": native["id"],
        "count": native["count"],
        "description": native["description"],
        "name": escaped_name(native),
        "slug": encoded(native["slug"].as_str().unwrap_or_default()),
        "taxonomy": taxonomy(kind),
    });
    if kind == Kind::Category {
        term["parent"] = native["parent"].clone();
    }
    term["meta"] = json!([]);
    term["url"] = native["url"].clone();
    let urls = urls(native, compat);
    if with_links {
        term["_links"] = links(kind, native, &urls, compat);
    }
    term["urls"] = urls;
    term
}

fn escaped_name(native: &Value) -> String {
    term_name(native["name"].as_str().unwrap_or_default())
}

fn urls(native: &Value, compat: &CompatRequest) -> Value {
    let mut urls: Map<String, Value> = native["urls"].as_object().cloned().unwrap_or_default();
    for url in urls.values_mut() {
        *url = compat.rebase(url.as_str().unwrap_or_default()).into();
    }
    urls.into()
}

/// The links of a term. Links to WordPress resources that this server does not have are omitted.
fn links(kind: Kind, native: &Value, urls: &Value, compat: &CompatRequest) -> Value {
    let allow = match compat.is_anonymous {
        true => json!(["GET"]),
        false => json!(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    };
    let events = format!("{}/events?{}={}", compat.root(), kind.plural(), native["id"]);
    let mut links = json!({
        "self": [{"href": urls["self"], "targetHints": {"allow": allow}}],
        "collection": [{"href": urls["collection"]}],
        "about": [{"href": compat.root()}],
    });
    if let Some(up) = urls.get("up") {
        links["up"] = json!([{"embeddable": true, "href": up}]);
    }
    links["wp:post_type"] = json!([{"href": events}]);
    links["curies"] = json!([{"name": "wp", "href": "https://api.w.org/{rel}", "templated": true}]);
    links
}
