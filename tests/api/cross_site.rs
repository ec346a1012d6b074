//! Cross-site writes with HTTP Basic credentials, which browsers send on their own.

use almanac::testing::{
    auth::{Role, secret},
    store::users,
};
use serde_json::json;

use crate::{
    on_both_databases,
    support::{Client, Response, Server},
};

const FOREIGN: (&str, &str) = ("origin", "https://other.example");
const CROSS_SITE: (&str, &str) = ("sec-fetch-site", "cross-site");

async fn send(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = client.request(method, path).json(&json!({"name": "New"}));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Response::fetch(request).await
}

/// The status of creating a tag with these headers. The name of the tag is unique.
async fn post(client: &Client, headers: &[(&str, &str)]) -> u16 {
    let name = format!("Tag {:x}", rand::random::<u64>());
    let mut request = client.request("POST", "/tags").json(&json!({"name": name}));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Response::fetch(request).await.status.as_u16()
}

/// A client with a new token of this user.
async fn with_token(server: &Server, name: &str) -> Client {
    let user = users::find_by_name(server.store.reader(), name).await;
    let user = user.expect("a result").expect("a user");
    let token = secret::new_token();
    let transaction = server.store.begin().await.expect("a transaction");
    let hash = secret::hash(&token);
    let stored = users::insert_token(&transaction, &user, "", hash, 0, None).await;
    stored.expect("an insert");
    transaction.commit().await.expect("a commit");
    server.anonymous().with_token(&token)
}

on_both_databases! {
    async fn cross_site_basic_writes_rejected(database) {
        let server = database.server(&[]).await;
        let editor = server.user("eve", Role::Editor).await;
        let tag = format!("/tags/{}", editor.create_id("/tags", json!({"name": "Old"})).await);
        for headers in [&[CROSS_SITE][..], &[FOREIGN], &[FOREIGN, CROSS_SITE], &[("origin", "null")]] {
            for (method, path) in [
                ("POST", "/tags"), ("PUT", &tag), ("PATCH", &tag), ("POST", &tag), ("DELETE", &tag),
            ] {
                let response = send(&editor, method, path, headers).await;
                response.is_error(403, "rest_forbidden");
            }
            let compat = format!("~/wp-json/tribe/events/v1{tag}?_method=DELETE");
            send(&editor, "POST", &compat, headers).await.is_error(403, "rest_forbidden");
        }
        assert_eq!(editor.get(&tag).await.is(200).body["name"], "Old");
    }

    async fn cross_site_reads_allowed(database) {
        let server = database.server(&[]).await;
        let editor = server.user("eve", Role::Editor).await;
        let read = editor.request("GET", "/tags").header(FOREIGN.0, FOREIGN.1).header(CROSS_SITE.0, CROSS_SITE.1);
        Response::fetch(read).await.is(200);
    }

    async fn credentials_checked_before_origin(database) {
        let server = database.server(&[]).await;
        let wrong = server.anonymous().with_password("eve", "wrong");
        send(&wrong, "POST", "/tags", &[CROSS_SITE]).await.is_error(401, "incorrect_password");
        send(&server.anonymous(), "POST", "/tags", &[CROSS_SITE]).await.is_error(401, "rest_not_logged_in");
    }

    async fn tokens_accepted_cross_site(database) {
        let server = database.server(&[]).await;
        server.user("eve", Role::Editor).await;
        let editor = with_token(&server, "eve").await;
        for headers in [&[CROSS_SITE][..], &[FOREIGN], &[FOREIGN, CROSS_SITE]] {
            assert_eq!(post(&editor, headers).await, 201, "{headers:?}");
        }
    }

    async fn same_origin_writes_accepted(database) {
        let server = database.server(&["--base-url", "https://calendar.example.org"]).await;
        let editor = server.user("eve", Role::Editor).await;
        for headers in [
            &[][..],
            &[("origin", server.address.as_str())],
            &[("origin", server.address.as_str()), ("sec-fetch-site", "same-origin")],
            &[("origin", "https://calendar.example.org")],
            // Behind a proxy that does not forward the host.
            &[("origin", "https://another.example.org"), ("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "none")],
        ] {
            assert_eq!(post(&editor, headers).await, 201, "{headers:?}");
        }
    }

    async fn configured_origins_accepted(database) {
        let server = database.server(&["--cors-origin", "https://one.example,https://other.example"]).await;
        let editor = server.user("eve", Role::Editor).await;
        assert_eq!(post(&editor, &[FOREIGN]).await, 201);
        assert_eq!(post(&editor, &[FOREIGN, CROSS_SITE]).await, 201);
        assert_eq!(post(&editor, &[("origin", "https://third.example")]).await, 403);
    }

    async fn forwarded_host_is_same_origin(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.1"]).await;
        let editor = server.user("eve", Role::Editor).await;
        let host = ("x-forwarded-host", "calendar.example.org");
        assert_eq!(post(&editor, &[host, ("origin", "https://calendar.example.org")]).await, 201);
        assert_eq!(post(&editor, &[host, FOREIGN]).await, 403);
    }
}
