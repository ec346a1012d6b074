//! The header `Idempotency-Key`.

use almanac::testing::{auth::Role, commands::user};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, minimal_event},
    on_both_databases,
    support::{Client, Response, Server},
};

/// Sends a POST with a key.
async fn post(client: &Client, path: &str, key: &str, body: Value) -> Response {
    let request = client.request("POST", path).header("Idempotency-Key", key);
    Response::fetch(request.json(&body)).await
}

async fn total(client: &Client, list: &str) -> Value {
    let all = client.get(&format!("/{list}?status=any&starts_after=2020-01-01")).await;
    all.is(200).body["total"].clone()
}

on_both_databases! {
    async fn same_request_is_stored_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = post(&admin, "/events", "7f3a", minimal_event()).await.is(201);
        assert_eq!(first.header("idempotent-replayed"), "");
        let again = post(&admin, "/events", "7f3a", minimal_event()).await.is(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(first.text, again.text);
        for name in ["location", "etag", "content-type"] {
            assert!(!first.header(name).is_empty(), "{name}");
            assert_eq!(first.header(name), again.header(name), "{name}");
        }
        assert_eq!(total(&admin, "events").await, 1);
    }

    async fn quoted_key_is_the_same(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = json!({"venue": "Hall"});
        post(&admin, "/venues", "7f3a", venue.clone()).await.is(201);
        let again = post(&admin, "/venues", "\"7f3a\"", venue).await.is(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
    }

    async fn repeated_response_is_the_first_one(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = post(&admin, "/venues", "key", json!({"venue": "Hall"})).await.is(201);
        let path = format!("/venues/{}", first.body["id"]);
        admin.patch(&path, json!({"venue": "Other hall"})).await.is(200);
        let again = post(&admin, "/venues", "key", json!({"venue": "Hall"})).await.is(201);
        assert_eq!(again.body["venue"], "Hall");
    }

    async fn other_request_with_the_key_is_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        post(&admin, "/venues", "key", json!({"venue": "Hall"})).await.is(201);
        for (path, body) in [
            ("/venues", json!({"venue": "Other hall"})),
            ("/organizers", json!({"venue": "Hall"})),
            ("/venues?a=1", json!({"venue": "Hall"})),
        ] {
            post(&admin, path, "key", body).await.is_error(422, "idempotency_key_reused");
        }
        assert_eq!(total(&admin, "venues").await, 1);
    }

    async fn keys_belong_to_users(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let editor = server.user("ed", Role::Editor).await;
        for client in [&admin, &editor] {
            let created = post(client, "/venues", "key", json!({"venue": "Hall"})).await.is(201);
            assert_eq!(created.header("idempotent-replayed"), "");
        }
        assert_eq!(total(&admin, "venues").await, 2);
    }

    async fn errors_are_not_stored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        post(&admin, "/events", "key", json!({"title": "Choir"})).await.is(400);
        let created = post(&admin, "/events", "key", minimal_event()).await.is(201);
        assert_eq!(created.header("idempotent-replayed"), "");
        post(&admin, "/categories", "term", json!({"name": "Music"})).await.is(201);
        post(&admin, "/categories", "other", json!({"name": "Music"})).await.is_error(400, "term_exists");
        let deleted = admin.delete("/categories/1").await;
        deleted.is(200);
        post(&admin, "/categories", "other", json!({"name": "Music"})).await.is(201);
    }

    async fn failed_request_stores_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = event_with(json!({"venue": {"venue": "Hall"}, "categories": [999]}));
        post(&admin, "/events", "key", event).await.is(400);
        assert_eq!(total(&admin, "venues").await, 0);
    }

    async fn large_responses_are_not_stored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = event_with(json!({"custom_fields": {"notes": "x".repeat(60_000)}}));
        let id = admin.create_id("/events", event).await;
        let path = format!("/calendar/events/v1/events/{id}");
        let patch = json!({"method": "PATCH", "path": path, "body": {"cost": "5"}});
        let batch = json!({"requests": vec![patch; 80]});
        let refused = post(&admin, "/batch", "key", batch.clone()).await.is_error(400, "rest_invalid_param");
        assert!(refused.text.contains("larger than 4 MB"), "{}", refused.text);
        // Nothing is stored, and the key can be used again.
        assert_eq!(admin.get(&format!("/events/{id}")).await.is(200).body["cost"], "");
        admin.post("/batch", batch).await.is(207);
        post(&admin, "/venues", "key", json!({"venue": "Hall"})).await.is(201);
    }

    async fn updates_and_terms_are_repeated(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        post(&admin, "/tags", "tag", json!({"name": "Open air"})).await.is(201);
        post(&admin, "/tags", "tag", json!({"name": "Open air"})).await.is(201);
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = format!("/venues/{id}");
        let first = post(&admin, &path, "update", json!({"city": "Kiel"})).await.is(200);
        admin.patch(&path, json!({"city": "Bonn"})).await.is(200);
        let again = post(&admin, &path, "update", json!({"city": "Kiel"})).await.is(200);
        assert_eq!(first.text, again.text);
        assert_eq!(admin.get(&path).await.is(200).body["city"], "Bonn");
    }

    async fn other_methods_ignore_the_key(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        for city in ["Kiel", "Bonn"] {
            let request = admin.request("PATCH", &format!("/venues/{id}")).header("Idempotency-Key", "key");
            let updated = Response::fetch(request.json(&json!({"city": city}))).await.is(200);
            assert_eq!(updated.body["city"], city);
        }
    }

    async fn invalid_keys_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for key in ["", "\"", "\"a\" b", &"k".repeat(256)] {
            let response = post(&admin, "/venues", key, json!({"venue": "Hall"})).await;
            let response = response.is_error(400, "rest_invalid_param");
            assert_eq!(response.invalid_params(), ["Idempotency-Key"], "{key}");
        }
        post(&admin, "/venues", &"k".repeat(255), json!({"venue": "Hall"})).await.is(201);
    }

    async fn key_without_credentials_is_not_stored(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        post(&anonymous, "/venues", "key", json!({"venue": "Hall"})).await.is_error(401, "rest_not_logged_in");
        let wrong = anonymous.with_password("admin", "wrong");
        post(&wrong, "/venues", "key", json!({"venue": "Hall"})).await.is_error(401, "incorrect_password");
    }

    async fn concurrent_requests_with_a_key_are_stored_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let requests = (0..12).map(|_| post(&admin, "/events", "key", minimal_event()));
        let mut bodies = Vec::new();
        for response in join_all(requests).await {
            match response.status.as_u16() {
                201 => bodies.push(response.text),
                _ => {
                    assert_eq!(response.header("retry-after"), "1");
                    response.is_error(409, "idempotency_key_in_use");
                }
            }
        }
        assert!(!bodies.is_empty());
        assert!(bodies.iter().all(|body| *body == bodies[0]));
        assert_eq!(total(&admin, "events").await, 1);
    }

    async fn key_in_use_by_another_server_is_refused(database) {
        // The servers share no memory.
        let url = database.url().await;
        let servers = [Server::start(&url, &[]).await, Server::start(&url, &[]).await];
        let password = user::add(&servers[0].store, "admin", Role::Administrator).await.expect("a free name");
        let clients = servers.each_ref().map(|server| server.anonymous().with_password("admin", &password));
        let requests = (0..20).map(|number| post(&clients[number % 2], "/events", "key", minimal_event()));
        for response in join_all(requests).await {
            assert!([201, 409].contains(&response.status.as_u16()), "{}", response.text);
        }
        assert_eq!(total(&clients[0], "events").await, 1);
    }

    async fn series_is_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = event_with(json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=3"}));
        for _ in 0..2 {
            post(&admin, "/events", "key", event.clone()).await.is(201);
        }
        assert_eq!(total(&admin, "events").await, 3);
    }
}
