//! What trusted proxies say of a request, and what nobody else can say.

use crate::{
    on_both,
    support::{Answer, Client, Server},
};

const ROOT: &str = "/calendar/events/v1";

/// The address of the list as its answer to these headers names it, without the path.
async fn base(client: &Client, headers: &[(&str, &str)]) -> String {
    let request = client.request("GET", "/events");
    let request = headers
        .iter()
        .fold(request, |request, (name, value)| request.header(*name, *value));
    let list = Answer::of(request).await.is(200);
    let address = list.body["rest_url"].as_str().expect("an address");
    let path = format!("{ROOT}/events");
    address.strip_suffix(&path).expect("the list").to_owned()
}

/// Uses up the requests of one client, as these headers name it.
async fn exhaust(client: &Client, headers: &[(&str, &str)]) {
    for _ in 0..200 {
        if status(client, headers).await == 429 {
            return;
        }
    }
    panic!("two hundred requests at once are too many");
}

async fn status(client: &Client, headers: &[(&str, &str)]) -> u16 {
    let request = client.request("GET", "~/healthz");
    let request = headers
        .iter()
        .fold(request, |request, (name, value)| request.header(*name, *value));
    Answer::of(request).await.status.as_u16()
}

on_both! {
    async fn proxy_sets_scheme_and_host(on) {
        let server = on.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        for (headers, expected) in [
            (vec![("x-forwarded-proto", "https"), ("x-forwarded-host", "calendar.example.org")], "https://calendar.example.org"),
            (vec![("x-forwarded-proto", "https"), ("host", "calendar.example.org")], "https://calendar.example.org"),
            // The proxy appends; what came before it anybody may have written.
            (vec![("x-forwarded-host", "evil.example, calendar.example.org")], "http://calendar.example.org"),
            (vec![("x-forwarded-host", "evil.example/path")], server.address.as_str()),
        ] {
            assert_eq!(base(&client, &headers).await, expected, "{headers:?}");
        }
    }

    async fn client_forwarded_cannot_override_x_forwarded(on) {
        let server = on.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        let headers = [
            ("forwarded", "for=192.0.2.66;host=evil.example;proto=http"),
            ("x-forwarded-host", "calendar.example.org"), ("x-forwarded-proto", "https"),
        ];
        assert_eq!(base(&client, &headers).await, "https://calendar.example.org");
        assert_eq!(base(&client, &headers[..1]).await, server.address);
    }

    async fn client_x_forwarded_cannot_override_forwarded(on) {
        let server = on.server(&["--trusted-proxy", "127.0.0.0/8", "--proxy-headers", "forwarded"]).await;
        let client = server.anonymous();
        let evil = [("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https")];
        assert_eq!(base(&client, &evil).await, server.address);
        for (value, expected) in [
            ("for=192.0.2.1;host=calendar.example.org;proto=https", "https://calendar.example.org"),
            ("for=192.0.2.1;host=\"calendar.example.org:8443\";proto=https", "https://calendar.example.org:8443"),
            ("for=192.0.2.66;host=evil.example, for=192.0.2.1;host=calendar.example.org", "http://calendar.example.org"),
        ] {
            let headers = [evil[0], evil[1], ("forwarded", value)];
            assert_eq!(base(&client, &headers).await, expected, "{value}");
        }
    }

    async fn client_header_lines_ignored(on) {
        let server = on.server(&["--trusted-proxy", "127.0.0.0/8"]).await;
        let client = server.anonymous();
        let headers = [("x-forwarded-host", "evil.example"), ("x-forwarded-host", "calendar.example.org")];
        assert_eq!(base(&client, &headers).await, "http://calendar.example.org");
    }

    async fn client_is_rightmost_untrusted_hop(on) {
        let flags = ["--trusted-proxy", "127.0.0.0/8,10.0.0.0/8", "--rate-limit", "5/s"];
        let server = on.server(&flags).await;
        let client = server.anonymous();
        let lines = [("x-forwarded-for", "192.0.2.1"), ("x-forwarded-for", "192.0.2.7, 10.0.0.2")];
        exhaust(&client, &lines).await;
        // What the client writes before does not make another of it.
        let forged = [("x-forwarded-for", "192.0.2.99, 192.0.2.7, 10.0.0.2")];
        exhaust(&client, &forged).await;
        let forged = [("forwarded", "for=192.0.2.98"), ("x-forwarded-for", "192.0.2.7")];
        exhaust(&client, &forged).await;
        assert_eq!(status(&client, &[("x-forwarded-for", "192.0.2.1")]).await, 200);
    }

    async fn untrusted_proxies_ignored(on) {
        for family in ["x-forwarded", "forwarded"] {
            let server: Server = on.server(&["--trusted-proxy", "192.0.2.0/24", "--proxy-headers", family]).await;
            let headers = [
                ("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https"),
                ("forwarded", "host=evil.example;proto=https"),
            ];
            assert_eq!(base(&server.anonymous(), &headers).await, server.address);
        }
    }
}
