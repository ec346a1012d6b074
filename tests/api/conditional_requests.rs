//! Conditional requests: `If-None-Match` on reads and `If-Match` on writes.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    fixtures::{event_with, get_with, id, ids, minimal_event},
    on_both_databases,
    support::{Client, Response},
};

async fn get_if_none_match(client: &Client, path: &str, etag: &str) -> Response {
    get_with(client, path, &[("If-None-Match", etag)]).await
}

async fn send_if_match(client: &Client, method: &str, path: &str, etag: &str, body: Value) -> Response {
    Response::fetch(client.request(method, path).header("If-Match", etag).json(&body)).await
}

/// Creates one object of each kind, and returns their paths and the fields of their names.
async fn create_one_of_each(admin: &Client) -> Vec<(String, &'static str)> {
    let mut paths = Vec::new();
    for (collection, field, body) in [
        ("/events", "title", minimal_event()),
        ("/venues", "venue", json!({"venue": "Hall"})),
        ("/organizers", "organizer", json!({"organizer": "Ann"})),
        ("/categories", "name", json!({"name": "Music"})),
        ("/tags", "name", json!({"name": "Free"})),
    ] {
        paths.push((
            format!("{collection}/{}", admin.create_id(collection, body).await),
            field,
        ));
    }
    paths
}

on_both_databases! {
    async fn if_none_match_is_304(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let reader = server.anonymous();
        for (path, field) in create_one_of_each(&admin).await {
            let first = reader.get(&path).await.is(200);
            let etag = first.header("etag").to_owned();
            assert!(etag.starts_with('"') && etag.ends_with('"'), "{etag}");
            let again = get_if_none_match(&reader, &path, &etag).await.is(304);
            assert_eq!((again.text.as_str(), again.header("etag")), ("", etag.as_str()));
            for known in [format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
                get_if_none_match(&reader, &path, &known).await.is(304);
            }
            get_if_none_match(&reader, &path, "\"other\"").await.is(200);
            admin.patch(&path, json!({field: "Changed"})).await.is(200);
            let changed = get_if_none_match(&reader, &path, &etag).await.is(200);
            assert_eq!(changed.body[field], "Changed");
            assert_ne!(changed.header("etag"), etag);
        }
    }

    async fn stale_if_match_is_412(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (path, field) in create_one_of_each(&admin).await {
            let old = admin.get(&path).await.header("etag").to_owned();
            admin.patch(&path, json!({field: "Changed"})).await.is(200);
            let before = admin.get(&path).await;
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                for etag in [old.as_str(), "\"other\"", "\"\"", "nothing"] {
                    let response = send_if_match(&admin, method, &path, etag, json!({field: "Lost"})).await;
                    response.is_error(412, "rest_precondition_failed");
                }
            }
            assert_eq!(admin.get(&path).await.body, before.body);
        }
    }

    async fn current_if_match_succeeds(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (path, field) in create_one_of_each(&admin).await {
            for method in ["POST", "PUT", "PATCH"] {
                let etag = admin.get(&path).await.header("etag").to_owned();
                let response = send_if_match(&admin, method, &path, &etag, json!({field: method})).await.is(200);
                assert_eq!(response.body[field], method);
                // The response to a write has the ETag for the next one.
                let next = response.header("etag").to_owned();
                send_if_match(&admin, method, &path, &next, json!({field: "Next"})).await.is(200);
                send_if_match(&admin, method, &path, "*", json!({field: "Any"})).await.is(200);
                let etag = admin.get(&path).await.header("etag").to_owned();
                let etags = format!("\"1-other\", {etag}");
                send_if_match(&admin, method, &path, &etags, json!({field: "List"})).await.is(200);
            }
            let etag = admin.get(&path).await.header("etag").to_owned();
            send_if_match(&admin, "DELETE", &path, &etag, json!({})).await.is(200);
        }
    }

    async fn one_concurrent_if_match_succeeds(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (path, field) in create_one_of_each(&admin).await {
            let etag = admin.get(&path).await.header("etag").to_owned();
            let mut writes = JoinSet::new();
            for number in 0..8 {
                let request = admin.request("PATCH", &path).header("If-Match", &etag);
                writes.spawn(Response::fetch(request.json(&json!({field: format!("Writer {number}")}))));
            }
            let responses = writes.join_all().await;
            let mut statuses: Vec<u16> = responses.iter().map(|response| response.status.as_u16()).collect();
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412], "{path}");
        }
    }

    async fn gzip_etag_valid_for_if_match(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let plain = admin.get(&path).await.header("etag").to_owned();
        let compressed = Response::fetch(admin.request("GET", &path).header("Accept-Encoding", "gzip")).await;
        assert_eq!(compressed.header("content-encoding"), "gzip");
        assert_ne!(compressed.header("etag"), plain);
        send_if_match(&admin, "PUT", &path, compressed.header("etag"), json!({"title": "Changed"})).await.is(200);
    }

    async fn create_returns_etag(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let created = admin.post("/events", minimal_event()).await.is(201);
        let path = format!("/events/{}", id(&created.body));
        send_if_match(&admin, "PUT", &path, created.header("etag"), json!({"title": "Changed"})).await.is(200);
        send_if_match(&admin, "PUT", &path, created.header("etag"), json!({"title": "Lost"})).await.is(412);
    }

    async fn etag_covers_linked_objects(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let created = admin.create("/events", event_with(json!({
            "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}, "tags": ["Free"],
        }))).await;
        let path = format!("/events/{}", id(&created));
        let reader = server.anonymous();
        for (linked, field) in [
            (format!("/venues/{}", ids(&created["venue"])[0]), "venue"),
            (format!("/organizers/{}", ids(&created["organizer"])[0]), "organizer"),
            (format!("/tags/{}", ids(&created["tags"])[0]), "name"),
        ] {
            let before = reader.get(&path).await.is(200).header("etag").to_owned();
            let before_write = admin.get(&path).await.is(200).header("etag").to_owned();
            admin.patch(&linked, json!({field: "Changed"})).await.is(200);
            let after = get_if_none_match(&reader, &path, &before).await.is(200);
            assert_ne!(after.header("etag"), before, "{linked}");
            assert!(after.text.contains("Changed"));
            // The version of the event itself has not changed.
            send_if_match(&admin, "PATCH", &path, &before_write, json!({"featured": true})).await.is(200);
            admin.patch(&path, json!({"featured": false})).await.is(200);
        }
    }

    async fn permissions_checked_before_precondition(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let response = send_if_match(&server.anonymous(), "PUT", &path, "\"0-x\"", json!({})).await;
        response.is_error(401, "rest_not_logged_in");
        send_if_match(&admin, "PUT", "/events/999", "\"0-x\"", json!({})).await.is_error(404, "event-not-found");
    }

    async fn list_etag_changes_with_data(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let reader = server.anonymous();
        let list = "/events?start_date=2000-01-01";
        let etag = reader.get(list).await.is(200).header("etag").to_owned();
        get_if_none_match(&reader, list, &etag).await.is(304);
        admin.patch(&path, json!({"featured": true})).await.is(200);
        get_if_none_match(&reader, list, &etag).await.is(200);
    }
}
