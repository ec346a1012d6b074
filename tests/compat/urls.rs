//! The roots of the API, and URLs in responses.

use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::{Client, Response, Server},
};

const ROOTS: [&str; 2] = ["/wp-json/tribe/events/v1", "/wp-json/calendar/events/v1"];

/// Creates three events, with a venue, nested categories and a tag.
async fn filled(server: &Server) -> Client {
    let admin = server.administrator().await;
    let parent = admin.create_id("/categories", json!({"name": "Above"})).await;
    let child = admin
        .create_id("/categories", json!({"name": "Below", "parent": parent}))
        .await;
    for title in ["One", "Two", "Three"] {
        let event = json!({"title": title, "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
            "venue": {"venue": "Hall"}, "categories": [child], "tags": ["Live"]});
        admin.create("/events", event).await;
    }
    admin
}

/// Collects the URLs of the API in a value.
fn api_urls(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains("/events/v1") => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| api_urls(item, found)),
        Value::Object(members) => members.values().for_each(|item| api_urls(item, found)),
        _ => {}
    }
}

on_both_databases! {
    async fn urls_stay_on_requested_root(on) {
        let server = on.server(&[]).await;
        let admin = filled(&server).await;
        for root in ROOTS {
            for path in [
                "/events", "/events/1", "/events/by-slug/one", "/categories", "/categories/2", "/tags?page=9",
            ] {
                let response = admin.get(&format!("~{root}{path}")).await.is(200);
                let mut found = Vec::new();
                api_urls(&response.body, &mut found);
                assert!(!found.is_empty(), "{root}{path}");
                let own = format!("{}{root}", server.address);
                let foreign: Vec<_> = found.iter().filter(|url| !url.starts_with(&own)).collect();
                assert!(foreign.is_empty(), "{root}{path}: {foreign:?}");
            }
            let tag = json!({"name": format!("For {root}")});
            let created = admin.post(&format!("~{root}/tags"), tag).await.is(201);
            assert!(created.header("location").starts_with(&format!("{}{root}/tags/", server.address)));
        }
    }

    async fn pagination_links(on) {
        let server = on.server(&[]).await;
        filled(&server).await;
        let client = server.anonymous();
        let path = "~/wp-json/tribe/events/v1/events?per_page=1&search=o&categories[]=above&_locale=user";
        let first = client.get(path).await.is(200);
        assert_eq!(first.texts("events", "title"), ["One"]);
        assert_eq!(first.header("x-tec-total"), "2");
        assert_eq!(first.header("x-wp-totalpages"), "2");
        let next = first.body["next_rest_url"].as_str().expect("a next page");
        assert!(first.header("link").contains(&format!("<{next}>; rel=\"next\"")), "{}", first.header("link"));
        let second = client.get(next).await.is(200);
        assert_eq!(second.texts("events", "title"), ["Two"]);
        assert!(second.body.get("next_rest_url").is_none());
        let previous = second.body["previous_rest_url"].as_str().expect("a previous page");
        assert_eq!(client.get(previous).await.is(200).texts("events", "title"), ["One"]);
    }

    async fn per_page_default_and_limit(on) {
        let server = on.server(&["--variant", "b", "--max-per-page", "12"]).await;
        let admin = server.administrator().await;
        for number in 0..13 {
            admin.create("/tags", json!({"name": format!("Tag {number}")})).await;
        }
        for (query, expected) in [("", 10), ("&per_page=", 10), ("&per_page=4", 4), ("&per_page=100", 12)] {
            let list = admin.get(&format!("~/wp-json/tribe/events/v1/tags?hide_empty=0{query}")).await.is(200);
            assert_eq!(list.each("tags", "id").len(), expected, "{query}");
        }
        let native = admin.get("/tags?hide_empty=0").await.is(200);
        assert_eq!(native.each("tags", "id").len(), 5, "the native default is five");
    }

    async fn path_normalisation(on) {
        let server = on.server(&[]).await;
        let admin = filled(&server).await;
        let pretty = admin.get("~/wp-json/tribe/events/v1/events/1").await.is(200);
        for path in [
            "~/WP-JSON/Tribe/Events/V1/Events/1", "~/index.php/wp-json/tribe/events/v1/events/1",
            "~/wp-json/TRIBE/events/v1/EVENTS/BY-SLUG/One", "~/Index.php/Wp-Json/tribe/events/v1/events/1/",
        ] {
            assert_eq!(admin.get(path).await.is(200).body, pretty.body, "{path}");
        }
        let tag = admin.post("~/index.php/wp-json/Tribe/events/v1/tags", json!({"name": "New"})).await.is(201);
        assert_eq!(tag.body["name"], "New");
    }

    async fn rest_route_parameter(on) {
        let server = on.server(&[]).await;
        let admin = filled(&server).await;
        for (path, pretty) in [
            ("/?rest_route=/tribe/events/v1/events/1", "/wp-json/tribe/events/v1/events/1"),
            ("/?rest_route=%2Fcalendar%2Fevents%2Fv1%2Fevents%2F1%2F", "/wp-json/calendar/events/v1/events/1"),
            ("/index.php?rest_route=/tribe/events/v1/events&per_page=2", "/wp-json/tribe/events/v1/events?per_page=2"),
            ("/?rest_route=/tribe/events/v1", "/wp-json/tribe/events/v1"),
            ("/?rest_route=/", "/wp-json/"),
        ] {
            let response = admin.get(&format!("~{path}")).await.is(200);
            assert_eq!(response.body, admin.get(&format!("~{pretty}")).await.is(200).body, "{path}");
        }
        let made = admin.post("~/?rest_route=/tribe/events/v1/tags", json!({"name": "New"})).await.is(201);
        assert_eq!(made.body["name"], "New");
        admin.get("~/?rest_route=/wp/v2/posts").await.is_error(404, "rest_no_route");
        let page = Response::fetch(admin.request("GET", "~/?rest_route=")).await.is(200);
        assert!(page.body["routes"].is_object(), "an empty route is the index of the site");
    }

    async fn native_root_is_unaffected(on) {
        let server = on.server(&[]).await;
        let admin = filled(&server).await;
        let path = "/events/1?rest_route=/tribe/events/v1&_fields=id&_envelope&_method=DELETE";
        let event = admin.get(path).await.is(200);
        assert!(event.body["image"].is_null() && event.body["author"].is_i64() && event.body["venue"].is_array());
        assert_eq!(event.header("x-robots-tag"), "");
        let overridden = admin.request("GET", "/events/1").header("x-http-method-override", "DELETE");
        Response::fetch(overridden).await.is(200);
        admin.get("/events/99").await.is_error(404, "event-not-found");
        let malformed = server.anonymous().request("GET", "/events").header("authorization", "Bearer nonsense");
        Response::fetch(malformed).await.is_error(401, "rest_invalid_token");
    }
}
