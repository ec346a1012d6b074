//! The global parameters of WordPress: method override, `_fields` and `_envelope`. Also its treatment of headers and
//! credentials.

use serde_json::json;

use crate::{
    on_both_databases,
    support::{Response, Server},
};

const ROOT: &str = "~/wp-json/tribe/events/v1";

fn below(path: &str) -> String {
    format!("{ROOT}{path}")
}

async fn with_event(server: &Server) -> crate::support::Client {
    let admin = server.administrator().await;
    let event = json!({"title": "Concert", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
        "venue": {"venue": "Hall", "city": "Kiel"}});
    admin.create("/events", event).await;
    admin
}

on_both_databases! {
    async fn method_override(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        let patch = admin.request("POST", &below("/events/1")).header("X-HTTP-Method-Override", "PATCH");
        let patched = Response::fetch(patch.json(&json!({"title": "Renamed"}))).await.is(200);
        assert_eq!(patched.body["title"], "Renamed");
        let put = admin.post(&below("/events/1?_method=PUT"), json!({"title": "Again"})).await.is(200);
        assert_eq!(put.body["title"], "Again");
        let read = admin.request("POST", &below("/events/1")).header("X-HTTP-Method-Override", "GET");
        let read = Response::fetch(read).await.is(200);
        assert_eq!(read.body["json_ld"]["name"], "Again");
        assert!(read.header("etag").starts_with('"'), "the response is that of a GET");
        let anonymous = server.anonymous();
        let plain = anonymous.get(&below("/events/1")).await.is(200);
        let read = anonymous.request("POST", &below("/events/1")).header("X-HTTP-Method-Override", "GET");
        assert_eq!(Response::fetch(read).await.is(200).text, plain.text);
        admin.post(&below("/events/1?_method=delete"), json!({})).await.is(200);
        admin.delete(&below("/events/1")).await.is_error(410, "event-is-in-trash");
        admin.post(&below("/events/1?_method=nonsense"), json!({})).await.is_error(404, "rest_no_route");
        server.anonymous().post(&below("/events/1?_method=DELETE"), json!({})).await.is_error(401, "rest_forbidden");
    }

    async fn only_post_is_overridden(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        let read = admin.get(&below("/events/1?_method=DELETE")).await.is(200);
        assert_eq!(read.body["title"], "Concert");
        let read = admin.request("GET", &below("/events/1")).header("X-HTTP-Method-Override", "DELETE");
        Response::fetch(read).await.is(200);
        let put = admin.put(&below("/events/1?_method=DELETE"), json!({"title": "Renamed"})).await.is(200);
        assert_eq!(put.body["title"], "Renamed");
        assert_eq!(admin.get(&below("/events/1")).await.is(200).body["status"], "publish");
    }

    async fn unknown_sort_keys_are_ignored(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        for list in ["events", "venues", "organizers", "categories", "tags"] {
            admin.get(&below(&format!("/{list}?orderby=nonsense&order=sideways"))).await.is(200);
        }
        let other = json!({"title": "Aria", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        admin.create("/events", other).await;
        let titles = admin.get(&below("/events?orderby=title")).await.is(200).texts("events", "title");
        assert_eq!(titles, ["Aria", "Concert"]);
    }

    async fn event_status_is_only_in_json_ld(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        admin.patch("/events/1", json!({"event_status": "canceled"})).await.is(200);
        let read = server.anonymous().get(&below("/events/1")).await.is(200).body;
        assert_eq!((read.get("event_status"), read.get("uid")), (None, None));
        assert_eq!(read["json_ld"]["eventStatus"], "https://schema.org/EventCancelled");
        // A body that was read keeps it.
        admin.put(&below("/events/1"), read).await.is(200);
        assert_eq!(admin.get("/events/1").await.is(200).body["event_status"], "canceled");
    }

    async fn fields_parameter(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        for (query, expected) in [
            ("_fields=id,venue.city", json!({"id": 1, "venue": {"city": "Kiel"}})),
            ("_fields[]=id&_fields[]=title", json!({"id": 1, "title": "Concert"})),
            ("_fields=nothing", json!([])),
        ] {
            let response = admin.get(&below(&format!("/events/1?{query}"))).await.is(200);
            assert_eq!(response.body, expected, "{query}");
        }
        let list = admin.get(&below("/events?_fields=total,total_pages")).await.is(200);
        assert_eq!(list.body, json!({"total": 1, "total_pages": 1}));
        admin.get(&below("/events/9?_fields=id")).await.is_error(404, "rest-event-not-found");
    }

    async fn envelope_parameter(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        let list = admin.get(&below("/events?_envelope=1&_fields=total")).await.is(200);
        assert_eq!(list.body["body"], json!({"total": 1}));
        assert_eq!(list.body["status"], 200);
        assert_eq!(list.body["headers"]["X-TEC-Total"], 1);
        let missing = admin.get(&below("/events/9?_envelope")).await.is(200);
        assert_eq!(missing.body["status"], 404);
        assert_eq!(missing.body["body"]["code"], "rest-event-not-found");
    }

    async fn head_has_headers_of_get(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        for path in ["/events", "/events/1", "/tags", ""] {
            let head = Response::fetch(admin.request("HEAD", &below(path))).await.is(200);
            let get = admin.get(&below(path)).await.is(200);
            assert_eq!(head.text, "", "{path}");
            for name in ["content-type", "etag", "link", "x-tec-total", "allow"] {
                assert_eq!(head.header(name), get.header(name), "{path} {name}");
            }
        }
    }

    async fn wordpress_headers(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        for path in ["/events", "/events/1", "/events/9", "/nothing", ""] {
            let response = server.anonymous().get(&below(path)).await;
            assert_eq!(response.header("content-type"), "application/json; charset=UTF-8", "{path}");
            assert_eq!(response.header("x-robots-tag"), "noindex", "{path}");
            assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
            assert!(response.header("link").starts_with(&format!("<{}/wp-json/>", server.address)), "{path}");
        }
        assert_eq!(server.anonymous().get(&below("/events/1")).await.header("allow"), "GET");
        assert_eq!(admin.get(&below("/events/1")).await.header("allow"), "GET, DELETE, POST, PUT, PATCH");
        assert_eq!(admin.get(&below("/events")).await.header("allow"), "GET, POST");
    }

    async fn page_past_the_end_has_totals(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        admin.create("/tags", json!({"name": "Live"})).await;
        for (path, status) in [
            ("/events?page=9", 404), ("/events?page[]=9&per_page=1", 404), ("/venues?per_page=1&page=2", 404),
            ("/tags?hide_empty=0&page=9", 200),
        ] {
            for client in [&admin, &server.anonymous()] {
                let page = client.get(&below(path)).await.is(status);
                for name in ["x-tec-total", "x-wp-total", "x-tec-totalpages", "x-wp-totalpages"] {
                    assert_eq!(page.header(name), "1", "{path} {name}");
                }
            }
        }
    }

    async fn etag_of_translated_response(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        let first = admin.get(&below("/events/1")).await.is(200);
        let native = admin.get("/events/1").await.is(200);
        assert_ne!(first.header("etag"), native.header("etag"));
        let again = admin.request("GET", &below("/events/1")).header("if-none-match", first.header("etag"));
        Response::fetch(again).await.is(304);
        let stale = admin.request("PATCH", &below("/events/1")).header("if-match", "\"9-x\"");
        Response::fetch(stale.json(&json!({"title": "x"}))).await.is_error(412, "rest_precondition_failed");
        let fresh = admin.request("PATCH", &below("/events/1")).header("if-match", first.header("etag"));
        Response::fetch(fresh.json(&json!({"title": "x"}))).await.is(200);
    }

    async fn unknown_credentials_are_ignored_wrong_ones_rejected(on) {
        let server = on.server(&[]).await;
        let admin = with_event(&server).await;
        for value in ["Bearer eyJhbGciOi", "Basic ???", "Digest x"] {
            let request = server.anonymous().request("GET", &below("/events")).header("authorization", value);
            Response::fetch(request).await.is(200);
            let request = server.anonymous().request("POST", &below("/tags")).header("authorization", value);
            Response::fetch(request.json(&json!({"name": "x"}))).await.is_error(401, "rest_forbidden");
        }
        for (name, password) in [("admin", "wrong"), ("nobody", "wrong")] {
            let client = server.anonymous().with_password(name, password);
            client.get(&below("/events")).await.is_error(401, "incorrect_password");
        }
        let unknown = server.anonymous().with_token("alm_unknown");
        unknown.get(&below("/events")).await.is_error(401, "rest_invalid_token");
        admin.get(&below("/events")).await.is(200);
    }

    async fn accept_header_is_ignored(on) {
        let server = on.server(&[]).await;
        with_event(&server).await;
        let request = server.anonymous().request("GET", &below("/events")).header("accept", "text/html");
        Response::fetch(request).await.is(200);
    }
}
