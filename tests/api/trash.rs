//! The trash.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::{
    fixtures::{create_event, event_with, id, ids},
    on_both_databases,
    support::Response,
};

/// Each kind of object with the smallest valid payload. The slug is `gone`.
fn kinds() -> [(&'static str, Value); 3] {
    [
        (
            "event",
            json!({"title": "Gone", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"}),
        ),
        ("venue", json!({"venue": "Gone"})),
        ("organizer", json!({"organizer": "Gone"})),
    ]
}

on_both_databases! {
    async fn deleted_event_moves_to_trash(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Gone", json!({})).await;
        let trashed = admin.delete(&format!("/events/{id}")).await.is(200);
        assert_eq!(trashed.body["status"], "trash");
        assert_eq!(admin.get("/events").await.is(200).body["total"], 0);
        admin.delete(&format!("/events/{id}")).await.is_error(410, "event-is-in-trash");
        server.anonymous().get(&format!("/events/{id}")).await.is_error(410, "event-no-longer-available");
        server.anonymous().get("/events/by-slug/gone").await.is_error(404, "event-not-found");
    }

    async fn trash_listed_only_on_request(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (kind, body) in kinds() {
            let collection = format!("/{kind}s");
            admin.create_id(&collection, body.clone()).await;
            let trashed = admin.create_id(&collection, body).await;
            admin.delete(&format!("{collection}/{trashed}")).await.is(200);
            for (query, total) in [("", 1), ("?status=any", 1), ("?search=gone", 1), ("?status=trash", 1)] {
                let list = admin.get(&format!("{collection}{query}")).await.is(200);
                assert_eq!(list.body["total"], total, "{collection}{query}");
                let is_listed = list.each(&format!("{kind}s"), "id").contains(&json!(trashed));
                assert_eq!(is_listed, query == "?status=trash", "{collection}{query}");
            }
        }
        assert_eq!(admin.get("/events?include=1,2").await.is(200).each("events", "id"), [json!(1)]);
    }

    async fn trashed_objects_are_410_for_others(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let other = server.user("ben", Role::Author).await;
        for (kind, body) in kinds() {
            let path = format!("/{kind}s/{}", author.create_id(&format!("/{kind}s"), body).await);
            let before = author.get(&path).await.body;
            let trashed = author.delete(&path).await.is(200).body;
            assert_eq!((&trashed["status"], &trashed["slug"]), (&json!("trash"), &json!("gone")));
            assert_eq!(trashed["id"], before["id"]);
            for reader in [&author, &admin] {
                assert_eq!(reader.get(&path).await.is(200).body["status"], "trash");
                reader.delete(&path).await.is_error(410, &format!("{kind}-is-in-trash"));
            }
            for reader in [&other, &server.anonymous()] {
                reader.get(&path).await.is_error(410, &format!("{kind}-no-longer-available"));
            }
            let code = format!("{kind}-no-longer-available");
            other.patch(&path, json!({"status": "publish"})).await.is_error(410, &code);
            other.patch(&path, json!({})).await.is_error(410, &code);
            for method in ["GET", "PUT", "DELETE"] {
                let request = admin.request(method, &format!("/{kind}s/by-slug/gone")).json(&json!({}));
                Response::fetch(request).await.is_error(404, &format!("{kind}-not-found"));
            }
        }
    }

    async fn contributor_cannot_restore_published(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        for (kind, body) in kinds() {
            let code = format!("{kind}-no-longer-available");
            for published in [
                json!({"status": "publish"}), json!({"status": "private"}),
                json!({"status": "publish", "date": "2990-01-01"}),
            ] {
                let path = format!("/{kind}s/{}", contributor.create_id(&format!("/{kind}s"), body.clone()).await);
                admin.patch(&path, published.clone()).await.is(200);
                admin.delete(&path).await.is(200);
                contributor.get(&path).await.is_error(410, &code);
                contributor.patch(&path, json!({"status": "draft"})).await.is_error(410, &code);
                contributor.patch(&path, json!({"description": "Changed"})).await.is_error(410, &code);
                assert_eq!(admin.get(&path).await.is(200).body["status"], "trash", "{published}");
            }
        }
    }

    async fn contributor_restores_unpublished(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        for (kind, body) in kinds() {
            let path = format!("/{kind}s/{}", contributor.create_id(&format!("/{kind}s"), body).await);
            admin.delete(&path).await.is(200);
            let restored = contributor.patch(&path, json!({"status": "draft"})).await.is(200);
            assert_eq!(restored.body["status"], "draft");
        }
    }

    async fn update_without_status_stays_in_trash(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (kind, body) in kinds() {
            let path = format!("/{kind}s/{}", admin.create_id(&format!("/{kind}s"), body).await);
            admin.delete(&path).await.is(200);
            let changed = admin.patch(&path, json!({"description": "Changed"})).await.is(200).body;
            assert_eq!((&changed["status"], &changed["description"]), (&json!("trash"), &json!("Changed")));
        }
    }

    async fn status_update_restores_with_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (kind, body) in kinds() {
            let path = format!("/{kind}s/{}", admin.create_id(&format!("/{kind}s"), body).await);
            for status in ["publish", "draft", "pending", "private"] {
                admin.delete(&path).await.is(200);
                let restored = admin.patch(&path, json!({"status": status})).await.is(200).body;
                assert_eq!((&restored["status"], &restored["slug"]), (&json!(status), &json!("gone")));
                admin.get(&format!("/{kind}s/by-slug/gone")).await.is(200);
            }
        }
    }

    async fn trashed_slug_is_free(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (kind, body) in kinds() {
            let collection = format!("/{kind}s");
            let first = format!("{collection}/{}", admin.create_id(&collection, body.clone()).await);
            admin.delete(&first).await.is(200);
            let second = admin.create(&collection, body.clone()).await;
            assert_eq!(second["slug"], "gone");
            assert_eq!(admin.get(&first).await.is(200).body["slug"], "gone");
            assert_eq!(admin.create(&collection, body.clone()).await["slug"], "gone-2");
            let restored = admin.patch(&first, json!({"status": "publish"})).await.is(200).body;
            assert_eq!(restored["slug"], "gone-3");
            assert_eq!(admin.get(&format!("{collection}/by-slug/gone")).await.is(200).body["id"], second["id"]);
            // Updates may also take the slug of a trashed object.
            admin.delete(&format!("{collection}/{}", id(&second))).await.is(200);
            assert_eq!(admin.patch(&first, json!({"slug": "gone"})).await.is(200).body["slug"], "gone");
        }
    }

    async fn trash_status_deletes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (kind, body) in kinds() {
            let path = format!("/{kind}s/{}", admin.create_id(&format!("/{kind}s"), body).await);
            assert_eq!(admin.patch(&path, json!({"status": "trash"})).await.is(200).body["status"], "trash");
            server.anonymous().get(&path).await.is_error(410, &format!("{kind}-no-longer-available"));
            admin.delete(&path).await.is_error(410, &format!("{kind}-is-in-trash"));
        }
    }

    async fn links_survive_trash(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "venue": [{"venue": "Hall"}, {"venue": "Barn"}], "organizer": {"organizer": "Ann"}, "tags": ["Free"],
        }))).await;
        let (path, hall) = (format!("/events/{}", id(&event)), format!("/venues/{}", ids(&event["venue"])[0]));
        admin.delete(&hall).await.is(200);
        assert_eq!(ids(&server.anonymous().get(&path).await.body["venue"]), ids(&event["venue"])[1..]);
        admin.patch(&hall, json!({"status": "publish"})).await.is(200);
        assert_eq!(ids(&server.anonymous().get(&path).await.body["venue"]), ids(&event["venue"]));
        admin.delete(&path).await.is(200);
        let restored = admin.patch(&path, json!({"status": "publish"})).await.is(200).body;
        for list in ["venue", "organizer", "tags"] {
            assert_eq!(ids(&restored[list]), ids(&event[list]), "{list}");
        }
    }
}
