//! Status and publication date of events.

use chrono::{Duration, Utc};
use serde_json::json;

use crate::{
    assertions::{assert_fields, assert_invalid, assert_update_rejected},
    fixtures::{event_path, event_with},
    on_both_databases,
};

on_both_databases! {
    async fn status_depends_on_publication_date(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (status, date, shown) in [
            ("publish", "2020-01-01", "publish"), ("draft", "2020-01-01", "draft"),
            ("pending", "2020-01-01", "pending"),
            ("private", "2020-01-01", "private"), ("publish", "2990-01-01", "future"),
            ("future", "2990-01-01", "future"),
            ("future", "2020-01-01", "publish"), ("draft", "2990-01-01", "draft"),
        ] {
            let event = admin.create("/events", event_with(json!({"status": status, "date": date}))).await;
            assert_eq!(event["status"], shown, "{status} of {date}");
        }
        let path = event_path(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "status", &[
            json!("published"), json!("any"), json!(1), json!(true), json!([]),
        ]).await;
    }

    async fn create_in_trash_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"status": "trash"}));
        assert_invalid(admin.post("/events", body.clone()).await, "status", &body);
    }

    async fn scheduled_event_published_when_due(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let due = (Utc::now() + Duration::seconds(3)).format("%Y-%m-%d %H:%M:%S").to_string();
        let path = event_path(&admin, json!({"date_utc": due})).await;
        assert_eq!(admin.get(&path).await.body["status"], "future");
        server.anonymous().get(&path).await.is_error(403, "event-not-accessible");
        let list = "/events?start_date=2000-01-01";
        assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 0);
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        assert_eq!(server.anonymous().get(&path).await.is(200).body["status"], "publish");
        assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 1);
    }

    async fn conflicting_publication_dates_rejected(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let agreeing = json!({"date": "2026-01-15 10:00", "date_utc": "2026-01-15 09:00"});
        let agreed = admin.patch(&path, agreeing).await.is(200).body;
        assert_fields(&agreed, &json!({"date": "2026-01-15 10:00:00", "date_utc": "2026-01-15 09:00:00"}));
        let disagreeing = json!({"date": "2026-01-15 10:00", "date_utc": "2026-01-15 10:00"});
        let response = admin.patch(&path, disagreeing).await.is_error(400, "rest_invalid_param");
        let invalid = response.invalid_params();
        assert!(invalid.iter().all(|name| name.starts_with("date")) && !invalid.is_empty());
        assert_eq!(admin.get(&path).await.body, agreed);
    }
}
