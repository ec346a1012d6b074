//! Responses that are sent before the request body has arrived: whether the connection is closed or kept.

use almanac::testing::{auth::Role, commands::user};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use crate::{
    on_both_databases,
    support::{Server, raw::RawConnection},
};

const ROOT: &str = "/calendar/events/v1";

/// An `Authorization` header with the credentials of a new administrator.
async fn authorization(server: &Server) -> String {
    let password = user::add(&server.store, "raw", Role::Administrator).await;
    let password = password.expect("the name is free");
    let encoded = STANDARD.encode(format!("raw:{password}"));
    format!("Authorization: Basic {encoded}\r\n")
}

/// The beginning of a request head. The caller appends further headers and the empty line.
fn head(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n")
}

on_both_databases! {
    async fn response_before_body_closes_connection(database) {
        let server = database.server(&[]).await;
        for (method, path, header, status) in [
            ("POST", format!("{ROOT}/events"), "", 401),
            ("POST", format!("{ROOT}/nowhere"), "", 404),
            ("POST", "/".to_owned(), "", 405),
            ("PUT", format!("{ROOT}/events"), "", 405),
            ("GET", format!("{ROOT}/events"), "Accept: text/html\r\n", 406),
            ("GET", format!("{ROOT}/events"), "", 200),
            ("GET", "/healthz".to_owned(), "", 200),
            ("OPTIONS", format!("{ROOT}/events"), "", 204),
        ] {
            for body in [
                "Content-Length: 100\r\n\r\n", "Content-Length: 100\r\n\r\nonly this",
                "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            ] {
                let mut raw = RawConnection::connect(&server.address).await;
                raw.send(&format!("{}{header}{body}", head(method, &path))).await;
                let response = raw.response().await.is(status);
                assert_eq!(response.header("connection"), "close", "{method} {path} {body}");
                assert!(raw.closes().await);
            }
        }
    }

    async fn response_after_body_keeps_connection(database) {
        let server = database.server(&[]).await;
        let mut raw = RawConnection::connect(&server.address).await;
        for body in ["Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"] {
            for (method, path, status) in [
                ("POST", "/events", 401), ("DELETE", "/events", 405), ("GET", "/events", 200),
            ] {
                raw.send(&format!("{}{body}", head(method, &format!("{ROOT}{path}")))).await;
                let response = raw.response().await.is(status);
                assert_eq!(response.header("connection"), "", "{method} {body}");
            }
        }
    }

    async fn oversized_body_gets_no_100_continue(database) {
        let server = database.server(&["--body-limit", "1000"]).await;
        let authorization = authorization(&server).await;
        for root in [ROOT, "/wp-json/tribe/events/v1"] {
            let mut raw = RawConnection::connect(&server.address).await;
            let head = head("POST", &format!("{root}/tags"));
            raw.send(&format!("{head}{authorization}Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n")).await;
            // There is no 100 before the final response.
            let rejected = raw.response().await.is(413);
            assert!(rejected.text.contains("rest_payload_too_large"));
            assert_eq!(rejected.header("connection"), "close");
            assert!(raw.closes().await);
        }
    }

    async fn rejected_request_gets_no_100_continue(database) {
        let server = database.server(&[]).await;
        let mut raw = RawConnection::connect(&server.address).await;
        let head = head("POST", &format!("{ROOT}/tags"));
        raw.send(&format!("{head}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")).await;
        let rejected = raw.response().await.is(401);
        assert_eq!(rejected.header("connection"), "close");
    }

    async fn accepted_request_gets_100_continue(database) {
        let server = database.server(&[]).await;
        let authorization = authorization(&server).await;
        let mut raw = RawConnection::connect(&server.address).await;
        let body = json!({"name": "New"}).to_string();
        let head = head("POST", &format!("{ROOT}/tags"));
        let headers = format!("{authorization}Content-Type: application/json\r\nExpect: 100-continue");
        raw.send(&format!("{head}{headers}\r\nContent-Length: {}\r\n\r\n", body.len())).await;
        raw.response().await.is(100);
        raw.send(&body).await;
        let created = raw.response().await.is(201);
        assert_eq!(created.header("connection"), "");
    }

    async fn oversized_body_keeps_other_requests(database) {
        let server = database.server(&["--body-limit", "1000"]).await;
        let admin = server.administrator().await;
        for _ in 0..20 {
            let rejected = admin.post("/tags", json!({"name": "x".repeat(2_000_000)})).await;
            let rejected = rejected.is_error(413, "rest_payload_too_large");
            assert_eq!(rejected.header("connection"), "close");
            admin.get("/tags").await.is(200);
        }
    }
}
