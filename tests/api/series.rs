//! Series: creating, reading and changing them as a whole.

use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, id, merge},
    on_both_databases,
    support::{Client, Response},
};

/// A weekly series of five events on Tuesdays in Berlin, with fields added or replaced.
pub(crate) fn yoga(fields: Value) -> Value {
    let yoga = json!({
        "title": "Yoga", "start_date": "2027-01-05 19:00", "end_date": "2027-01-05 20:30", "timezone": "Europe/Berlin",
        "recurrence": "RRULE:FREQ=WEEKLY;COUNT=5;BYDAY=TU",
    });
    merge(yoga, fields)
}

/// Creates the series from [`yoga`]. Returns its ID.
pub(crate) async fn create_yoga(client: &Client, fields: Value) -> i64 {
    series_of(&client.create("/events", yoga(fields)).await)
}

/// The ID of the series of an event.
pub(crate) fn series_of(event: &Value) -> i64 {
    id(&event["series"])
}

/// The events of a series, by start.
pub(crate) async fn events(client: &Client, series: i64) -> Vec<Value> {
    let path = format!("/series/{series}/events?per_page=100");
    let list = client.get(&path).await.is(200);
    list.body["events"].as_array().cloned().unwrap_or_default()
}

/// One member of each event, as text.
pub(crate) fn texts(events: &[Value], member: &str) -> Vec<String> {
    let text = |event: &Value| event[member].as_str().unwrap_or_default().to_owned();
    events.iter().map(text).collect()
}

/// The IDs of events.
pub(crate) fn ids(events: &[Value]) -> Vec<i64> {
    events.iter().map(id).collect()
}

on_both_databases! {
    async fn create_stores_all_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let yoga = yoga(json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=52;BYDAY=TU", "cost": "5"}));
        let created = admin.post("/events", yoga).await.is(201);
        let first = created.body.clone();
        assert_eq!(created.header("location").rsplit('/').next(), Some(first["id"].to_string().as_str()));
        assert_eq!(first["slug"], "yoga-2027-01-05");
        assert_eq!(first["start_date"], "2027-01-05 19:00:00");
        let series = &first["series"];
        assert_eq!(series["recurrence"], json!(["RRULE:FREQ=WEEKLY;COUNT=52;BYDAY=TU"]));
        assert_eq!(series["recurrence_id"], "2027-01-05 19:00:00");
        assert_eq!((&series["overridden"], &series["expanded_until"]), (&json!([]), &json!(null)));
        let events = events(&admin, series_of(&first)).await;
        assert_eq!(events.len(), 52);
        assert_eq!(events[51]["start_date"], "2027-12-28 19:00:00");
        for event in &events {
            assert!(event["start_date"].as_str().is_some_and(|start| start.ends_with("19:00:00")), "{event}");
            assert_eq!((&event["cost"], &event["title"]), (&json!("5"), &json!("Yoga")));
            assert_eq!(event["series"]["recurrence_id"], event["start_date"]);
            let date = &event["start_date"].as_str().unwrap_or_default()[..10];
            assert_eq!(event["slug"], format!("yoga-{date}"));
        }
        // 19:00 in summer time.
        assert_eq!(events[20]["utc_start_date"], "2027-05-25 17:00:00");
        assert_eq!(admin.get("/events?start_date=2027-01-01&end_date=2028-01-01").await.body["total"], 52);
    }

    async fn single_events_have_no_series(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for recurrence in [json!(null), json!("")] {
            let created = admin.create("/events", event_with(json!({"recurrence": recurrence}))).await;
            assert_eq!(created["series"], json!(null));
        }
    }

    async fn links_are_those_of_the_payload(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({
            "venue": [{"venue": "Hall"}], "organizer": [{"organizer": "Ann"}], "categories": ["Sport"], "tags": ["Mat"],
        });
        let series = create_yoga(&admin, fields).await;
        for event in events(&admin, series).await {
            assert_eq!(event["venue"][0]["venue"], "Hall", "{event}");
            assert_eq!(event["organizer"][0]["organizer"], "Ann");
            assert_eq!((&event["categories"][0]["count"], &event["tags"][0]["count"]), (&json!(5), &json!(5)));
        }
        assert_eq!(admin.get("/venues").await.body["total"], 1);
        let list = "/events?start_date=2027-01-01&end_date=2028-01-01";
        for filter in ["venue=1", "organizer=1", "categories=1", "tags=1"] {
            assert_eq!(admin.get(&format!("{list}&{filter}")).await.body["total"], 5, "{filter}");
        }
    }

    async fn taken_slugs_get_numbers(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/events", event_with(json!({"slug": "yoga-2027-01-12"}))).await;
        let rule = "RRULE:FREQ=DAILY;COUNT=8\nRDATE:20270105T210000";
        let series = create_yoga(&admin, json!({"recurrence": rule})).await;
        let slugs = texts(&events(&admin, series).await, "slug");
        assert_eq!(slugs[..3], ["yoga-2027-01-05", "yoga-2027-01-05-2", "yoga-2027-01-06"]);
        assert_eq!(slugs[8], "yoga-2027-01-12-2");
        let nameless = create_yoga(&admin, json!({"title": "!!!"})).await;
        assert_eq!(texts(&events(&admin, nameless).await, "slug")[0], "event-2027-01-05");
    }

    async fn invalid_rules_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (rule, reason) in [
            ("RRULE:FREQ=HOURLY", "HOURLY"),
            ("RRULE:FREQ=WEEKLY;COUNT=5;UNTIL=20280101T000000;BYDAY=TU", "UNTIL"),
            ("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "occurrence"),
            ("RRULE:FREQ=DAILY;COUNT=1001", "1001"),
            ("RRULE:FREQ=WEEKLY;COUNT=5;BYDAY=WE", "2027-01-06"),
            ("RRULE:FREQ=WEEKLY;FOO=1", "FOO"),
            ("not a rule", ""),
        ] {
            let response = admin.post("/events", yoga(json!({"recurrence": rule}))).await;
            let response = response.is_error(400, "rest_invalid_param");
            assert_eq!(response.invalid_params(), ["recurrence"], "{rule}");
            let message = response.body["data"]["params"]["recurrence"].as_str().unwrap_or_default().to_owned();
            let digits: String = message.chars().filter(|letter| *letter != ',').collect();
            assert!(digits.contains(reason), "{rule}: {message}");
        }
        let response = admin.post("/events", yoga(json!({"recurrence": 5, "title": "", "cost": {}}))).await;
        assert_eq!(response.invalid_params(), ["cost", "recurrence", "title"]);
        assert_eq!(admin.get("/events?status=any&start_date=2020-01-01&end_date=2040-01-01").await.body["total"], 0);
    }

    async fn long_texts_of_many_events_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let rejected = |response: Response| response.is_error(400, "rest_invalid_param").invalid_params();
        let (daily, long) = ("RRULE:FREQ=DAILY;COUNT=1000", "word ".repeat(8_000));
        let created = admin.post("/events", yoga(json!({"recurrence": daily, "description": long}))).await;
        assert_eq!(rejected(created), ["description"]);
        let series = create_yoga(&admin, json!({"description": long})).await;
        let path = format!("/series/{series}");
        let extended = admin.patch(&path, json!({"recurrence": daily})).await;
        assert_eq!(rejected(extended), ["description"]);
        admin.patch(&path, json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=6;BYDAY=TU"})).await.is(200);
        let series = create_yoga(&admin, json!({"recurrence": daily})).await;
        let changed = admin.patch(&format!("/series/{series}"), json!({"description": long})).await;
        assert_eq!(rejected(changed), ["description"]);
        let event = admin.create_id("/events", event_with(json!({"description": long}))).await;
        let converted = admin.patch(&format!("/events/{event}"), json!({"recurrence": daily})).await;
        assert_eq!(rejected(converted), ["description"]);
    }

    async fn endless_rules_are_expanded_to_the_horizon(database) {
        let server = database.server(&["--recurrence-horizon", "2 months"]).await;
        let admin = server.administrator().await;
        let fields = json!({
            "start_date": "2099-01-06 19:00", "end_date": "2099-01-06 20:30",
            "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=TU"],
        });
        let first = admin.create("/events", yoga(fields)).await;
        // From the start, which is later than now.
        assert_eq!(first["series"]["expanded_until"], "2099-03-06 19:00:00");
        let events = events(&admin, series_of(&first)).await;
        assert_eq!(events.last().map(|event| event["start_date"].clone()), Some(json!("2099-03-03 19:00:00")));
    }

    async fn an_endless_series_has_a_thousand_upcoming_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({
            "start_date": "2099-01-05 09:00", "end_date": "2099-01-05 20:30",
            "recurrence": "RRULE:FREQ=DAILY;BYHOUR=9,12,15,19",
        });
        let first = admin.create("/events", yoga(fields)).await;
        let list = admin.get(&format!("/series/{}/events?per_page=1", series_of(&first))).await;
        assert_eq!(list.body["total"], 1000);
        assert_eq!(first["series"]["expanded_until"], "2099-09-12 09:00:00");
    }

    async fn get_then_put_changes_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for fields in [
            json!({"venue": [{"venue": "Hall"}], "categories": ["Sport", "Health"], "custom_fields": {"a": [1]}}),
            json!({"all_day": true, "recurrence": "RRULE:FREQ=MONTHLY;UNTIL=20271231;BYDAY=1TU\nEXDATE:20270202"}),
            json!({"recurrence": "RRULE:FREQ=WEEKLY;BYDAY=TU", "description": "<p>Bring a mat.</p>", "cost": "€5"}),
            json!({
                "start_date": "2027-03-28 02:30", "end_date": "2027-03-28 03:30", "recurrence": "RRULE:FREQ=DAILY;COUNT=9",
            }),
            json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=3\nRDATE:20270301T100000Z", "status": "draft"}),
        ] {
            let series = create_yoga(&admin, fields).await;
            let path = format!("/series/{series}");
            let before = admin.get(&path).await.is(200);
            let events_before = admin.get(&format!("{path}/events?per_page=100&status=any")).await.is(200).body;
            let after = admin.put(&path, before.body.clone()).await.is(200);
            assert_eq!(after.header("x-ignored"), "");
            assert_eq!(after.body, before.body);
            assert_eq!(admin.get(&path).await.header("etag"), before.header("etag"));
            let events_after = admin.get(&format!("{path}/events?per_page=100&status=any")).await.is(200).body;
            assert_eq!(events_after, events_before);
            // The same by an event, in each scope.
            let event = events_before["events"][1].clone();
            for scope in ["this", "following", "all"] {
                let event_path = format!("/events/{}", event["id"]);
                let read = admin.get(&event_path).await.is(200).body;
                let written = admin.put(&format!("{event_path}?scope={scope}"), read.clone()).await.is(200).body;
                assert_eq!(written, read, "{scope}");
            }
        }
    }

    async fn series_is_updated_with_its_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let path = format!("/series/{series}");
        let before = events(&admin, series).await;
        let updated = admin.patch(&path, json!({"title": "Pilates", "start_date": "2027-01-05 20:00"})).await.is(200).body;
        assert_eq!((&updated["title"], &updated["start_date"]), (&json!("Pilates"), &json!("2027-01-05 20:00:00")));
        assert_eq!(updated["end_date"], "2027-01-05 21:30:00");
        let after = events(&admin, series).await;
        assert_eq!(ids(&after), ids(&before));
        assert_eq!(texts(&after, "slug"), texts(&before, "slug"));
        for event in &after {
            assert_eq!(event["title"], "Pilates");
            assert!(event["start_date"].as_str().is_some_and(|start| start.ends_with("20:00:00")), "{event}");
            assert!(event["end_date"].as_str().is_some_and(|end| end.ends_with("21:30:00")), "{event}");
        }
        admin.patch(&path, json!({"recurrence": null})).await.is_error(400, "rest_invalid_param");
        admin.patch("/series/99", json!({"title": "None"})).await.is_error(404, "series-not-found");
    }

    async fn series_requires_current_version(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let path = format!("/series/{series}");
        let tag = admin.get(&path).await.header("etag").to_owned();
        let patch = |path: String, title: &str| {
            let request = admin.request("PATCH", &path).header("if-match", tag.clone());
            request.json(&json!({"title": title}))
        };
        crate::support::Response::fetch(patch(path.clone(), "Second")).await.is(200);
        crate::support::Response::fetch(patch(path.clone(), "Third")).await.is_error(412, "rest_precondition_failed");
        let event = ids(&events(&admin, series).await)[0];
        let by_event = patch(format!("/events/{event}?scope=all"), "Third");
        crate::support::Response::fetch(by_event).await.is_error(412, "rest_precondition_failed");
    }

    async fn preview_stores_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = yoga(json!({"recurrence": "RRULE:FREQ=DAILY", "start_date": "2027-03-27 02:30", "end_date": "2027-03-27 03:30"}));
        let preview = server.anonymous().post("/series/preview", body).await.is(200);
        assert_eq!(preview.header("x-ignored"), "");
        let preview = preview.body;
        assert_eq!((&preview["total"], preview["events"].as_array().map(Vec::len)), (&json!(null), Some(50)));
        assert_eq!(preview["text"], "every day");
        assert_eq!(preview["events"][0]["starts_at"], "2027-03-27T02:30:00+01:00");
        // In the gap, moved forward.
        let moved = &preview["events"][1];
        assert_eq!((&moved["recurrence_id"], &moved["start_date"]), (&json!("2027-03-28 02:30:00"), &json!("2027-03-28 03:30:00")));
        assert_eq!(moved["end_date"], "2027-03-28 04:30:00");
        let spanish = admin.request("POST", "/series/preview").header("accept-language", "es").json(&yoga(json!({})));
        let spanish = crate::support::Response::fetch(spanish).await.is(200).body;
        assert!(spanish["text"].as_str().is_some_and(|text| text.contains("martes")), "{spanish}");
        assert_eq!(spanish["total"], 5);
        let invalid = admin.post("/series/preview", json!({})).await.is_error(400, "rest_missing_callback_param");
        assert_eq!(invalid.invalid_params(), ["recurrence", "start_date"]);
        assert_eq!(admin.get("/events?status=any&start_date=2020-01-01&end_date=2040-01-01").await.body["total"], 0);
    }

    async fn words_are_in_the_language_of_the_request(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        for path in [format!("/series/{series}/events"), "/events/1".to_owned()] {
            for (language, word) in [("en", "Tuesday"), ("es", "martes"), ("en", "Tuesday")] {
                let request = server.anonymous().request("GET", &path).header("accept-language", language);
                let body = crate::support::Response::fetch(request).await.is(200).text;
                assert!(body.contains(word), "{language} {path}: {body}");
            }
        }
    }
}
