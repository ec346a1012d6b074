//! Forwarding headers: `Forwarded` and `X-Forwarded-*` of trusted proxies.

use crate::{fixtures::get_with, on_both_databases, support::Client};

const ROOT: &str = "/calendar/events/v1";

/// The base of the URLs in the response to a request with these headers.
async fn base_url(client: &Client, headers: &[(&str, &str)]) -> String {
    let list = get_with(client, "/events", headers).await.is(200);
    let url = list.body["rest_url"].as_str().expect("a URL");
    let path = format!("{ROOT}/events");
    url.strip_suffix(&path).expect("the list").to_owned()
}

/// Sends requests with these headers until the rate limit of their client is exceeded.
async fn exhaust_rate_limit(client: &Client, headers: &[(&str, &str)]) {
    for _ in 0..200 {
        if status(client, headers).await == 429 {
            return;
        }
    }
    panic!("200 requests do not exceed the limit");
}

async fn status(client: &Client, headers: &[(&str, &str)]) -> u16 {
    get_with(client, "~/healthz", headers).await.status.as_u16()
}

on_both_databases! {
    async fn proxy_sets_scheme_and_host(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        for (headers, expected) in [
            (vec![
                ("x-forwarded-proto", "https"), ("x-forwarded-host", "calendar.example.org"),
            ], "https://calendar.example.org"),
            (vec![("x-forwarded-proto", "https"), ("host", "calendar.example.org")], "https://calendar.example.org"),
            // Proxies append: only the last value is trusted.
            (vec![("x-forwarded-host", "evil.example, calendar.example.org")], "http://calendar.example.org"),
            (vec![("x-forwarded-host", "evil.example/path")], server.address.as_str()),
        ] {
            assert_eq!(base_url(&client, &headers).await, expected, "{headers:?}");
        }
    }

    async fn client_forwarded_cannot_override_x_forwarded(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        let headers = [
            ("forwarded", "for=192.0.2.66;host=evil.example;proto=http"),
            ("x-forwarded-host", "calendar.example.org"), ("x-forwarded-proto", "https"),
        ];
        assert_eq!(base_url(&client, &headers).await, "https://calendar.example.org");
        assert_eq!(base_url(&client, &headers[..1]).await, server.address);
    }

    async fn client_x_forwarded_cannot_override_forwarded(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.0/8", "--proxy-headers", "forwarded"]).await;
        let client = server.anonymous();
        let evil = [("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https")];
        assert_eq!(base_url(&client, &evil).await, server.address);
        for (value, expected) in [
            ("for=192.0.2.1;host=calendar.example.org;proto=https", "https://calendar.example.org"),
            ("for=192.0.2.1;host=\"calendar.example.org:8443\";proto=https", "https://calendar.example.org:8443"),
            (
                "for=192.0.2.66;host=evil.example, for=192.0.2.1;host=calendar.example.org",
                "http://calendar.example.org",
            ),
        ] {
            let headers = [evil[0], evil[1], ("forwarded", value)];
            assert_eq!(base_url(&client, &headers).await, expected, "{value}");
        }
    }

    async fn client_header_lines_ignored(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        let headers = [("x-forwarded-host", "evil.example"), ("x-forwarded-host", "calendar.example.org")];
        assert_eq!(base_url(&client, &headers).await, "http://calendar.example.org");
    }

    async fn client_is_rightmost_untrusted_hop(database) {
        let flags = ["--trusted-proxy", "127.0.0.0/8,10.0.0.0/8", "--rate-limit", "5/s"];
        let server = database.server(&flags).await;
        let client = server.anonymous();
        let lines = [("x-forwarded-for", "192.0.2.1"), ("x-forwarded-for", "192.0.2.7, 10.0.0.2")];
        exhaust_rate_limit(&client, &lines).await;
        // Addresses that the client prepends do not change its identity.
        let forged = [("x-forwarded-for", "192.0.2.99, 192.0.2.7, 10.0.0.2")];
        exhaust_rate_limit(&client, &forged).await;
        let forged = [("forwarded", "for=192.0.2.98"), ("x-forwarded-for", "192.0.2.7")];
        exhaust_rate_limit(&client, &forged).await;
        assert_eq!(status(&client, &[("x-forwarded-for", "192.0.2.1")]).await, 200);
    }

    async fn untrusted_proxies_ignored(database) {
        for family in ["x-forwarded", "forwarded"] {
            let server = database.server(&["--trusted-proxy", "192.0.2.0/24", "--proxy-headers", family]).await;
            let headers = [
                ("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https"),
                ("forwarded", "host=evil.example;proto=https"),
            ];
            assert_eq!(base_url(&server.anonymous(), &headers).await, server.address);
        }
    }
}
