//! The base of URLs in responses.

use serde_json::json;

use crate::{
    fixtures::{create_one_of_each, get_with},
    on_both_databases,
};

const ROOT: &str = "/calendar/events/v1";

on_both_databases! {
    async fn urls_use_request_host(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let own = server.address.as_str();
        let evil = [
            ("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https"),
            ("forwarded", "host=evil.example;proto=https"),
        ];
        for (headers, base) in [
            (vec![], own),
            (vec![("host", "calendar.example.org")], "http://calendar.example.org"),
            (vec![("host", "Calendar.Example.org:8080")], "http://calendar.example.org:8080"),
            (vec![("host", "[::1]:8080")], "http://[::1]:8080"),
            // Forwarding headers of untrusted clients are ignored.
            (evil.to_vec(), own),
            // Invalid hosts are not echoed.
            (vec![("host", "evil.example/path")], own),
            (vec![("host", "user@evil.example")], own),
            (vec![("host", "evil.example?x")], own),
            (vec![("host", "evil.example#x")], own),
            (vec![("host", "\"><script>")], own),
            (vec![("host", "a b")], own),
            (vec![("host", "evil.example:port")], own),
        ] {
            let list = get_with(&anonymous, "/events", &headers).await;
            // Some of these are rejected.
            if list.status == 400 {
                continue;
            }
            assert_eq!(list.is(200).body["rest_url"], format!("{base}{ROOT}/events"), "{headers:?}");
        }
    }

    async fn base_url_flag_overrides_host(database) {
        let server = database.server(&[
            "--base-url", "https://example.org/calendar/", "--trusted-proxy", "127.0.0.1",
        ]).await;
        let admin = create_one_of_each(&server).await;
        let headers = [("x-forwarded-host", "other.example"), ("host", "another.example")];
        let base = "https://example.org/calendar";
        let event = get_with(&admin, "/events/1", &headers).await.is(200).body;
        assert_eq!(event["rest_url"], format!("{base}{ROOT}/events/1"));
        assert_eq!(event["url"], format!("{base}/event/thing"));
        assert_eq!(event["global_id"], "example.org?event=1");
        let list = get_with(&admin, "/events", &headers).await.is(200);
        assert!(list.header("link").contains(&format!("<{base}{ROOT}/events?page=1>")));
        let created = admin.post("/tags", json!({"name": "New"})).await.is(201);
        assert_eq!(created.header("location"), format!("{base}{ROOT}/tags/2"));
        let index = get_with(&admin, "", &headers).await.is(200).body;
        assert_eq!(index["_links"]["self"][0]["href"], format!("{base}{ROOT}"));
        let document = get_with(&admin, "/doc", &headers).await.is(200).body;
        assert_eq!(document["servers"], json!([{"url": "/"}]));
    }
}
