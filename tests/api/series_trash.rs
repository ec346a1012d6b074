//! The trash of series.

use serde_json::json;

use crate::{
    on_both_databases,
    series::{create_yoga, events, ids, texts},
};

on_both_databases! {
    async fn deleted_event_is_excluded_until_restored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let path = format!("/series/{series}");
        let before = events(&admin, series).await;
        let rule = admin.get(&path).await.body["recurrence"].clone();
        let event = format!("/events/{}", before[1]["id"]);
        for method in ["DELETE", "PATCH"] {
            let request = admin.request(method, &event).json(&json!({"status": "trash"}));
            let trashed = crate::support::Response::fetch(request).await.is(200).body;
            assert_eq!(trashed["status"], "trash");
            let excluded = admin.get(&path).await.body["recurrence"].clone();
            assert_eq!(excluded, json!([rule[0], "EXDATE:20270112T190000"]));
            assert_eq!(events(&admin, series).await.len(), 4);
            let restored = admin.patch(&event, json!({"status": "publish"})).await.is(200).body;
            assert_eq!((&restored["slug"], &restored["series"]["overridden"]), (&before[1]["slug"], &json!([])));
            assert_eq!(admin.get(&path).await.body["recurrence"], rule);
            assert_eq!(ids(&events(&admin, series).await), ids(&before));
        }
    }

    async fn following_events_are_deleted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({"recurrence": "RRULE:FREQ=WEEKLY;BYDAY=TU"})).await;
        let before = ids(&events(&admin, series).await);
        admin.delete(&format!("/events/{}?scope=following", before[3])).await.is(200);
        assert_eq!(ids(&events(&admin, series).await), before[..3]);
        let view = admin.get(&format!("/series/{series}")).await.is(200).body;
        assert_eq!(view["expanded_until"], json!(null));
        // A restored event is an additional date.
        let restored = admin.patch(&format!("/events/{}", before[4]), json!({"status": "publish"})).await.is(200).body;
        assert_eq!(restored["series"]["id"], series);
        assert_eq!(ids(&events(&admin, series).await), [before[0], before[1], before[2], before[4]]);
        assert!(restored["series"]["recurrence"].to_string().contains("RDATE"), "{restored}");
    }

    async fn series_is_deleted_and_restored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let path = format!("/series/{series}");
        let before = events(&admin, series).await;
        admin.delete(&format!("/events/{}", before[1]["id"])).await.is(200);
        let deleted = admin.delete(&path).await.is(200).body;
        assert_eq!(deleted["status"], "trash");
        admin.delete(&path).await.is_error(410, "series-is-in-trash");
        server.anonymous().get(&path).await.is_error(410, "series-no-longer-available");
        assert_eq!(admin.get("/events?start_date=2027-01-01&end_date=2028-01-01").await.body["total"], 0);
        // Another series takes the slugs.
        let other = create_yoga(&admin, json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=1"})).await;
        admin.patch(&path, json!({"status": "publish"})).await.is(200);
        let after = events(&admin, series).await;
        assert_eq!(ids(&after), [&ids(&before)[..1], &ids(&before)[2..]].concat());
        assert_eq!(texts(&after, "slug")[..2], ["yoga-2027-01-05-2", "yoga-2027-01-19"]);
        assert_eq!(events(&admin, other).await.len(), 1);
        // The same by one of its events.
        let event = format!("/events/{}?scope=all", before[0]["id"]);
        assert_eq!(admin.delete(&event).await.is(200).body["status"], "trash");
        admin.patch(&event, json!({"status": "publish", "title": "New"})).await.is(200);
        assert_eq!(texts(&events(&admin, series).await, "title"), ["New"; 4]);
    }

    async fn last_event_restores_the_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=2"})).await;
        let before = ids(&events(&admin, series).await);
        for event in &before {
            admin.delete(&format!("/events/{event}")).await.is(200);
        }
        for event in before.iter().rev() {
            admin.patch(&format!("/events/{event}"), json!({"status": "publish"})).await.is(200);
        }
        assert_eq!(ids(&events(&admin, series).await), before);
        let recurrence = admin.get(&format!("/series/{series}")).await.is(200).body["recurrence"].clone();
        assert_eq!(recurrence, json!(["RRULE:FREQ=WEEKLY;COUNT=2"]));
    }

    async fn last_event_takes_the_series_along(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=2"})).await;
        for event in ids(&events(&admin, series).await) {
            admin.delete(&format!("/events/{event}")).await.is(200);
        }
        assert_eq!(admin.get(&format!("/series/{series}")).await.is(200).body["status"], "trash");
        almanac::testing::store::trash::empty(&server.store, None).await.expect("an empty trash");
        admin.get(&format!("/series/{series}")).await.is_error(404, "series-not-found");
    }

    async fn one_event_of_a_deleted_series_is_restored_alone(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let event = format!("/events/{}", ids(&events(&admin, series).await)[2]);
        admin.delete(&format!("/series/{series}")).await.is(200);
        let restored = admin.patch(&event, json!({"status": "publish"})).await.is(200).body;
        assert_eq!((&restored["series"], &restored["slug"]), (&json!(null), &json!("yoga-2027-01-19")));
        assert_eq!(admin.get("/events?start_date=2027-01-01&end_date=2028-01-01").await.body["total"], 1);
    }
}
