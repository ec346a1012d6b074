//! Batches and idempotency keys of WordPress clients.

use almanac::testing::{auth::Role, store::write_connection::WriteConnection};
use serde_json::{Value, json};

use crate::{on_both_databases, support::Response};

fn event(title: &str) -> Value {
    json!({"title": title, "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00"})
}

on_both_databases! {
    async fn batch_has_the_shapes_of_wordpress(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"validation": "require-all-validate", "requests": [
            {"path": "/tribe/events/v1/venues", "body": {"venue": "Hall"}},
            {"method": "POST", "path": "/tribe/events/v1/events", "body": {"title": "A & B", "start_date": "2027-05-07 19:30:00",
                "end_date": "2027-05-07 22:00:00", "venue": "$1.id"}},
        ]});
        let response = admin.post("~/wp-json/batch/v1", batch).await.is(207);
        assert_eq!(response.each("responses", "status"), [201, 201], "{}", response.text);
        let event = &response.body["responses"][1]["body"];
        assert_eq!(event["title"], "A &#038; B");
        assert_eq!(event["image"], false);
        assert_eq!(event["venue"]["venue"], "Hall");
        assert_eq!(event.get("external_id"), None);
        let rest_url = event["rest_url"].as_str().expect("a URL");
        assert!(rest_url.contains("/wp-json/tribe/events/v1/events/"), "{rest_url}");
    }

    async fn existing_venue_of_the_batch_is_used_again(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = json!({"path": "/tribe/events/v1/venues", "body": {"venue": "Hall", "city": "Kiel"}});
        let batch = json!({"validation": "require-all-validate", "requests": [venue.clone(), venue]});
        let response = admin.post("~/wp-json/batch/v1", batch).await.is(207);
        let ids = response.each("responses", "body").iter().map(|body| body["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids[0], ids[1]);
        assert_eq!(admin.get("/venues").await.is(200).body["total"], 1);
    }

    async fn failed_batch_stores_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"validation": "require-all-validate", "requests": [
            {"path": "/tribe/events/v1/events", "body": event("Choir")},
            {"path": "/tribe/events/v1/events", "body": {"title": "No dates"}},
        ]});
        let response = admin.post("~/wp-json/batch/v1", batch).await.is(207);
        assert_eq!(response.body["failed"], "validation");
        assert_eq!(response.body["responses"][0], Value::Null);
        assert_eq!(response.body["responses"][1]["body"]["code"], "rest_missing_callback_param");
        assert_eq!(admin.get("/events?start_date=2020-01-01").await.is(200).body["total"], 0);
    }

    async fn requests_of_batches_are_below_the_root(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"requests": [
            {"path": "/calendar/events/v1/tags", "body": {"name": "One"}},
            {"path": "/wp-json/tribe/events/v1/tags", "body": {"name": "Two"}},
            {"path": "/wp/v2/posts", "body": {"title": "A post"}},
            {"path": "/batch/v1", "body": {"requests": []}},
        ]});
        let response = admin.post("~/wp-json/batch/v1", batch).await.is(207);
        assert_eq!(response.each("responses", "status"), [201, 201, 404, 400], "{}", response.text);
        let anonymous = server.anonymous().post("~/wp-json/batch/v1", json!({"requests": []})).await;
        anonymous.is_error(401, "rest_forbidden");
    }

    async fn idempotency_key_applies(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = "~/wp-json/tribe/events/v1/events";
        let send = |title: &str| {
            let request = admin.request("POST", path).header("Idempotency-Key", "key");
            Response::fetch(request.json(&event(title)))
        };
        let first = send("Choir").await.is(201);
        let again = send("Choir").await.is(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(first.text, again.text);
        send("Other").await.is_error(422, "idempotency_key_reused");
    }

    async fn errors_in_envelopes_are_not_stored(database) {
        let server = database.server(&[]).await;
        let eve = server.user("eve", Role::Contributor).await;
        let send = || {
            let path = "~/wp-json/tribe/events/v1/tags?_envelope=1";
            let request = eve.request("POST", path).header("Idempotency-Key", "key");
            Response::fetch(request.json(&json!({"name": "Music"})))
        };
        let failed = send().await.is(200);
        assert_ne!(failed.body["status"], 201, "{}", failed.text);
        let transaction = server.store.begin().await.expect("a transaction");
        let promote = "UPDATE users SET role = 'editor' WHERE name = 'eve'";
        transaction.execute_unprepared(promote).await.expect("a statement");
        transaction.commit().await.expect("a commit");
        let created = send().await.is(200);
        assert_eq!((&created.body["status"], created.header("idempotent-replayed")), (&json!(201), ""));
        assert_eq!(send().await.is(200).header("idempotent-replayed"), "true");
    }

    async fn errors_in_envelopes_fail_batches(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"validation": "require-all-validate", "requests": [
            {"path": "/tribe/events/v1/events", "body": event("Choir")},
            {"path": "/tribe/events/v1/events?_envelope=1", "body": {"title": "No dates"}},
        ]});
        let response = admin.post("~/wp-json/batch/v1", batch).await.is(207);
        assert_eq!((&response.body["failed"], &response.body["responses"][1]["status"]), (&json!("validation"), &json!(400)));
        assert_eq!(admin.get("/events?start_date=2020-01-01").await.is(200).body["total"], 0);
    }

    async fn external_ids_are_not_served(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.put("/events/by-external-id/league/1", event("Choir")).await.is(201);
        let events = admin.get("~/wp-json/tribe/events/v1/events?start_date=2020-01-01").await.is(200);
        assert_eq!(events.body["events"][0].get("external_id"), None);
        admin.get("~/wp-json/tribe/events/v1/events/by-external-id/league/1").await.is_error(404, "rest_no_route");
        let index = admin.get("~/wp-json/tribe/events/v1").await.is(200);
        assert!(!index.text.contains("by-external-id"));
    }
}
