//! Unknown parameters and fields: named in `X-Ignored`, or rejected with `Prefer: handling=strict`.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::{
    fixtures::{create_one_of_each, get_with, minimal_event, send_with},
    on_both_databases,
    support::{Client, Response},
};

const STRICT: (&str, &str) = ("prefer", "handling=strict");
const IMAGE: &str = "https://example.org/barn.jpg";

async fn strict(request: RequestBuilder) -> Response {
    Response::fetch(request.header(STRICT.0, STRICT.1)).await
}

/// Sends a body with strict handling.
async fn send_strict(client: &Client, method: &str, path: &str, body: &Value) -> Response {
    strict(client.request(method, path).json(body)).await
}

/// An event with unknown fields at all depths, and their names.
fn event_with_unknown_fields() -> (Value, &'static str) {
    let mut event = minimal_event();
    event["titel"] = json!("Concert");
    event["venue"] = json!([{"venue": "Hall", "x": 1}, {"venue": "Barn", "image": {"url": IMAGE, "alt": "Barn"}}]);
    event["organizer"] = json!({"organizer": "Ann", "mail": "ann@example.org"});
    event["categories"] = json!([{"id": 1, "colour": "red"}]);
    (
        event,
        "titel, venue[0].x, venue[1].image.alt, organizer.mail, categories[0].colour",
    )
}

on_both_databases! {
    async fn unknown_parameters_are_named(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = create_one_of_each(&server).await;
            for (path, ignored) in [
                ("/events?radius=5&page=1", "radius"),
                ("/events?id=7&radius[]=5&a[b]=1&radius=6", "id, radius, a[b]"),
                ("/events?radius&x=", "radius, x"),
                ("/events?a%20b%2Cc=1&gr%C3%B6%C3%9Fe=2", "a%20b%2Cc, gr%C3%B6%C3%9Fe"),
                ("/events/1?id=2&fields=id", "id"),
                ("/events/by-slug/thing?slug=other", "slug"),
                ("/venues?start_date=2027-01-01", "start_date"),
                ("/organizers/1?x=1", "x"),
                ("/categories?post=1&author=1", "author"),
                ("/tags?parent=1", "parent"),
                ("/tags/1?x=1", "x"),
                ("?x=1", "x"),
                ("/doc?x=1", "x"),
                ("/me?x=1", "x"),
                ("/events?=1&&page=1", ""),
                ("/events", ""),
            ] {
                let read = admin.get(path).await.is(200);
                assert_eq!(read.header("x-ignored"), ignored, "{path}");
                assert_eq!(read.header("preference-applied"), "", "{path}");
            }
        }
    }

    async fn parameters_of_the_other_variant_are_unknown(database) {
        for (variant, ignored) in [("a", "ticketed, strict_dates"), ("b", "")] {
            let server = database.server(&["--variant", variant]).await;
            let read = server.anonymous().get("/events?ticketed=true&strict_dates=1").await.is(200);
            assert_eq!(read.header("x-ignored"), ignored);
        }
    }

    async fn cached_responses_name_them(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for _ in 0..2 {
            let read = anonymous.get("/events?radius=5").await.is(200);
            assert_eq!(read.header("x-ignored"), "radius");
            let condition = [("if-none-match", read.header("etag"))];
            let known = get_with(&anonymous, "/events?radius=5", &condition).await.is(304);
            assert_eq!(known.header("x-ignored"), "radius");
        }
        let head = send_with(&anonymous, "HEAD", "/events?radius=5", &[]).await.is(200);
        assert_eq!(head.header("x-ignored"), "radius");
    }

    async fn strict_and_lenient_responses_are_cached_separately(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for _ in 0..2 {
            anonymous.get("/events?radius=5").await.is(200);
            get_with(&anonymous, "/events?radius=5", &[STRICT]).await.is_error(400, "rest_invalid_param");
            let known = get_with(&anonymous, "/events", &[STRICT]).await.is(200);
            assert_eq!(known.header("preference-applied"), "handling=strict");
            let known = anonymous.get("/events").await.is(200);
            assert_eq!(known.header("preference-applied"), "");
        }
    }

    async fn names_are_limited(database) {
        let server = database.server(&[]).await;
        let query: Vec<String> = (0..100).map(|number| format!("x{number}=1")).collect();
        let path = format!("/events?{}", query.join("&"));
        let read = server.anonymous().get(&path).await.is(200);
        assert_eq!(read.header("x-ignored").split(", ").count(), 20);
        let rejected = get_with(&server.anonymous(), &path, &[STRICT]).await.is(400);
        assert_eq!(rejected.invalid_params().len(), 20);
        let long = server.anonymous().get(&format!("/events?{}=1", "x".repeat(1000))).await.is(200);
        assert_eq!(long.header("x-ignored"), format!("{}%E2%80%A6", "x".repeat(64)));
    }

    async fn strict_reads_reject_them(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        for (path, params) in [
            ("/events?orgnizer=1", json!({"orgnizer": "is unknown; the nearest known name is organizer"})),
            (
                "/venues?serach=x&x[]=1",
                json!({
                    "serach": "is unknown; the nearest known name is search",
                    "x": "is unknown; the nearest known name is search",
                }),
            ),
            ("/events/1?field=id", json!({"field": "is unknown; the nearest known name is fields"})),
            ("/tags/1?field=id", json!({"field": "is unknown; the nearest known name is fields"})),
            ("/doc?field=id", json!({"field": "is unknown; the nearest known name is fields"})),
            ("/me?field=id", json!({"field": "is unknown; the nearest known name is fields"})),
        ] {
            let rejected = strict(admin.request("GET", path)).await.is_error(400, "rest_invalid_param");
            for (name, message) in params.as_object().expect("an object") {
                let found = &rejected.body["data"]["params"][name];
                let is_expected = found == message || name == "x";
                assert!(is_expected && found.is_string(), "{path}: {found}");
            }
            assert_eq!(rejected.header("preference-applied"), "handling=strict", "{path}");
            assert_eq!(rejected.header("x-ignored"), "", "{path}");
        }
    }

    async fn strict_handling_reports_all_errors(database) {
        let server = database.server(&[]).await;
        let rejected = get_with(&server.anonymous(), "/events?radius=5&per_page=0&venue=9", &[STRICT]).await;
        assert_eq!(rejected.is_error(400, "rest_invalid_param").invalid_params(), ["per_page", "radius", "venue"]);
    }

    async fn strict_handling_accepts_what_is_known(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        for path in ["/events?per_page=1&featured=", "/events/1?fields=id", "/tags?hide_empty=0", "", "/doc", "/me"] {
            let read = strict(admin.request("GET", path)).await.is(200);
            assert_eq!(read.header("preference-applied"), "handling=strict", "{path}");
        }
    }

    async fn unknown_fields_are_named(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let (event, ignored) = event_with_unknown_fields();
        let created = admin.post("/events?y=1", event).await.is(201);
        assert_eq!(created.header("x-ignored"), format!("y, {ignored}"));
        for path in ["/venues/1", "/organizers/1", "/categories/1", "/tags/1"] {
            for method in ["POST", "PUT", "PATCH"] {
                let request = admin.request(method, path).json(&json!({"description": "Text", "x": 1}));
                assert_eq!(Response::fetch(request).await.is(200).header("x-ignored"), "x", "{method} {path}");
            }
        }
        let form = [("venue", "Hall"), ("nme", "Hall"), ("image[alt]", "Hall"), ("image[url]", IMAGE)];
        let request = admin.request("POST", "/venues").form(&form);
        assert_eq!(Response::fetch(request).await.is(201).header("x-ignored"), "image.alt, nme");
    }

    async fn strict_writes_reject_them_and_store_nothing(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let (event, ignored) = event_with_unknown_fields();
        let rejected = send_strict(&admin, "POST", "/events?y=1", &event).await.is_error(400, "rest_invalid_param");
        let mut expected: Vec<&str> = ignored.split(", ").chain(["y"]).collect();
        expected.sort_unstable();
        assert_eq!(rejected.invalid_params(), expected);
        let title = &rejected.body["data"]["params"]["titel"];
        assert_eq!(title, "is unknown; the nearest known name is title");
        assert_eq!(admin.get("/events?start_date=2000-01-01").await.is(200).body["total"], 1);
        assert_eq!(admin.get("/venues").await.is(200).body["total"], 1);
        for path in ["/events/1", "/venues/1", "/organizers/1", "/categories/1", "/tags/1"] {
            let body = json!({"description": "Changed", "x": 1});
            let rejected = send_strict(&admin, "PATCH", path, &body).await.is_error(400, "rest_invalid_param");
            assert_eq!(rejected.invalid_params(), ["x"], "{path}");
            assert_eq!(admin.get(path).await.is(200).body["description"], "", "{path}");
        }
    }

    async fn strict_deletes_reject_unknown_parameters(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        for path in ["/events/1", "/venues/by-slug/thing", "/organizers/1", "/categories/1", "/tags/1"] {
            let with_force = format!("{path}?force=true");
            let rejected = strict(admin.request("DELETE", &with_force)).await.is_error(400, "rest_invalid_param");
            let message = match path {
                "/events/1" => "is unknown; the nearest known name is scope",
                _ => "is unknown; this operation has no query parameters",
            };
            assert_eq!(rejected.body["data"]["params"], json!({"force": message}), "{path}");
            admin.get(path).await.is(200);
            let deleted = admin.delete(&with_force).await.is(200);
            assert_eq!(deleted.header("x-ignored"), "force", "{path}");
        }
    }

    async fn permissions_and_objects_are_checked_first(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let unknown = json!({"x": 1});
        send_strict(&anonymous, "POST", "/events?y=1", &unknown).await.is_error(401, "rest_not_logged_in");
        send_strict(&admin, "PATCH", "/events/9?y=1", &unknown).await.is_error(404, "event-not-found");
        strict(admin.request("DELETE", "/tags/9?y=1")).await.is_error(404, "tag-not-found");
        strict(admin.request("GET", "/venues/9?y=1")).await.is_error(404, "venue-not-found");
    }

    async fn representations_can_be_sent_back(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = create_one_of_each(&server).await;
            let linked = json!({"venue": 1, "organizer": 1, "categories": [1], "tags": [1],
                "image": IMAGE, "custom_fields": {"any": {"x": 1}}});
            admin.patch("/events/1", linked).await.is(200);
            for path in ["/events/1", "/venues/1", "/organizers/1", "/categories/1", "/tags/1"] {
                let read = admin.get(path).await.is(200);
                let written = send_strict(&admin, "PUT", path, &read.body).await.is(200);
                assert_eq!((written.header("x-ignored"), &written.body), ("", &read.body), "{path}");
            }
        }
    }

    async fn preference_has_several_spellings(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for (prefer, status) in [
            ("handling=strict", 400),
            ("Handling=\"strict\"", 400),
            ("respond-async, handling=strict; x=1", 400),
            ("handling=lenient", 200),
            ("handling=lenient, handling=strict", 200),
            ("strict", 200),
            ("note=\"a, handling=strict\"", 200),
        ] {
            let response = get_with(&anonymous, "/events?radius=5", &[("prefer", prefer)]).await;
            assert_eq!(response.status, status, "{prefer}");
        }
    }

    async fn compatibility_root_ignores_them(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let path = "~/wp-json/tribe/events/v1/events?radius=5&_locale=user&orderby=nothing";
        for headers in [&[][..], &[STRICT]] {
            let read = get_with(&server.anonymous(), path, headers).await.is(200);
            assert_eq!((read.header("x-ignored"), read.header("preference-applied")), ("", ""));
        }
    }
}
