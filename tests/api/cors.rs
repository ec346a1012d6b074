//! CORS headers.

use crate::{
    fixtures::{comma_separated, get_with, send_with},
    on_both_databases,
};

on_both_databases! {
    async fn any_origin_may_read(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let origin = ("origin", "https://elsewhere.example");
        let headers = [
            origin, ("access-control-request-method", "PATCH"),
            ("access-control-request-headers", "authorization,content-type,if-match"),
        ];
        let preflight = send_with(&anonymous, "OPTIONS", "/events/1", &headers).await;
        assert!(preflight.status.is_success());
        assert!(["*", origin.1].contains(&preflight.header("access-control-allow-origin")));
        let methods = comma_separated(preflight.header("access-control-allow-methods"));
        assert!(["get", "post", "put", "patch", "delete"].iter().all(|method| methods.contains(*method)));
        let allowed = comma_separated(preflight.header("access-control-allow-headers"));
        for name in [
            "authorization", "content-type", "if-match", "if-none-match", "x-http-method-override", "x-wp-nonce",
            "prefer", "idempotency-key", "last-event-id",
        ] {
            assert!(allowed.contains(name), "{name}");
        }
        assert_eq!(preflight.header("access-control-allow-credentials"), "");
        for (path, status) in [("/events", 200), ("/nowhere", 404), ("/events/abc", 404)] {
            let read = get_with(&anonymous, path, &[origin]).await.is(status);
            assert!(["*", origin.1].contains(&read.header("access-control-allow-origin")), "{path}");
            assert_eq!(read.header("access-control-allow-credentials"), "");
            let exposed = comma_separated(read.header("access-control-expose-headers"));
            for name in [
                "etag", "link", "location", "retry-after", "x-request-id", "x-tec-total",
                "x-tec-totalpages", "x-wp-total", "x-wp-totalpages", "x-ignored", "preference-applied",
                "idempotent-replayed",
            ] {
                assert!(exposed.contains(name), "{path} {name}");
            }
            let vary = comma_separated(read.header("vary"));
            for name in ["accept", "accept-encoding", "accept-language", "authorization", "origin", "prefer"] {
                assert!(vary.contains(name), "{path} {name}");
            }
        }
    }

    async fn cors_origin_flag_restricts_origins(database) {
        let server = database.server(&["--cors-origin", "https://one.example,https://two.example"]).await;
        let anonymous = server.anonymous();
        for (origin, allowed) in [
            ("https://one.example", true), ("https://two.example", true), ("https://three.example", false),
            ("https://one.example.evil.example", false), ("http://one.example", false), ("null", false),
        ] {
            let read = get_with(&anonymous, "/events", &[("origin", origin)]).await.is(200);
            let expected = if allowed { origin } else { "" };
            assert_eq!(read.header("access-control-allow-origin"), expected);
            assert!(comma_separated(read.header("vary")).contains("origin"));
            let headers = [("origin", origin), ("access-control-request-method", "GET")];
            let preflight = send_with(&anonymous, "OPTIONS", "/events", &headers).await;
            assert!(preflight.status.is_success());
            assert_eq!(preflight.header("access-control-allow-origin"), expected);
        }
    }
}
