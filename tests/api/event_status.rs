//! The field `event_status`, and the filter by it.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected, assert_update_rejected, spellings},
    fixtures::{create_event, event_path},
    on_both_databases,
};

on_both_databases! {
    async fn event_status_is_written_and_filtered(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            create_event(&admin, "Plain", json!({})).await;
            for (title, status) in
                [("On", "scheduled"), ("Off", "canceled"), ("Later", "postponed"), ("Online", "moved_online")]
            {
                create_event(&admin, title, json!({"event_status": status, "tags": ["all"]})).await;
            }
            assert_lists(&server.anonymous(), "events", &[
                ("", "Plain On Off Later Online"),
                ("event_status=scheduled", "Plain On"),
                ("event_status=canceled", "Off"),
                ("event_status=moved_online&tags=all", "Online"),
                ("event_status=canceled&featured=true", ""),
            ]).await;
            for query in spellings("event_status", "canceled", "postponed") {
                assert_lists(&server.anonymous(), "events", &[(&query, "Off Later")]).await;
            }
            assert_rejected(&server.anonymous(), "events", &[
                ("event_status=cancelled", "event_status"),
                ("event_status=canceled,lost", "event_status"),
                ("event_status=Canceled", "event_status"),
            ]).await;
        }
    }

    async fn filter_sees_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Choir", json!({})).await;
        let reader = server.anonymous();
        assert_lists(&reader, "events", &[("event_status=scheduled", "Choir"), ("event_status=canceled", "")]).await;
        admin.patch(&format!("/events/{id}"), json!({"event_status": "canceled"})).await.is(200);
        assert_lists(&reader, "events", &[("event_status=scheduled", ""), ("event_status=canceled", "Choir")]).await;
    }

    async fn unknown_status_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let values = [json!("cancelled"), json!("CANCELED"), json!(1), json!(true), json!(["canceled"])];
        assert_update_rejected(&admin, &path, "event_status", &values).await;
    }
}
