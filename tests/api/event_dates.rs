//! Dates and time zones in event payloads: formats, validation and conversion.

use chrono::{Datelike, Duration, Utc, Weekday};
use serde_json::json;

use crate::{
    assertions::{assert_fields, assert_invalid, assert_update_rejected},
    fixtures::{event_path, event_with, local_time},
    on_both_databases,
};

on_both_databases! {
    async fn dates_in_event_site_and_utc_zones(database) {
        let server = database.server(&["--timezone", "America/New_York"]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", json!({
            "title": "Dates", "timezone": "Europe/Berlin", "start_date": "2027-07-01 19:30:05",
            "end_date": "2027-12-01 09:00", "date": "2026-01-15 09:00:00",
        })).await;
        assert_fields(&event, &json!({
            "start_date": "2027-07-01 19:30:05", "utc_start_date": "2027-07-01 17:30:05",
            "starts_at": "2027-07-01T19:30:05+02:00", "ends_at": "2027-12-01T09:00:00+01:00",
            "end_date": "2027-12-01 09:00:00", "utc_end_date": "2027-12-01 08:00:00",
            "start_date_details":
                {"year": "2027", "month": "07", "day": "01", "hour": "19", "minutes": "30", "seconds": "05"},
            "utc_start_date_details":
                {"year": "2027", "month": "07", "day": "01", "hour": "17", "minutes": "30", "seconds": "05"},
            "timezone": "Europe/Berlin", "timezone_abbr": "CEST",
            "date": "2026-01-15 09:00:00", "date_utc": "2026-01-15 14:00:00",
            "published_at": "2026-01-15T09:00:00-05:00",
        }));
        let (modified, modified_utc) = (local_time(&event, "modified"), local_time(&event, "modified_utc"));
        let difference = (modified_utc - modified).num_hours();
        assert!(difference == 4 || difference == 5, "{difference} hours");
        assert!((Utc::now().naive_utc() - modified_utc).num_seconds().abs() < 60);
    }

    async fn date_formats(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"timezone": "Europe/Berlin", "end_date": "2999-01-01"})).await;
        for (written, shown) in [
            ("2027-03-01", "2027-03-01 00:00:00"),
            ("2027-03-01 09:00", "2027-03-01 09:00:00"),
            ("2027-03-01 09:00:07", "2027-03-01 09:00:07"),
            ("2027/03/01 09:00", "2027-03-01 09:00:00"),
            ("2027-03-01T09:01:00", "2027-03-01 09:01:00"),
            ("2027-03-01T09:00:00Z", "2027-03-01 10:00:00"),
            ("2027-03-01T09:00:00+05:00", "2027-03-01 05:00:00"),
            ("2027-03-01T09:00:00-05:00", "2027-03-01 15:00:00"),
            ("2027-03-01T09:00:00.123", "2027-03-01 09:00:00"),
            ("  2027-03-02 09:00  ", "2027-03-02 09:00:00"),
        ] {
            let event = admin.patch(&path, json!({"start_date": written})).await.is(200).body;
            assert_eq!(event["start_date"], shown, "{written}");
        }
    }

    async fn relative_dates_without_day_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"end_date": "2999-01-01"})).await;
        for written in ["now", "+1 day", "1 day", "-2 weeks", "3 days ago", "now +90 minutes", "next week"] {
            for field in ["start_date", "end_date", "date", "date_utc"] {
                let response = admin.patch(&path, json!({field: written})).await;
                let response = response.is_error(400, "rest_invalid_param");
                assert_eq!(response.invalid_params(), [field], "{written}");
                assert!(response.text.contains("tomorrow 9am"), "{}", response.text);
            }
        }
    }

    async fn relative_dates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"end_date": "2999-01-01"})).await;
        for (written, days, time) in [
            ("today", 0, "00:00:00"), ("tomorrow 9am", 1, "09:00:00"),
            ("yesterday 10:00", -1, "10:00:00"), ("tomorrow +1 day", 2, "00:00:00"),
        ] {
            let before = Utc::now().naive_utc() - Duration::seconds(1);
            let event = admin.patch(&path, json!({"start_date": written})).await.is(200).body;
            let start = local_time(&event, "start_date") - Duration::days(days);
            let after = Utc::now().naive_utc();
            assert!(before.date() <= start.date() && start.date() <= after.date(), "{written}: {start}");
            assert_eq!(start.format("%H:%M:%S").to_string(), time, "{written}");
        }
        let today = Utc::now().naive_utc().date();
        let event = admin.patch(&path, json!({"start_date": "next monday"})).await.is(200).body;
        let start = local_time(&event, "start_date");
        assert_eq!(start.weekday(), Weekday::Mon);
        assert!((1..=8).contains(&(start.date() - today).num_days()), "{start}");
    }

    async fn invalid_dates_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        for field in ["start_date", "end_date", "date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[
                json!("soon"), json!("2027-13-01"), json!("2027-02-30"), json!("1800000000"), json!(1_800_000_000),
                json!("2027-3-1"), json!("01.03.2027"), json!("03/01/2027"), json!("2027-03-01 25:00"), json!("2027"),
                json!(true), json!(["2027-03-01"]), json!({}), json!("0000-00-00 00:00:00"),
            ]).await;
            let response = admin.patch(&path, json!({field: "soon"})).await;
            let reason = response.body["data"]["params"][field].as_str().expect("a reason").to_owned();
            assert!(reason.contains("2027-03-01 09:00") && reason.contains("tomorrow 9am"), "{reason}");
        }
    }

    async fn time_zone_formats(database) {
        let server = database.server(&["--timezone", "Asia/Tokyo"]).await;
        let admin = server.administrator().await;
        for (written, utc_start) in [
            ("Europe/Berlin", "2027-01-15 11:00:00"), ("eUROPE/bERLIN", "2027-01-15 11:00:00"),
            ("UTC", "2027-01-15 12:00:00"), ("UTC-5", "2027-01-15 17:00:00"), ("UTC+5:30", "2027-01-15 06:30:00"),
            ("UTC+5.5", "2027-01-15 06:30:00"), ("UTC-3.5", "2027-01-15 15:30:00"), ("+05:30", "2027-01-15 06:30:00"),
            ("-03:30", "2027-01-15 15:30:00"), ("UTC+14", "2027-01-14 22:00:00"), ("UTC-14", "2027-01-16 02:00:00"),
            ("", "2027-01-15 03:00:00"),
        ] {
            let event = admin.create("/events", event_with(json!({
                "timezone": written, "start_date": "2027-01-15 12:00", "end_date": "2027-01-15 13:00",
            }))).await;
            assert_fields(&event, &json!({"start_date": "2027-01-15 12:00:00", "utc_start_date": utc_start}));
            match written {
                "eUROPE/bERLIN" => assert_eq!(event["timezone"], "Europe/Berlin"),
                "" => assert_eq!(event["timezone"], "Asia/Tokyo"),
                _ => {}
            }
        }
    }

    async fn unknown_time_zones_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "timezone", &[
            json!("Mars/Olympus"), json!("UTC+15"), json!("UTC+14:30"), json!("+25:00"), json!("UTC+5:99"),
            json!("UTC5"),
            json!(5), json!(true), json!(["UTC"]),
        ]).await;
    }

    async fn time_zone_change_keeps_local_times(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let moved = admin.patch(&path, json!({"timezone": "America/New_York"})).await.is(200).body;
        assert_fields(&moved, &json!({
            "start_date": "2027-05-07 19:30:00", "utc_start_date": "2027-05-07 23:30:00",
            "end_date": "2027-05-07 22:00:00", "utc_end_date": "2027-05-08 02:00:00", "timezone_abbr": "EDT",
        }));
    }

    async fn offset_converted_to_new_time_zone(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let moved = admin.patch(&path, json!({
            "timezone": "America/New_York", "start_date": "2027-05-07T19:30:00Z",
        })).await.is(200).body;
        assert_fields(&moved, &json!({
            "start_date": "2027-05-07 15:30:00", "utc_start_date": "2027-05-07 19:30:00",
            "end_date": "2027-05-07 22:00:00",
        }));
    }

    async fn skipped_local_time_moves_forward(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({
            "timezone": "Europe/Berlin", "start_date": "2027-03-28 02:30", "end_date": "2027-03-28 05:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-03-28 03:30:00", "utc_start_date": "2027-03-28 01:30:00",
        }));
    }

    async fn ambiguous_local_time_is_first(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({
            "timezone": "Europe/Berlin", "start_date": "2027-10-31 02:30", "end_date": "2027-10-31 05:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-10-31 02:30:00", "utc_start_date": "2027-10-31 00:30:00",
            "starts_at": "2027-10-31T02:30:00+02:00", "utc_end_date": "2027-10-31 04:00:00",
        }));
    }

    async fn end_before_start_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"end_date": "2027-05-07 19:29:59"}));
        assert_invalid(admin.post("/events", body.clone()).await, "end_date", &body);
        let path = event_path(&admin, json!({})).await;
        for change in [json!({"end_date": "2027-05-07 19:29:59"}), json!({"start_date": "2027-05-07 22:00:01"})] {
            let response = admin.patch(&path, change).await.is_error(400, "rest_invalid_param");
            assert!(!response.invalid_params().is_empty());
        }
        admin.patch(&path, json!({"end_date": "2027-05-07 19:30:00"})).await.is(200);
    }

    async fn start_and_end_update_independently(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let changed = admin.patch(&path, json!({"start_date": "2027-05-06 08:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-06 08:00:00", "end_date": "2027-05-07 22:00:00"}));
        let changed = admin.patch(&path, json!({"end_date": "2027-05-09 08:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-06 08:00:00", "end_date": "2027-05-09 08:00:00"}));
    }

    async fn all_day_expands_to_whole_days(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let expanded = json!({
            "all_day": true, "start_date": "2027-05-07 00:00:00", "end_date": "2027-05-07 23:59:59",
            "utc_start_date": "2027-05-06 22:00:00",
        });
        assert_fields(&admin.patch(&path, json!({"all_day": true})).await.is(200).body, &expanded);
        let kept = admin.patch(&path, json!({"all_day": false})).await.is(200).body;
        assert_fields(&kept, &json!({
            "all_day": false, "start_date": "2027-05-07 00:00:00", "end_date": "2027-05-07 23:59:59",
        }));
        let created = admin.create("/events", event_with(json!({
            "all_day": true, "start_date": "2027-03-01 09:00", "end_date": "2027-03-02 18:00",
        }))).await;
        assert_fields(&created, &json!({"start_date": "2027-03-01 00:00:00", "end_date": "2027-03-02 23:59:59"}));
    }

    async fn all_day_date_update_expands(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"all_day": true})).await;
        let changed = admin.patch(&path, json!({"end_date": "2027-05-08 10:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-07 00:00:00", "end_date": "2027-05-08 23:59:59"}));
    }
}
