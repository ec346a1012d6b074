//! The target host of a request (RFC 9112, section 3.2).

use serde_json::Value;

use crate::{
    on_both_databases,
    support::raw::{RawConnection, RawResponse},
};

const LIST: &str = "/calendar/events/v1/events";

async fn send(address: &str, head: &str) -> RawResponse {
    let mut raw = RawConnection::connect(address).await;
    raw.send(&format!("{head}\r\n\r\n")).await;
    raw.response().await
}

/// The `rest_url` of a list response.
fn rest_url(response: &RawResponse) -> Value {
    let body: Value = serde_json::from_str(&response.text).expect("JSON");
    body["rest_url"].clone()
}

on_both_databases! {
    async fn ambiguous_or_invalid_host_is_400(database) {
        let server = database.server(&[]).await;
        for head in [
            format!("GET {LIST} HTTP/1.1"),
            format!("GET {LIST} HTTP/1.1\r\nHost: one.example\r\nHost: two.example"),
            format!("GET {LIST} HTTP/1.1\r\nHost: one.example\r\nHost: one.example"),
            format!("GET {LIST} HTTP/1.0\r\nHost: one.example\r\nHost: two.example"),
            format!("GET {LIST} HTTP/1.1\r\nHost: user@one.example"),
            format!("GET {LIST} HTTP/1.1\r\nHost: one.example/path"),
            format!("GET {LIST} HTTP/1.1\r\nHost: one two"),
            format!("GET http://one.example{LIST} HTTP/1.1"),
        ] {
            let rejected = send(&server.address, &head).await.is(400);
            let body: Value = serde_json::from_str(&rejected.text).expect("JSON");
            assert_eq!(body["code"], "rest_invalid_host", "{head}");
            assert!(!rejected.header("x-request-id").is_empty(), "{head}");
        }
    }

    async fn valid_hosts_accepted(database) {
        let server = database.server(&[]).await;
        for head in [
            "HTTP/1.0", "HTTP/1.1\r\nHost: one.example", "HTTP/1.1\r\nHost:", "HTTP/1.1\r\nHost: [::1]:8080",
            "HTTP/1.1\r\nHost: my_service:8080", "HTTP/1.1\r\nHost: ONE.example.",
        ] {
            send(&server.address, &format!("GET {LIST} {head}")).await.is(200);
        }
    }

    async fn absolute_target_overrides_host_header(database) {
        let server = database.server(&[]).await;
        let head = format!("GET http://target.example:8080{LIST} HTTP/1.1\r\nHost: header.example");
        let response = send(&server.address, &head).await.is(200);
        assert_eq!(rest_url(&response), format!("http://target.example:8080{LIST}"));
    }
}
