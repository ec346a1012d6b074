//! The trash.

use serde_json::json;

use crate::on_both;

on_both! {
    async fn a_deleted_event_is_in_the_trash_and_gone_from_lists(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/events", json!({"title": "Gone", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"})).await;
        let gone = admin.delete(&format!("/events/{id}")).await.is(200);
        assert_eq!(gone.body["status"], "trash");
        assert_eq!(admin.get("/events").await.is(200).body["total"], 0);
        admin.delete(&format!("/events/{id}")).await.is_error(410, "event-is-in-trash");
        server.anonymous().get(&format!("/events/{id}")).await.is_error(410, "event-no-longer-available");
        server.anonymous().get("/events/by-slug/gone").await.is_error(404, "event-not-found");
    }
}
