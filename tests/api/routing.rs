//! Routes: methods, trailing slashes, unknown paths and request IDs.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    fixtures::{comma_separated, create_event, create_one_of_each, get_with, send_with},
    on_both_databases,
    support::Client,
};

/// The paths of operations that read, and whether they need credentials. Changes are left out: a stream does not end,
/// and tokens contain the time.
async fn readable_paths(client: &Client) -> Vec<(String, bool)> {
    let all = paths(client).await.into_iter();
    all.filter(|(path, methods)| methods.contains("get") && !path.contains("/changes"))
        .map(|(path, _)| {
            let needs_credentials = path.ends_with("/me") || path.contains("/webhooks");
            (path, needs_credentials)
        })
        .collect()
}

/// Creates a series and a webhook.
async fn create_others(admin: &Client) {
    create_event(admin, "Class", json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=2"})).await;
    admin
        .post("/webhooks", json!({"url": "https://example.org/"}))
        .await
        .is(201);
}

/// Every path of the document with its methods. Parameters are replaced by the ID and slug of
/// [`create_one_of_each`].
async fn paths(client: &Client) -> Vec<(String, BTreeSet<String>)> {
    let document = client.get("/doc").await.is(200).body;
    let paths = document["paths"].as_object().expect("paths");
    let replaced = paths.iter().map(|(path, item)| {
        let path = path
            .replace("{id}", "1")
            .replace("{delivery}", "1")
            .replace("{slug}", "thing")
            .replace("{source}", "other")
            .replace("{external_id}", "thing");
        let methods = item.as_object().expect("operations").keys().cloned().collect();
        (path, methods)
    });
    replaced.collect()
}

on_both_databases! {
    async fn trailing_slash_ignored(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        create_others(&admin).await;
        for (path, needs_credentials) in readable_paths(&anonymous).await {
            let client = if needs_credentials { &admin } else { &anonymous };
            let without = client.get(&format!("~{path}")).await.is(200);
            let with = client.get(&format!("~{path}/")).await.is(200);
            assert_eq!(with.text, without.text, "{path}");
        }
        let nobody = server.anonymous().with_password("nobody", "wrong");
        nobody.post("/events/", json!({})).await.is_error(401, "incorrect_password");
        anonymous.get("/events/?per_page=1").await.is(200);
        anonymous.get("~/event/thing/").await.is(200);
    }

    async fn head_matches_get(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        create_others(&admin).await;
        let pages = ["/", "/explorer", "/healthz", "/readyz", "/event/thing", "/venue/thing", "/organizer/thing"];
        let documented = readable_paths(&anonymous).await;
        for (path, needs_credentials) in documented.into_iter().chain(pages.map(|page| (page.to_owned(), false))) {
            let client = if needs_credentials { &admin } else { &anonymous };
            let path = format!("~{path}");
            let read = client.get(&path).await.is(200);
            let head = send_with(client, "HEAD", &path, &[]).await.is(200);
            assert_eq!(head.text, "", "{path}");
            for name in ["etag", "content-type", "cache-control", "vary", "x-wp-total", "link", "content-length"] {
                assert_eq!(head.header(name), read.header(name), "{path} {name}");
            }
        }
        send_with(&anonymous, "HEAD", "/events/99", &[]).await.is(404);
        send_with(&anonymous, "HEAD", "/nowhere", &[]).await.is(404);
    }

    async fn options_and_405_list_allowed_methods(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        for (path, methods) in paths(&admin).await {
            let path = format!("~{path}");
            let mut expected = methods.clone();
            expected.insert("options".to_owned());
            if methods.contains("get") {
                expected.insert("head".to_owned());
            }
            let options = send_with(&admin, "OPTIONS", &path, &[]).await.is(204);
            assert_eq!(options.text, "");
            assert_eq!(comma_separated(options.header("allow")), expected, "{path}");
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                if !methods.contains(&method.to_lowercase()) {
                    let rejected = send_with(&admin, method, &path, &[]).await;
                    let rejected = rejected.is_error(405, "rest_method_not_allowed");
                    assert_eq!(comma_separated(rejected.header("allow")), expected, "{method} {path}");
                }
            }
        }
        for path in ["~/", "~/explorer", "~/event/thing", "~/healthz"] {
            let rejected = send_with(&admin, "POST", path, &[]).await.is_error(405, "rest_method_not_allowed");
            assert_eq!(rejected.header("allow"), "GET, HEAD, OPTIONS", "{path}");
            let options = send_with(&admin, "OPTIONS", path, &[]).await.is(204);
            assert_eq!(options.header("allow"), "GET, HEAD, OPTIONS", "{path}");
        }
        send_with(&admin, "TRACE", "/events", &[]).await.is_error(405, "rest_method_not_allowed");
    }

    async fn unknown_route_is_json_404(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        for path in [
            "~/nowhere", "~/calendar", "~/calendar/events/v2/events", "/nowhere", "/events/1/2",
            "/events/abc", "/events/1x", "/events/-1", "/events/+1", "/events/1.0", "/events/0x1", "/events/%31%20",
            "/events/by-slug", "/events/by-slug/a/b", "/venues/abc", "/organizers/abc", "/categories/abc",
            "/tags/abc", "/categories/by-slug/thing", "/tags/by-slug/thing", "/eventsx", "~/calendar/events/v1x",
        ] {
            let response = admin.get(path).await.is_error(404, "rest_no_route");
            assert_eq!(response.header("content-type"), "application/json", "{path}");
            assert!(response.body["message"].as_str().is_some_and(|text| !text.is_empty()), "{path}");
        }
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            send_with(&admin, method, "/events/abc", &[]).await.is_error(404, "rest_no_route");
        }
        send_with(&admin, "OPTIONS", "/nowhere", &[]).await.is_error(404, "rest_no_route");
        // Any number of digits is an ID.
        admin.get("/events/99").await.is_error(404, "event-not-found");
        admin.get("/events/99999999999999999999999999").await.is(404);
    }

    async fn request_id_in_every_response(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for (method, path) in [
            ("GET", "/events"), ("GET", "~/"), ("GET", "/nowhere"), ("POST", "/events"), ("DELETE", "/events"),
            ("OPTIONS", "/events"),
        ] {
            let own = send_with(&anonymous, method, path, &[]).await;
            assert!(own.header("x-request-id").len() >= 16, "{method} {path}");
            let given = send_with(&anonymous, method, path, &[("x-request-id", "proxy-4711.a_b")]).await;
            assert_eq!(given.header("x-request-id"), "proxy-4711.a_b", "{method} {path}");
        }
        let long = "x".repeat(65);
        for odd in ["a b", "<script>", "a,b", "", long.as_str()] {
            let response = get_with(&anonymous, "/events", &[("x-request-id", odd)]).await;
            assert_ne!(response.header("x-request-id"), odd);
            assert_ne!(response.header("x-request-id"), "");
        }
    }
}
