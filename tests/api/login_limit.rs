//! The limit on failed logins.

use std::time::Instant;

use almanac::testing::auth::Role;

use crate::{
    on_both_databases,
    support::{Client, Response},
};

/// More failures than the limit allows, even on a slow machine.
const MANY: usize = 200;

/// Sends wrong credentials until the response is 429, and returns that response.
async fn fail_until_limited(client: &Client, path: &str) -> Response {
    for _ in 0..MANY {
        let response = client.get(path).await;
        if response.status == 429 {
            return response;
        }
        response.is(401);
    }
    panic!("{MANY} failed logins do not exceed the limit");
}

/// The response to a client with this address behind a proxy.
async fn behind_proxy(client: &Client, address: &str) -> Response {
    Response::fetch(client.request("GET", "/tags").header("x-forwarded-for", address)).await
}

on_both_databases! {
    async fn anonymous_readers_unaffected(database) {
        let server = database.server(&["--cache-size", "0"]).await;
        server.administrator().await;
        let wrong = server.anonymous().with_password("admin", "wrong");
        fail_until_limited(&wrong, "/tags").await;
        for path in ["/tags", "/events", "~/"] {
            server.anonymous().get(path).await.is(200);
        }
    }

    async fn too_many_wrong_passwords_is_429(database) {
        let server = database.server(&[]).await;
        server.administrator().await;
        let wrong = server.anonymous().with_password("admin", "wrong");
        let limited = fail_until_limited(&wrong, "/tags").await.is_error(429, "rest_too_many_requests");
        let wait: u64 = limited.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
    }

    async fn unknown_names_are_counted(database) {
        let server = database.server(&[]).await;
        let nobody = server.anonymous().with_password("nobody", "wrong");
        fail_until_limited(&nobody, "/tags").await;
    }

    async fn wrong_tokens_are_counted(database) {
        let server = database.server(&[]).await;
        fail_until_limited(&server.anonymous().with_token("alm_wrong"), "/tags").await;
    }

    async fn valid_credentials_still_accepted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        for wrong in ["admin", "ann"].map(|name| server.anonymous().with_password(name, "wrong")) {
            fail_until_limited(&wrong, "/tags").await;
            let limited = Instant::now();
            admin.get("/tags").await.is(200);
            author.get("/tags").await.is(200);
            let mut failures = 0;
            let mut response = wrong.get("/tags").await;
            while response.status == 401 {
                failures += 1;
                assert!(failures <= limited.elapsed().as_secs() + 1, "the limit allows one failure per second");
                response = wrong.get("/tags").await;
            }
            response.is_error(429, "rest_too_many_requests");
        }
    }

    async fn failures_counted_per_name(database) {
        let server = database.server(&[]).await;
        fail_until_limited(&server.anonymous().with_password("ann", "wrong"), "/tags").await;
        let other = server.anonymous().with_password("ben", "wrong");
        other.get("/tags").await.is_error(401, "incorrect_password");
    }

    async fn failures_counted_per_address(database) {
        let server = database.server(&["--trusted-proxy", "127.0.0.1"]).await;
        let wrong = server.anonymous().with_password("ann", "wrong");
        let mut statuses = Vec::new();
        for _ in 0..MANY {
            statuses.push(behind_proxy(&wrong, "192.0.2.1").await.status.as_u16());
        }
        assert!(statuses.contains(&429), "{statuses:?}");
        behind_proxy(&wrong, "192.0.2.2").await.is_error(401, "incorrect_password");
    }
}
