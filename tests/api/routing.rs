//! What holds for every route: methods, slashes, errors, addresses, caches and other sites.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    on_both,
    support::{Answer, Client, Server},
};

const ROOT: &str = "/calendar/events/v1";

/// Sends a request with some headers.
async fn send(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = client.request(method, path);
    Answer::of(
        headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value)),
    )
    .await
}

async fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> Answer {
    send(client, "GET", path, headers).await
}

fn words(header: &str) -> BTreeSet<String> {
    header.split(',').map(|word| word.trim().to_lowercase()).collect()
}

/// One object of each kind, each with the ID 1 and the slug `thing`.
async fn with_one_of_each(server: &Server) -> Client {
    let admin = server.administrator().await;
    admin.create("/categories", json!({"name": "Thing"})).await;
    admin.create("/tags", json!({"name": "Thing"})).await;
    admin.create("/venues", json!({"venue": "Thing"})).await;
    admin.create("/organizers", json!({"organizer": "Thing"})).await;
    admin
        .create(
            "/events",
            json!({"title": "Thing", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"}),
        )
        .await;
    admin
}

/// Every path of the document with its methods, filled in for the object with the ID 1.
async fn paths(client: &Client) -> Vec<(String, BTreeSet<String>)> {
    let document = client.get("/doc").await.is(200).body;
    let paths = document["paths"].as_object().expect("paths");
    let filled = paths.iter().map(|(path, item)| {
        let path = path.replace("{id}", "1").replace("{slug}", "thing");
        let methods = item.as_object().expect("operations").keys().cloned().collect();
        (path, methods)
    });
    filled.collect()
}

on_both! {
    async fn trailing_slash_ignored(on) {
        let server = on.server(&[]).await;
        with_one_of_each(&server).await;
        let anonymous = server.anonymous();
        for (path, _) in paths(&anonymous).await {
            let without = anonymous.get(&format!("~{path}")).await.is(200);
            let with = anonymous.get(&format!("~{path}/")).await.is(200);
            assert_eq!(with.text, without.text, "{path}");
        }
        let admin = server.anonymous().with_password("nobody", "wrong");
        admin.post("/events/", json!({})).await.is_error(401, "incorrect_password");
        anonymous.get("/events/?per_page=1").await.is(200);
        anonymous.get("~/event/thing/").await.is(200);
    }

    async fn head_matches_get(on) {
        let server = on.server(&[]).await;
        with_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let pages = ["/", "/explorer", "/healthz", "/readyz", "/event/thing", "/venue/thing", "/organizer/thing"];
        let documented = paths(&anonymous).await.into_iter().map(|(path, _)| path);
        for path in documented.chain(pages.map(str::to_owned)) {
            let path = format!("~{path}");
            let read = anonymous.get(&path).await.is(200);
            let head = send(&anonymous, "HEAD", &path, &[]).await.is(200);
            assert_eq!(head.text, "", "{path}");
            for name in ["etag", "content-type", "cache-control", "vary", "x-wp-total", "link", "content-length"] {
                assert_eq!(head.header(name), read.header(name), "{path} {name}");
            }
        }
        send(&anonymous, "HEAD", "/events/99", &[]).await.is(404);
        send(&anonymous, "HEAD", "/nowhere", &[]).await.is(404);
    }

    async fn options_and_405_list_allowed_methods(on) {
        let server = on.server(&[]).await;
        let admin = with_one_of_each(&server).await;
        for (path, methods) in paths(&admin).await {
            let path = format!("~{path}");
            let mut expected = methods.clone();
            expected.extend(["head", "options"].map(str::to_owned));
            let options = send(&admin, "OPTIONS", &path, &[]).await.is(204);
            assert_eq!(options.text, "");
            assert_eq!(words(options.header("allow")), expected, "{path}");
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                if !methods.contains(&method.to_lowercase()) {
                    let refused = send(&admin, method, &path, &[]).await;
                    let refused = refused.is_error(405, "rest_method_not_allowed");
                    assert_eq!(words(refused.header("allow")), expected, "{method} {path}");
                }
            }
        }
        for path in ["~/", "~/explorer", "~/event/thing", "~/healthz"] {
            let refused = send(&admin, "POST", path, &[]).await.is_error(405, "rest_method_not_allowed");
            assert_eq!(refused.header("allow"), "GET, HEAD, OPTIONS", "{path}");
            let options = send(&admin, "OPTIONS", path, &[]).await.is(204);
            assert_eq!(options.header("allow"), "GET, HEAD, OPTIONS", "{path}");
        }
        send(&admin, "TRACE", "/events", &[]).await.is_error(405, "rest_method_not_allowed");
    }

    async fn unknown_route_is_json_404(on) {
        let server = on.server(&[]).await;
        let admin = with_one_of_each(&server).await;
        for path in [
            "~/nowhere", "~/calendar", "~/calendar/events/v2/events", "/nowhere", "/events/1/2",
            "/events/abc", "/events/1x", "/events/-1", "/events/+1", "/events/1.0", "/events/0x1", "/events/%31%20",
            "/events/by-slug", "/events/by-slug/a/b", "/venues/abc", "/organizers/abc", "/categories/abc",
            "/tags/abc", "/categories/by-slug/thing", "/tags/by-slug/thing", "/eventsx", "~/calendar/events/v1x",
        ] {
            let answer = admin.get(path).await.is_error(404, "rest_no_route");
            assert_eq!(answer.header("content-type"), "application/json", "{path}");
            assert!(answer.body["message"].as_str().is_some_and(|text| !text.is_empty()), "{path}");
        }
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            send(&admin, method, "/events/abc", &[]).await.is_error(404, "rest_no_route");
        }
        send(&admin, "OPTIONS", "/nowhere", &[]).await.is_error(404, "rest_no_route");
        // Digits are an ID, however many.
        admin.get("/events/99").await.is_error(404, "event-not-found");
        admin.get("/events/99999999999999999999999999").await.is(404);
    }

    async fn any_origin_may_read(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let origin = ("origin", "https://elsewhere.example");
        let asked = [origin, ("access-control-request-method", "PATCH"), ("access-control-request-headers", "authorization,content-type,if-match")];
        let preflight = send(&anonymous, "OPTIONS", "/events/1", &asked).await;
        assert!(preflight.status.is_success());
        assert!(["*", origin.1].contains(&preflight.header("access-control-allow-origin")));
        let methods = words(preflight.header("access-control-allow-methods"));
        assert!(["get", "post", "put", "patch", "delete"].iter().all(|method| methods.contains(*method)));
        let allowed = words(preflight.header("access-control-allow-headers"));
        for name in ["authorization", "content-type", "if-match", "if-none-match", "x-http-method-override", "x-wp-nonce"] {
            assert!(allowed.contains(name), "{name}");
        }
        assert_eq!(preflight.header("access-control-allow-credentials"), "");
        for (path, status) in [("/events", 200), ("/nowhere", 404), ("/events/abc", 404)] {
            let read = get(&anonymous, path, &[origin]).await.is(status);
            assert!(["*", origin.1].contains(&read.header("access-control-allow-origin")), "{path}");
            assert_eq!(read.header("access-control-allow-credentials"), "");
            let exposed = words(read.header("access-control-expose-headers"));
            for name in [
                "etag", "link", "location", "retry-after", "x-request-id", "x-tec-total",
                "x-tec-totalpages", "x-wp-total", "x-wp-totalpages",
            ] {
                assert!(exposed.contains(name), "{path} {name}");
            }
            let depends = words(read.header("vary"));
            for name in ["accept", "accept-encoding", "accept-language", "authorization", "origin"] {
                assert!(depends.contains(name), "{path} {name}");
            }
        }
    }

    async fn cors_origin_flag_restricts_origins(on) {
        let server = on.server(&["--cors-origin", "https://one.example,https://two.example"]).await;
        let anonymous = server.anonymous();
        for (origin, allowed) in [
            ("https://one.example", true), ("https://two.example", true), ("https://three.example", false),
            ("https://one.example.evil.example", false), ("http://one.example", false), ("null", false),
        ] {
            let read = get(&anonymous, "/events", &[("origin", origin)]).await.is(200);
            let expected = if allowed { origin } else { "" };
            assert_eq!(read.header("access-control-allow-origin"), expected);
            assert!(words(read.header("vary")).contains("origin"));
            let asked = [("origin", origin), ("access-control-request-method", "GET")];
            let preflight = send(&anonymous, "OPTIONS", "/events", &asked).await;
            assert!(preflight.status.is_success());
            assert_eq!(preflight.header("access-control-allow-origin"), expected);
        }
    }

    async fn gzip_response_has_own_etag(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let plain = anonymous.get("/doc").await.is(200);
        assert_eq!(plain.header("content-encoding"), "");
        let gzip = [("accept-encoding", "br, gzip;q=0.8")];
        let packed = get(&anonymous, "/doc", &gzip).await.is(200);
        assert_eq!(packed.header("content-encoding"), "gzip");
        assert!(packed.text.len() < plain.text.len() / 2);
        assert_ne!(packed.header("etag"), plain.header("etag"));
        assert!(words(packed.header("vary")).contains("accept-encoding"));
        let unwanted = get(&anonymous, "/doc", &[("accept-encoding", "gzip;q=0")]).await.is(200);
        assert_eq!(unwanted.header("etag"), plain.header("etag"));
        let tag = packed.header("etag");
        let again = get(&anonymous, "/doc", &[gzip[0], ("if-none-match", tag)]).await.is(304);
        assert_eq!(again.header("etag"), tag);
        assert_eq!(again.text, "");
        get(&anonymous, "/doc", &[("if-none-match", tag)]).await.is(200);
        let short = get(&anonymous, "~/healthz", &gzip).await.is(200);
        assert_eq!(short.header("content-encoding"), "");
    }

    async fn cache_control_and_vary(on) {
        let server = on.server(&[]).await;
        let admin = with_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let all = "Accept, Accept-Encoding, Accept-Language, Authorization, Origin";
        for path in ["", "/doc", "/events", "/events/1", "/tags", "/venues/by-slug/thing"] {
            let read = anonymous.get(path).await.is(200);
            assert_eq!(read.header("cache-control"), "public, no-cache", "{path}");
            assert_eq!(read.header("vary"), all, "{path}");
            let tag = read.header("etag");
            assert!(tag.starts_with('"') && tag.ends_with('"'), "{path}: {tag}");
            let again = get(&anonymous, path, &[("if-none-match", tag)]).await.is(304);
            assert_eq!(again.header("cache-control"), "public, no-cache", "{path}");
            assert_eq!((again.header("etag"), again.header("vary")), (tag, all), "{path}");
            assert_eq!((again.text.as_str(), again.header("content-type")), ("", ""), "{path}");
            let weak = format!("\"other\", W/{tag}");
            get(&anonymous, path, &[("if-none-match", &weak)]).await.is(304);
            let own = admin.get(path).await.is(200);
            assert_eq!(own.header("cache-control"), "private, no-store", "{path}");
            assert_eq!(own.header("vary"), all, "{path}");
        }
        let written = admin.patch("/events/1", json!({"title": "Other"})).await.is(200);
        assert_eq!(written.header("cache-control"), "private, no-store");
        // Caches keep some failures unasked (RFC 9111, section 4.2.2).
        for path in ["/events/99", "/nowhere", "/events?page=0", "/events?status=draft"] {
            let failed = anonymous.get(path).await;
            assert_eq!(failed.header("cache-control"), "private, no-store", "{path}");
            assert_eq!(failed.header("vary"), all, "{path}");
            assert_eq!(failed.header("etag"), "", "{path}");
        }
    }

    async fn request_id_in_every_response(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        for (method, path) in [("GET", "/events"), ("GET", "~/"), ("GET", "/nowhere"), ("POST", "/events"), ("DELETE", "/events"), ("OPTIONS", "/events")] {
            let own = send(&anonymous, method, path, &[]).await;
            assert!(own.header("x-request-id").len() >= 16, "{method} {path}");
            let given = send(&anonymous, method, path, &[("x-request-id", "proxy-4711.a_b")]).await;
            assert_eq!(given.header("x-request-id"), "proxy-4711.a_b", "{method} {path}");
        }
        let long = "x".repeat(65);
        for odd in ["a b", "<script>", "a,b", "", long.as_str()] {
            let answer = get(&anonymous, "/events", &[("x-request-id", odd)]).await;
            assert_ne!(answer.header("x-request-id"), odd);
            assert_ne!(answer.header("x-request-id"), "");
        }
    }

    async fn problem_json_on_request(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let accept = [("accept", "application/problem+json, application/json;q=0.5")];
        for (method, path, status) in [("GET", "/events/99", 404), ("GET", "/nowhere", 404), ("DELETE", "/events", 405), ("POST", "/events", 401), ("GET", "/events?page=0", 400), ("GET", "~/nowhere", 404)] {
            let native = send(&anonymous, method, path, &[]).await.is(status);
            assert_eq!(native.header("content-type"), "application/json");
            let problem = send(&anonymous, method, path, &accept).await.is(status);
            assert_eq!(problem.header("content-type"), "application/problem+json", "{path}");
            assert_eq!(problem.body["status"], status);
            assert_eq!(problem.body["detail"], native.body["message"]);
            assert_eq!(problem.body["code"], native.body["code"]);
            assert_eq!(problem.body["data"], native.body["data"]);
            for member in ["type", "title"] {
                assert!(problem.body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}");
            }
            for header in ["allow", "www-authenticate"] {
                assert_eq!(problem.header(header), native.header(header), "{path}");
            }
        }
        let alone = [("accept", "application/problem+json")];
        get(&anonymous, "/events", &alone).await.is(200);
    }

    async fn accept_without_json_is_406(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        for accept in ["text/html", "application/xml", "image/*", "application/json;q=0", "text/html, */*;q=0"] {
            get(&anonymous, "/events", &[("accept", accept)]).await.is_error(406, "rest_not_acceptable");
        }
        for accept in ["*/*", "application/*", "application/json", "text/html, */*;q=0.1", "application/json; charset=utf-8", "application/hal+json", "*", ""] {
            let answer = get(&anonymous, "/events", &[("accept", accept)]).await;
            assert_eq!(answer.status, 200, "{accept}");
        }
        get(&anonymous, "~/", &[("accept", "text/html")]).await.is(200);
    }

    async fn urls_use_request_host(on) {
        let server = on.server(&[]).await;
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
            // Nobody who is not trusted can say otherwise.
            (evil.to_vec(), own),
            // What is no host does not come back.
            (vec![("host", "evil.example/path")], own),
            (vec![("host", "user@evil.example")], own),
            (vec![("host", "evil.example?x")], own),
            (vec![("host", "evil.example#x")], own),
            (vec![("host", "\"><script>")], own),
            (vec![("host", "a b")], own),
            (vec![("host", "evil.example:port")], own),
        ] {
            let list = get(&anonymous, "/events", &headers).await;
            // A server may refuse what is no host at all.
            if list.status == 400 {
                continue;
            }
            assert_eq!(list.is(200).body["rest_url"], format!("{base}{ROOT}/events"), "{headers:?}");
        }
    }

    async fn base_url_flag_overrides_host(on) {
        let server = on.server(&["--base-url", "https://example.org/calendar/", "--trusted-proxy", "127.0.0.1"]).await;
        let admin = with_one_of_each(&server).await;
        let headers = [("x-forwarded-host", "other.example"), ("host", "another.example")];
        let base = "https://example.org/calendar";
        let event = get(&admin, "/events/1", &headers).await.is(200).body;
        assert_eq!(event["rest_url"], format!("{base}{ROOT}/events/1"));
        assert_eq!(event["url"], format!("{base}/event/thing"));
        assert_eq!(event["global_id"], "example.org?event=1");
        let list = get(&admin, "/events", &headers).await.is(200);
        assert!(list.header("link").contains(&format!("<{base}{ROOT}/events?page=1>")));
        let created = admin.post("/tags", json!({"name": "New"})).await.is(201);
        assert_eq!(created.header("location"), format!("{base}{ROOT}/tags/2"));
        let index = get(&admin, "", &headers).await.is(200).body;
        assert_eq!(index["_links"]["self"][0]["href"], format!("{base}{ROOT}"));
        let document = get(&admin, "/doc", &headers).await.is(200).body;
        assert_eq!(document["servers"], json!([{"url": "/"}]));
    }

    async fn rate_limit_is_429_with_retry_after(on) {
        let server = on.server(&["--rate-limit", "5/s", "--trusted-proxy", "127.0.0.1"]).await;
        let anonymous = server.anonymous();
        let mut refused: Option<Answer> = None;
        for _ in 0..200 {
            let answer = anonymous.get("~/healthz").await;
            if answer.status == 429 {
                refused = Some(answer);
                break;
            }
        }
        let refused = refused.expect("two hundred at once are too many").is_error(429, "rest_too_many_requests");
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
        assert_ne!(refused.header("x-request-id"), "");
        // Another address is not held up.
        get(&anonymous, "~/healthz", &[("x-forwarded-for", "192.0.2.7")]).await.is(200);
        tokio::time::sleep(std::time::Duration::from_secs(wait)).await;
        anonymous.get("~/healthz").await.is(200);
    }
}
