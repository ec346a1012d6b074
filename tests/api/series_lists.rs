//! The events of series in lists.

use serde_json::json;

use crate::{
    fixtures::event_with,
    on_both_databases,
    series::{create_yoga, events, ids},
};

const YEAR: &str = "/events?start_date=2027-01-01&end_date=2028-01-01&per_page=100";

on_both_databases! {
    async fn series_filter(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let (one, other) = (create_yoga(&admin, json!({})).await, create_yoga(&admin, json!({"title": "Pilates"})).await);
        let draft = create_yoga(&admin, json!({"status": "draft"})).await;
        admin.create("/events", event_with(json!({}))).await;
        let reader = server.anonymous();
        for (filter, total) in [
            (format!("series={one}"), 5),
            (format!("series={one},{other}"), 10),
            (format!("series={draft}"), 0),
            (format!("series={one}&starts_before=2027-01-12"), 2),
            (String::new(), 11),
        ] {
            assert_eq!(reader.get(&format!("{YEAR}&{filter}")).await.is(200).body["total"], total, "{filter}");
        }
        let unknown = reader.get(&format!("{YEAR}&series=99")).await.is_error(400, "rest_invalid_param");
        assert_eq!(unknown.invalid_params(), ["series"]);
        let of_series = reader.get(&format!("/series/{one}/events?start_date=2027-01-10&per_page=2")).await.is(200);
        assert_eq!((&of_series.body["total"], &of_series.body["total_pages"]), (&json!(4), &json!(2)));
        assert_eq!(reader.get(&format!("/series/{one}/events?series={other}")).await.is(200).body["total"], 0);
        assert_eq!(reader.get("/series/99/events").await.is_error(404, "series-not-found").status, 404);
    }

    async fn next_event_of_each_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let one = create_yoga(&admin, json!({"categories": ["Sport"]})).await;
        let other = create_yoga(&admin, json!({"title": "Pilates", "start_date": "2027-01-06 19:00", "end_date": "2027-01-06 20:00", "recurrence": "RRULE:FREQ=DAILY;COUNT=3"})).await;
        let single = admin.create_id("/events", event_with(json!({}))).await;
        let (one, other) = (ids(&events(&admin, one).await), ids(&events(&admin, other).await));
        let reader = server.anonymous();
        for (filter, expected) in [
            ("", vec![one[0], other[0], single]),
            ("&order=desc", vec![single, other[0], one[0]]),
            ("&orderby=title", vec![other[0], single, one[0]]),
            ("&starts_after=2027-01-06", vec![other[1], one[1], single]),
            ("&categories=sport", vec![one[0]]),
            ("&search=yoga", vec![one[0]]),
            ("&series=1", vec![one[0]]),
        ] {
            let list = reader.get(&format!("{YEAR}&recurrences=next{filter}")).await.is(200);
            assert_eq!(list.each("events", "id"), expected, "{filter}");
            assert_eq!(list.body["total"], expected.len(), "{filter}");
        }
        // The next one follows when the first is moved, hidden, unpublished or deleted.
        admin.delete(&format!("/events/{}", one[0])).await.is(200);
        admin.patch(&format!("/events/{}", one[1]), json!({"status": "draft"})).await.is(200);
        admin.patch(&format!("/events/{}", one[2]), json!({"hide_from_listings": true})).await.is(200);
        admin.patch(&format!("/events/{}", one[3]), json!({"start_date": "2027-03-01", "end_date": "2027-03-02"})).await.is(200);
        let list = reader.get(&format!("{YEAR}&recurrences=next")).await.is(200);
        assert_eq!(list.each("events", "id"), [other[0], one[4], single]);
        reader.get(&format!("{YEAR}&recurrences=last")).await.is_error(400, "rest_invalid_param");
    }

    async fn lists_show_changes_at_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let reader = server.anonymous();
        let series = create_yoga(&admin, json!({})).await;
        for title in ["Pilates", "Stretching"] {
            let before = reader.get(YEAR).await.is(200);
            reader.get(&format!("/series/{series}")).await.is(200);
            assert_eq!(before.body["total"], 5);
            admin.patch(&format!("/series/{series}"), json!({"title": title})).await.is(200);
            assert_eq!(reader.get(YEAR).await.texts("events", "title"), [title; 5]);
            assert_eq!(reader.get(&format!("/series/{series}")).await.body["title"], title);
        }
        let rule = json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU"});
        admin.patch(&format!("/series/{series}"), rule).await.is(200);
        let after = reader.get(YEAR).await.is(200);
        assert_eq!(after.body["total"], 2);
        assert_eq!(after.body["events"][0]["series"]["recurrence"], json!(["RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU"]));
    }
}
