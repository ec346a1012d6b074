//! Changes of one, some or all events of a series.

use serde_json::{Value, json};

use crate::{
    fixtures::{event_path, id},
    on_both_databases,
    series::{create_yoga, events, ids, series_of, texts, yoga},
};

on_both_databases! {
    async fn this_overrides_changed_fields_only(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let before = events(&admin, series).await;
        let path = format!("/events/{}", before[2]["id"]);
        let body = json!({"title": "Yoga with Ann", "cost": "", "start_date": "2027-01-19 18:00"});
        let changed = admin.patch(&path, body).await.is(200).body;
        assert_eq!(changed["series"]["overridden"], json!(["title", "start_date"]));
        assert_eq!(changed["series"]["recurrence_id"], "2027-01-19 19:00:00");
        // The others are unchanged, and a change of all keeps what the event has changed.
        let after = events(&admin, series).await;
        assert_eq!(after[1], before[1]);
        let all = json!({"title": "Pilates", "cost": "5", "start_date": "2027-01-05 20:00"});
        admin.patch(&format!("/events/{}?scope=all", before[0]["id"]), all).await.is(200);
        let after = events(&admin, series).await;
        assert_eq!(ids(&after), ids(&before));
        assert_eq!(texts(&after, "title"), ["Pilates", "Pilates", "Yoga with Ann", "Pilates", "Pilates"]);
        assert_eq!(texts(&after, "cost"), ["5"; 5]);
        assert_eq!(after[2]["start_date"], "2027-01-19 18:00:00");
        assert_eq!(after[2]["series"]["recurrence_id"], "2027-01-19 20:00:00");
        assert_eq!(after[3]["start_date"], "2027-01-26 20:00:00");
    }

    async fn following_divides_the_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let before = events(&admin, series).await;
        admin.patch(&format!("/events/{}", before[3]["id"]), json!({"title": "Special"})).await.is(200);
        let path = format!("/events/{}?scope=following", before[2]["id"]);
        let changed = admin.patch(&path, json!({"start_date": "2027-01-19 20:00", "cost": "7"})).await.is(200).body;
        let new = series_of(&changed);
        assert_ne!(new, series);
        assert_eq!(changed["series"]["recurrence"], json!(["RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TU"]));
        let (first, second) = (events(&admin, series).await, events(&admin, new).await);
        assert_eq!([ids(&first), ids(&second)].concat(), ids(&before));
        assert_eq!(texts(&first, "start_date"), texts(&before[..2], "start_date"));
        let moved = ["2027-01-19 20:00:00", "2027-01-26 20:00:00", "2027-02-02 20:00:00"];
        assert_eq!(texts(&second, "start_date"), moved);
        assert_eq!(texts(&second, "end_date")[0], "2027-01-19 21:30:00");
        assert_eq!(texts(&second, "slug"), texts(&before[2..], "slug"));
        assert_eq!(texts(&second, "title"), ["Yoga", "Special", "Yoga"]);
        assert_eq!(second[1]["series"]["overridden"], json!(["title"]));
        assert_eq!(texts(&first, "cost"), ["", ""]);
        assert_eq!(texts(&second, "cost"), ["7", "7", "7"]);
        // The first event has none before it.
        let path = format!("/events/{}?scope=following", before[0]["id"]);
        let changed = admin.patch(&path, json!({"cost": "1"})).await.is(200).body;
        assert_eq!(series_of(&changed), series);
        assert_eq!(texts(&events(&admin, series).await, "cost"), ["1", "1"]);
    }

    async fn following_then_all_keeps_ids(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (index, rule) in [
            "RRULE:FREQ=DAILY;COUNT=9",
            "RRULE:FREQ=WEEKLY;COUNT=9;BYDAY=TU,TH",
            "RRULE:FREQ=MONTHLY;UNTIL=20270930T190000;BYDAY=1TU",
            "RRULE:FREQ=WEEKLY;COUNT=9\nEXDATE:20270119T190000\nRDATE:20270120T080000",
        ].into_iter().enumerate() {
            let series = create_yoga(&admin, json!({"recurrence": rule})).await;
            let before = events(&admin, series).await;
            let middle = &before[2 + index];
            let path = format!("/events/{}?scope=following", middle["id"]);
            let start = middle["start_date"].as_str().unwrap_or_default().replace(":00:00", ":15:00");
            let changed = admin.patch(&path, json!({"start_date": start})).await.is(200).body;
            let new = series_of(&changed);
            let title = json!({"title": "New", "featured": true});
            admin.patch(&format!("/events/{}?scope=all", middle["id"]), title.clone()).await.is(200);
            admin.patch(&format!("/events/{}?scope=all", before[0]["id"]), title).await.is(200);
            let after = [events(&admin, series).await, events(&admin, new).await].concat();
            assert_eq!(ids(&after), ids(&before), "{rule}");
            assert_eq!(texts(&after, "slug"), texts(&before, "slug"), "{rule}");
            assert!(after.iter().all(|event| event["title"] == "New"), "{rule}");
        }
    }

    async fn links_change_unless_overridden(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({"venue": {"venue": "Hall"}, "tags": ["Mat"]})).await;
        let before = ids(&events(&admin, series).await);
        admin.patch(&format!("/events/{}", before[1]), json!({"venue": {"venue": "Park"}})).await.is(200);
        let changes = json!({"venue": {"venue": "Gym"}, "tags": ["Mat", "Block"]});
        admin.patch(&format!("/events/{}?scope=all", before[0]), changes).await.is(200);
        let after = events(&admin, series).await;
        let venue = |event: &Value| event["venue"][0]["venue"].clone();
        assert_eq!(after.iter().map(venue).collect::<Vec<_>>(), ["Gym", "Park", "Gym", "Gym", "Gym"]);
        assert!(after.iter().all(|event| event["tags"].as_array().map(Vec::len) == Some(2)));
        assert_eq!(after[1]["series"]["overridden"], json!(["venue"]));
        // The changed event gets what it is changed to.
        let changed = admin.patch(&format!("/events/{}?scope=all", before[1]), json!({"venue": {"venue": "Pool"}})).await;
        assert_eq!(changed.is(200).body["series"]["overridden"], json!([]));
        assert!(events(&admin, series).await.iter().all(|event| venue(event) == "Pool"));
    }

    async fn an_event_becomes_a_series_and_single_again(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"title": "Yoga", "start_date": "2027-01-05 19:00", "end_date": "2027-01-05 20:30", "tags": ["Mat"]});
        let path = event_path(&admin, fields).await;
        let first = admin.get(&path).await.body;
        let rule = json!({"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=3"], "cost": "5"});
        let changed = admin.patch(&path, rule.clone()).await.is(200).body;
        assert_eq!((&changed["id"], &changed["slug"]), (&first["id"], &first["slug"]));
        let series = series_of(&changed);
        let three = events(&admin, series).await;
        assert_eq!(texts(&three, "slug"), ["yoga", "yoga-2027-01-12", "yoga-2027-01-19"]);
        assert_eq!(texts(&three, "cost"), ["5", "5", "5"]);
        assert!(three.iter().all(|event| event["tags"][0]["name"] == "Mat"));
        // The same rule again changes nothing, another one requires a scope.
        assert_eq!(admin.patch(&path, rule).await.is(200).body, changed);
        for recurrence in [json!(["RRULE:FREQ=WEEKLY;COUNT=4"]), json!(null)] {
            let response = admin.patch(&path, json!({"recurrence": recurrence})).await;
            assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), ["recurrence"]);
        }
        let second = format!("/events/{}", three[1]["id"]);
        let single = admin.patch(&format!("{second}?scope=all"), json!({"recurrence": null, "cost": "6"})).await.is(200).body;
        assert_eq!((&single["series"], &single["cost"], &single["slug"]), (&json!(null), &json!("6"), &json!("yoga-2027-01-12")));
        for event in [&three[0], &three[2]] {
            let event = admin.get(&format!("/events/{}", id(event))).await.is(200).body;
            assert_eq!(event["status"], "trash");
        }
        assert_eq!(admin.get(&format!("/series/{series}")).await.is(200).body["status"], "trash");
    }

    async fn scopes_of_single_events_are_equal(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        for scope in ["this", "following", "all"] {
            let body = json!({"title": scope, "recurrence": null});
            assert_eq!(admin.patch(&format!("{path}?scope={scope}"), body).await.is(200).body["title"], scope);
        }
        admin.patch(&format!("{path}?scope=some"), json!({})).await.is_error(400, "rest_invalid_param");
        admin.delete(&format!("{path}?scope=some")).await.is_error(400, "rest_invalid_param");
        let unknown = admin.patch(&format!("{path}?scop=all"), json!({})).await.is(200);
        assert_eq!(unknown.header("x-ignored"), "scop");
        let strict = admin.request("PATCH", &format!("{path}?scope=all")).header("prefer", "handling=strict");
        crate::support::Response::fetch(strict.json(&json!({"recurrence": null}))).await.is(200);
    }

    async fn slug_of_an_event_is_its_own(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let first = ids(&events(&admin, series).await)[0];
        let all = admin.patch(&format!("/events/{first}?scope=all"), json!({"slug": "other"})).await;
        assert_eq!(all.is_error(400, "rest_invalid_param").invalid_params(), ["slug"]);
        admin.patch(&format!("/events/{first}"), json!({"slug": "other"})).await.is(200);
        admin.patch(&format!("/series/{series}"), json!({"slug": "stretching", "recurrence": "RRULE:FREQ=WEEKLY;COUNT=6"})).await.is(200);
        let slugs = texts(&events(&admin, series).await, "slug");
        assert_eq!((slugs[0].as_str(), slugs[1].as_str(), slugs[5].as_str()), ("other", "yoga-2027-01-12", "stretching-2027-02-09"));
    }

    async fn statuses_and_publication_dates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let created = admin.create("/events", yoga(json!({"date_utc": "2099-01-01 00:00", "venue": {"venue": "Hall"}}))).await;
        assert_eq!((&created["status"], &created["venue"][0]["status"]), (&json!("future"), &json!("future")));
        let series = series_of(&created);
        let reader = server.anonymous();
        reader.get(&format!("/series/{series}")).await.is_error(403, "series-not-accessible");
        reader.get(&format!("/series/{series}/events")).await.is_error(403, "series-not-accessible");
        let all = format!("/events/{}?scope=all", created["id"]);
        admin.patch(&all, json!({"date_utc": "2026-01-01 00:00"})).await.is(200);
        assert_eq!(events(&reader, series).await.len(), 5);
        assert_eq!(reader.get("/venues/1").await.is(200).body["status"], "publish");
        admin.patch(&all, json!({"status": "draft"})).await.is(200);
        reader.get(&format!("/series/{series}")).await.is_error(403, "series-not-accessible");
        assert_eq!(admin.get(&format!("/series/{series}/events?status=draft")).await.is(200).body["total"], 5);
        assert_eq!(reader.get(&format!("/events?series={series}&start_date=2027-01-01")).await.is(200).body["total"], 0);
    }
}
