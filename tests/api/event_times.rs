//! Local times of events, and the instants derived from them.

use serde_json::{Value, json};

use crate::{fixtures::event_with, on_both_databases, support::Client};

/// Creates an event with these fields and returns it.
async fn create_event(client: &Client, fields: Value) -> Value {
    client.create("/events", event_with(fields)).await
}

/// Local start and end, then start and end in UTC.
fn times(event: &Value) -> [&str; 4] {
    ["start_date", "end_date", "utc_start_date", "utc_end_date"].map(|member| event[member].as_str().expect("a date"))
}

on_both_databases! {
    async fn current_time_zone_rules(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (zone, utc, offset) in [
            ("America/Vancouver", "2026-12-15 19:00:00", "-07:00"),
            ("America/Edmonton", "2026-12-15 18:00:00", "-06:00"),
            ("America/Winnipeg", "2026-12-15 17:00:00", "-05:00"),
            ("Africa/Casablanca", "2026-12-15 12:00:00", "+00:00"),
        ] {
            let noon = "2026-12-15 12:00:00";
            let event = create_event(&admin, json!({"start_date": noon, "end_date": noon, "timezone": zone})).await;
            assert_eq!(times(&event), [noon, noon, utc, utc], "{zone}");
            assert_eq!(event["starts_at"], format!("2026-12-15T12:00:00{offset}"), "{zone}");
        }
    }

    async fn rules_after_2100(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let noon = "2150-07-01 12:00:00";
        let times = json!({"start_date": noon, "end_date": noon, "timezone": "Europe/Berlin"});
        let event = create_event(&admin, times).await;
        assert_eq!(event["utc_start_date"], "2150-07-01 10:00:00");
    }

    async fn second_ambiguous_time_is_kept(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let start = "2027-10-31T02:30:00+01:00";
        let event = create_event(&admin, json!({"start_date": start, "end_date": "2027-10-31 03:30"})).await;
        assert_eq!(event["starts_at"], start);
        let path = format!("/events/{}", event["id"]);
        for change in [
            json!({"title": "Another name"}),
            json!({"start_date": "2027-10-31 02:30:00"}),
            json!({"end_date": "2027-10-31 04:00:00"}),
            json!({"timezone": "europe/berlin"}),
        ] {
            let event = admin.patch(&path, change.clone()).await.is(200).body;
            assert_eq!(event["starts_at"], start, "{change}");
        }
        let event = admin.patch(&path, json!({"start_date": "2027-10-31 02:31"})).await.is(200).body;
        assert_eq!(event["starts_at"], "2027-10-31T02:31:00+02:00", "another local time is the earlier one");
    }

    async fn skipped_time_stored_as_shown(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let skipped = "2027-03-28 02:30:00";
        let event = create_event(&admin, json!({"start_date": skipped, "end_date": skipped})).await;
        let shown = "2027-03-28 03:30:00";
        assert_eq!(times(&event), [shown, shown, "2027-03-28 01:30:00", "2027-03-28 01:30:00"]);
        let path = format!("/events/{}", event["id"]);
        let moved = admin.patch(&path, json!({"timezone": "UTC"})).await.is(200).body;
        assert_eq!(times(&moved), [shown; 4]);
    }

    async fn zone_change_keeps_local_times(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = create_event(&admin, json!({
            "start_date": "2027-07-01 12:00:00", "end_date": "2027-07-01 13:00:00", "timezone": "Asia/Tokyo",
        })).await;
        let path = format!("/events/{}", event["id"]);
        let moved = admin.patch(&path, json!({"timezone": "America/New_York"})).await.is(200).body;
        assert_eq!(times(&moved), [
            "2027-07-01 12:00:00", "2027-07-01 13:00:00", "2027-07-01 16:00:00", "2027-07-01 17:00:00",
        ]);
        assert_eq!(moved["timezone_abbr"], "EDT");
    }

    async fn offset_converted_to_event_zone(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = create_event(&admin, json!({
            "start_date": "2027-07-01T12:00:00Z", "end_date": "2027-07-01T15:00:00+02:00",
            "timezone": "America/Winnipeg",
        })).await;
        assert_eq!(times(&event), [
            "2027-07-01 07:00:00", "2027-07-01 08:00:00", "2027-07-01 12:00:00", "2027-07-01 13:00:00",
        ]);
    }

    async fn all_day_uses_event_zone(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = create_event(&admin, json!({
            "start_date": "2026-12-15", "end_date": "2026-12-16", "all_day": true, "timezone": "America/Vancouver",
        })).await;
        assert_eq!(times(&event), [
            "2026-12-15 00:00:00", "2026-12-16 23:59:59", "2026-12-15 07:00:00", "2026-12-17 06:59:59",
        ]);
    }
}
