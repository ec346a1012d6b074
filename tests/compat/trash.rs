//! Objects that are in the trash or do not exist.

use almanac::testing::auth::Role;
use serde_json::json;

use crate::on_both_databases;

const ROOT: &str = "~/wp-json/tribe/events/v1";

on_both_databases! {
    async fn trashed_event_is_unavailable_to_all(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let editor = server.user("editor", Role::Editor).await;
        let event = json!({"title": "Gone", "start_date": "2030-01-01", "end_date": "2030-01-01"});
        let id = admin.create_id("/events", event).await;
        let path = format!("{ROOT}/events/{id}");
        admin.delete(&path).await.is(200);
        for client in [&admin, &editor, &server.anonymous()] {
            let response = client.get(&path).await.is_error(403, "event-no-longer-available");
            assert_eq!(response.body["message"], "This event is no longer available");
            assert_eq!(response.header("etag"), "");
        }
        admin.get(&format!("/events/{id}")).await.is(200);
        let restored = admin.patch(&path, json!({"status": "publish"})).await.is(200);
        assert_eq!(restored.body["status"], "publish");
        server.anonymous().get(&path).await.is(200);
    }

    async fn update_by_unknown_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("{ROOT}/events/by-slug/nope");
        for method in ["POST", "PUT", "PATCH"] {
            let request = admin.request(method, &path).json(&json!({"title": "x"}));
            crate::support::Response::fetch(request).await.is_error(404, "rest-event-not-found");
        }
        admin.get(&path).await.is_error(400, "rest_invalid_param");
        admin.delete(&path).await.is_error(400, "rest_invalid_param");
        let venue = admin.post(&format!("{ROOT}/venues/by-slug/nope"), json!({"city": "x"})).await;
        venue.is_error(400, "rest_invalid_param");
    }
}
