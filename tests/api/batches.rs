//! Batches of writes.

use std::time::Duration;

use almanac::testing::{auth::Role, store::write_connection::WriteConnection};
use sea_orm::DbBackend;
use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, minimal_event},
    on_both_databases,
    support::{Client, Response},
};

fn request(path: &str, body: Value) -> Value {
    json!({"path": format!("/calendar/events/v1{path}"), "body": body})
}

fn all_or_nothing(requests: &[Value]) -> Value {
    json!({"validation": "require-all-validate", "requests": requests})
}

async fn run(client: &Client, batch: Value) -> Response {
    client.post("/batch", batch).await.is(207)
}

fn statuses(response: &Response) -> Vec<Value> {
    response.each("responses", "status")
}

async fn total(client: &Client, list: &str) -> Value {
    let all = client
        .get(&format!("/{list}?hide_empty=false&start_date=2020-01-01"))
        .await;
    all.is(200).body["total"].clone()
}

/// Events that share new objects, slugs and external IDs. The names of all objects begin with the prefix.
fn related_events(prefix: &str, venue: i64) -> Vec<Value> {
    let hall = json!({"venue": format!("{prefix} Hall"), "geo_lat": 54.3, "geo_lng": 10.1});
    let league = |city: &str| {
        json!({
            "venue": format!("{prefix} {city}"), "external_source": "league", "external_id": format!("{prefix} 1"),
        })
    };
    let name = |name: &str| format!("{prefix} {name}");
    let events = [
        json!({"venue": hall, "organizer": [{"organizer": name("Choir")}, {"organizer": name("Band")}],
            "categories": [name("Music"), name("Jazz")], "tags": [name("Open air"), name("New")],
            "image": "https://example.org/1.png"}),
        json!({"venue": {"venue": name("hall").to_uppercase()}, "organizer": [{"organizer": name("choir")}],
            "categories": [name("music")], "tags": name("Other")}),
        json!({"title": "***", "description": prefix, "venue": venue, "start_date": "2027-05-08 20:00:00", "end_date": "2027-05-08 21:00:00"}),
        json!({"venue": {"venue": name("Hall"), "city": "Kiel"}, "recurrence": "RRULE:FREQ=WEEKLY;COUNT=3"}),
        json!({"venue": league("Berlin")}),
        json!({"venue": league("Hamburg"), "organizer": [{"organizer": name("Duo")}, {"organizer": name("duo")}]}),
        json!({"date": "2031-01-01 09:00:00", "venue": {"venue": name("Future")}, "slug": name("Concert"), "featured": true}),
        json!({"title": name("Draft"), "status": "draft", "venue": {"venue": name("Hidden")}, "tags": [name("New")]}),
    ];
    let event = |fields: Value| {
        let mut event =
            json!({"title": name("Concert"), "start_date": "2027-05-07 20:00:00", "end_date": "2027-05-07 22:00:00"});
        for (field, value) in fields.as_object().expect("an object") {
            event[field] = value.clone();
        }
        event
    };
    events.map(event).to_vec()
}

/// Removes what differs between two equal calendars: IDs, the prefix of names, and when they were written.
fn without_identity(value: &mut Value, prefix: &str) {
    match value {
        Value::String(text) => {
            *text = text.replace(prefix, "prefix").replace(&prefix.to_uppercase(), "prefix");
            // The slug of a title without letters.
            if let Some((start, _)) = text.split_once("event-") {
                *text = format!("{start}event-id");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without_identity(item, prefix)),
        Value::Object(members) => {
            let ids = ["id", "global_id", "global_id_lineage", "rest_url", "urls", "uid"];
            let times = [
                "published_at",
                "modified_at",
                "date",
                "date_utc",
                "modified",
                "modified_utc",
            ];
            for name in ids.into_iter().chain(times) {
                members.remove(name);
            }
            members.values_mut().for_each(|value| without_identity(value, prefix));
        }
        _ => {}
    }
}

on_both_databases! {
    async fn batch_with_a_key_waits_for_transactions_of_others(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        // SQLite has one writer.
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let other = server.store.begin().await.expect("a transaction");
        // "batc" in ASCII.
        other.execute_unprepared("SELECT pg_advisory_xact_lock(1650553955)").await.expect("a lock");
        let batch = json!({"requests": [request("/venues", json!({"venue": "Hall"}))]});
        run(&admin, batch.clone()).await;
        let keyed = admin.request("POST", "/batch").header("Idempotency-Key", "7f3a").json(&batch);
        let mut keyed = Box::pin(Response::fetch(keyed));
        let early = tokio::time::timeout(Duration::from_millis(500), &mut keyed).await;
        assert!(early.is_err());
        other.commit().await.expect("a commit");
        keyed.await.is(207);
        assert_eq!(total(&admin, "venues").await, 2);
    }

    async fn responses_are_those_of_single_requests(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for validation in ["normal", "require-all-validate"] {
            let name = format!("Hall {validation}");
            let batch = json!({"validation": validation, "requests": [request("/venues", json!({"venue": name}))]});
            let response = run(&admin, batch).await;
            assert_eq!(response.body["failed"], Value::Null);
            let first = &response.body["responses"][0];
            assert_eq!(first["status"], 201);
            let path = format!("/venues/{}", first["body"]["id"]);
            let single = admin.get(&path).await.is(200);
            assert_eq!(first["body"], single.body);
            assert_eq!(first["headers"]["etag"], single.header("etag"));
            assert!(first["headers"]["location"].as_str().is_some_and(|location| location.ends_with(&path)));
        }
    }

    async fn all_methods_of_writes(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for validation in ["normal", "require-all-validate"] {
            let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
            let path = format!("/calendar/events/v1/venues/{id}");
            let batch = json!({"validation": validation, "requests": [
                {"method": "PUT", "path": path, "body": {"city": "Kiel"}},
                {"method": "PATCH", "path": path, "body": {"zip": "24103"}},
                {"path": path, "body": {"phone": "1"}},
                {"method": "DELETE", "path": path},
                {"method": "PUT", "path": format!("/calendar/events/v1/venues/by-external-id/{validation}/1/"), "body": {"venue": "New"}},
            ]});
            assert_eq!(statuses(&run(&admin, batch).await), [200, 200, 200, 200, 201]);
            let stored = admin.get(&format!("/venues/{id}")).await.is(200);
            assert_eq!(stored.body["status"], "trash");
            for (field, value) in [("city", "Kiel"), ("zip", "24103"), ("phone", "1")] {
                assert_eq!(stored.body[field], value);
            }
        }
    }

    async fn requests_refer_to_earlier_ones(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for validation in ["normal", "require-all-validate"] {
            let name = |kind: &str| format!("{kind} {validation}");
            let batch = json!({"validation": validation, "requests": [
                request("/venues", json!({"venue": name("Hall")})),
                request("/organizers", json!({"organizer": name("Choir")})),
                request("/categories", json!({"name": name("Music")})),
                request("/categories", json!({"name": name("Jazz"), "parent": "$3.id"})),
                request("/tags", json!({"name": name("Open air")})),
                request("/events", event_with(json!({
                    "title": "$1.id", "venue": "$1.id", "organizer": ["$2.id"], "categories": ["$4.id"], "tags": [{"id": "$5.id"}],
                }))),
                request("/events", event_with(json!({"post_parent": "$6.id"}))),
            ]});
            let response = run(&admin, batch).await;
            assert_eq!(statuses(&response), [201; 7], "{}", response.text);
            let id = |index: usize| response.body["responses"][index]["body"]["id"].clone();
            let event = &response.body["responses"][5]["body"];
            assert_eq!(event["title"], "$1.id");
            for (field, index) in [("venue", 0), ("organizer", 1), ("categories", 3), ("tags", 4)] {
                assert_eq!(event[field][0]["id"], id(index), "{field}");
            }
            assert_eq!(response.body["responses"][3]["body"]["parent"], id(2));
            assert_eq!(response.body["responses"][6]["body"]["post_parent"], id(5));
        }
    }

    async fn bulk_create_equals_single_creates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = admin.create_id("/venues", json!({"venue": "Stored hall", "geo_lat": 54.3, "geo_lng": 10.1})).await;
        let mut calendars = Vec::new();
        for prefix in ["alone", "bulky"] {
            let events = related_events(prefix, venue);
            if prefix == "alone" {
                for event in events {
                    admin.post("/events", event).await.is(201);
                }
            } else {
                let requests: Vec<Value> = events.into_iter().map(|event| request("/events", event)).collect();
                let response = run(&admin, all_or_nothing(&requests)).await;
                assert_eq!(statuses(&response), [201; 8], "{}", response.text);
            }
            let mut calendar = Vec::new();
            for list in ["events", "venues", "organizers", "categories", "tags"] {
                let path = format!("/{list}?search={prefix}&status=any&hide_empty=false&per_page=50&start_date=2020-01-01");
                let found = admin.get(&path).await.is(200);
                let mut items = found.body[list].clone();
                without_identity(&mut items, prefix);
                let mut items: Vec<String> = items.as_array().expect("a list").iter().map(Value::to_string).collect();
                items.sort_unstable();
                calendar.push((list, items));
            }
            calendars.push(calendar);
        }
        assert_eq!(calendars[0], calendars[1]);
    }

    async fn bulk_create_with_one_external_id_twice(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = |id: &str| request("/events", event_with(json!({"external_source": "league", "external_id": id})));
        let batch = all_or_nothing(&[event("1"), event("2"), event("1")]);
        for key in [None, Some("key")] {
            let mut request = admin.request("POST", "/batch");
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            let response = Response::fetch(request.json(&batch)).await.is(207);
            assert_eq!(response.body["failed"], "validation");
            assert_eq!(response.body["responses"][1], Value::Null);
            assert_eq!(response.body["responses"][2]["status"], 409, "{}", response.text);
            assert_eq!(total(&admin, "events").await, 0);
        }
    }

    async fn new_term_of_a_bulk_create_is_found_by_its_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create_id("/categories", json!({"name": "Music", "slug": "musik"})).await;
        let event = |category: &str| request("/events", event_with(json!({"categories": [category]})));
        let response = run(&admin, all_or_nothing(&[event("Music!"), event("Music")])).await;
        for event in response.each("responses", "body") {
            assert_eq!(event["categories"][0]["name"], "Music!");
        }
    }

    async fn one_error_stores_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut requests: Vec<Value> = (0..100)
            .map(|number| request("/events", event_with(json!({"title": format!("Event {number}"), "venue": {"venue": format!("Hall {number}")}}))))
            .collect();
        requests[41] = request("/events", json!({"title": "No dates"}));
        let response = run(&admin, all_or_nothing(&requests)).await;
        assert_eq!(response.body["failed"], "validation");
        for (index, response) in response.body["responses"].as_array().expect("a list").iter().enumerate() {
            match index {
                41 => {
                    assert_eq!(response["status"], 400);
                    assert_eq!(response["body"]["code"], "rest_missing_callback_param");
                    assert!(response["body"]["data"]["params"]["start_date"].is_string());
                }
                _ => assert_eq!(*response, Value::Null, "{index}"),
            }
        }
        for list in ["events", "venues"] {
            assert_eq!(total(&admin, list).await, 0);
        }
        requests[41] = request("/events", minimal_event());
        assert_eq!(run(&admin, all_or_nothing(&requests)).await.body["failed"], Value::Null);
        assert_eq!(total(&admin, "events").await, 100);
    }

    async fn all_errors_are_reported(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = all_or_nothing(&[
            request("/venues", json!({"venue": ""})),
            request("/categories", json!({"name": "Music"})),
            // The failed request before it has left nothing behind.
            request("/events", event_with(json!({"tags": "New", "categories": [999]}))),
            request("/tags", json!({"name": "New"})),
            request("/categories", json!({"name": "Music"})),
            request("/events", event_with(json!({"venue": "$1.id"}))),
            json!({"method": "DELETE", "path": "/calendar/events/v1/events/999"}),
            json!({"path": "/calendar/events/v1/nothing"}),
        ]);
        let response = run(&admin, batch).await;
        let errors: Vec<Value> = response.each("responses", "body").iter().map(|body| body["code"].clone()).collect();
        let expected = [
            json!("rest_missing_callback_param"), Value::Null, json!("rest_invalid_param"), Value::Null, json!("term_exists"),
            json!("rest_failed_dependency"), json!("event-not-found"), json!("rest_no_route"),
        ];
        assert_eq!(errors, expected, "{}", response.text);
        assert_eq!(total(&admin, "categories").await, 0);
    }

    async fn normal_batch_keeps_what_succeeds(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"requests": [
            request("/venues", json!({"venue": "Hall"})),
            request("/venues", json!({})),
            request("/events", event_with(json!({"venue": "$2.id"}))),
            request("/events", event_with(json!({"venue": "$1.id"}))),
        ]});
        let response = run(&admin, batch).await;
        assert_eq!(statuses(&response), [201, 400, 424, 201]);
        assert_eq!(response.body["failed"], Value::Null);
        assert_eq!(response.body["responses"][2]["body"]["code"], "rest_failed_dependency");
        assert_eq!(total(&admin, "events").await, 1);
    }

    async fn malformed_batches_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = request("/venues", json!({"venue": "Hall"}));
        for (batch, field) in [
            (json!({}), "requests"),
            (json!({"requests": []}), "requests"),
            (json!({"requests": vec![venue.clone(); 101]}), "requests"),
            (json!({"requests": [venue.clone()], "validation": "some"}), "validation"),
            (json!({"requests": [{"method": "GET", "path": "/calendar/events/v1/venues"}]}), "requests"),
            (json!({"requests": [{"path": "venues"}]}), "requests"),
            (json!({"requests": [request("/events", json!({"venue": "$1.id"}))]}), "requests"),
            (json!({"requests": [venue.clone(), request("/events", json!({"organizer": "$1.id"}))]}), "requests"),
            (json!({"requests": [{"path": "/a", "headers": {"Authorization": "Basic x"}}]}), "requests"),
        ] {
            let rejected = admin.post("/batch", batch).await.is(400);
            assert_eq!(rejected.invalid_params(), [field], "{}", rejected.text);
        }
        assert_eq!(total(&admin, "venues").await, 0);
    }

    async fn batch_in_a_batch_is_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let inner = json!({"requests": [request("/venues", json!({"venue": "Hall"}))]});
        let response = run(&admin, json!({"requests": [request("/batch", inner)]})).await;
        assert_eq!(response.body["responses"][0]["body"]["code"], "rest_batch_not_allowed");
    }

    async fn webhooks_in_a_batch_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let webhook = json!({"url": "https://example.com/hook"});
        let id = admin.create_id("/webhooks", webhook.clone()).await;
        let path = format!("/webhooks/{id}");
        let requests = [
            request("/webhooks", webhook.clone()),
            json!({"method": "PATCH", "path": format!("/calendar/events/v1{path}"), "body": {"enabled": false}}),
            json!({"method": "DELETE", "path": format!("/calendar/events/v1{path}/")}),
            request(&format!("{path}/test"), json!({})),
        ];
        for batch in [json!({"requests": requests}), all_or_nothing(&requests)] {
            for response in run(&admin, batch).await.body["responses"].as_array().expect("a list") {
                assert_eq!((&response["status"], &response["body"]["code"]), (&json!(400), &json!("rest_batch_not_allowed")));
            }
        }
        let webhooks = admin.get("/webhooks").await.is(200);
        assert_eq!(webhooks.each("webhooks", "enabled"), [json!(true)]);
    }

    async fn headers_apply_to_their_requests(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = format!("/calendar/events/v1/venues/{id}");
        let batch = json!({"requests": [
            {"method": "PATCH", "path": path, "headers": {"If-Match": "\"99-a\""}, "body": {"city": "Kiel"}},
            {"method": "PATCH", "path": path, "headers": {"Prefer": "handling=strict"}, "body": {"town": "Kiel"}},
            {"method": "PATCH", "path": path, "body": {"town": "Kiel"}},
        ]});
        let response = run(&admin, batch).await;
        assert_eq!(statuses(&response), [412, 400, 200]);
        assert_eq!(response.body["responses"][2]["headers"]["x-ignored"], "town");
    }

    async fn permissions_are_those_of_the_user(database) {
        let server = database.server(&[]).await;
        let batch = || json!({"requests": [request("/categories", json!({"name": "Music"})), request("/venues", json!({"venue": "Hall"}))]});
        server.anonymous().post("/batch", batch()).await.is_error(401, "rest_not_logged_in");
        let author = server.user("ann", Role::Author).await;
        assert_eq!(statuses(&run(&author, batch()).await), [403, 201]);
        let contributor = server.user("con", Role::Contributor).await;
        let response = run(&contributor, batch()).await;
        assert_eq!(response.body["responses"][1]["body"]["status"], "pending");
    }

    async fn requests_count_towards_the_rate_limit(database) {
        let server = database.server(&["--rate-limit", "20"]).await;
        let admin = server.administrator().await;
        let batch = |count: usize| json!({"requests": vec![request("/tags", json!({"name": ""})); count]});
        admin.post("/batch", batch(40)).await.is_error(413, "rest_payload_too_large");
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        admin.post("/batch", batch(18)).await.is(207);
        let limited = admin.post("/batch", batch(18)).await.is_error(429, "rest_too_many_requests");
        assert!(!limited.header("retry-after").is_empty());
    }

    async fn batch_with_a_key_is_stored_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for validation in ["normal", "require-all-validate"] {
            let before = total(&admin, "venues").await.as_u64().expect("a number");
            let batch = json!({"validation": validation, "requests": vec![request("/venues", json!({"venue": "Hall"})); 3]});
            for replayed in ["", "true"] {
                let request = admin.request("POST", "/batch").header("Idempotency-Key", validation);
                let response = Response::fetch(request.json(&batch)).await.is(207);
                assert_eq!(statuses(&response), [201, 201, 201]);
                assert_eq!(response.header("idempotent-replayed"), replayed);
            }
            assert_eq!(total(&admin, "venues").await, before + 3);
        }
    }

    async fn failed_batch_with_a_key_stores_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let send = |requests: Vec<Value>| {
            let request = admin.request("POST", "/batch").header("Idempotency-Key", "key");
            Response::fetch(request.json(&all_or_nothing(&requests)))
        };
        let venue = request("/venues", json!({"venue": "Hall"}));
        let failed = send(vec![venue.clone(), request("/venues", json!({}))]).await.is(207);
        assert_eq!(failed.body["failed"], "validation");
        assert_eq!(total(&admin, "venues").await, 0);
        assert_eq!(send(vec![venue]).await.is(207).body["failed"], Value::Null);
        assert_eq!(total(&admin, "venues").await, 1);
    }

    async fn normal_batch_with_a_key_keeps_what_succeeds(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let batch = json!({"requests": [
            request("/events", event_with(json!({"venue": {"venue": "Hall"}, "categories": [999]}))),
            request("/venues", json!({"venue": "Other hall"})),
        ]});
        let request = admin.request("POST", "/batch").header("Idempotency-Key", "key");
        let response = Response::fetch(request.json(&batch)).await.is(207);
        assert_eq!(statuses(&response), [400, 201]);
        assert_eq!(admin.get("/venues").await.is(200).texts("venues", "venue"), ["Other hall"]);
    }

    async fn concurrent_batches_do_not_deadlock(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let ids = [
            admin.create_id("/venues", json!({"venue": "One"})).await,
            admin.create_id("/venues", json!({"venue": "Two"})).await,
        ];
        let update = |id: i64, city: usize| {
            json!({"method": "PATCH", "path": format!("/calendar/events/v1/venues/{id}"), "body": {"city": format!("City {city}")}})
        };
        let batches = (0..12).map(|number| {
            let (first, second) = (ids[number % 2], ids[(number + 1) % 2]);
            run(&admin, all_or_nothing(&[update(first, number), update(second, number)]))
        });
        for response in futures_util::future::join_all(batches).await {
            assert_eq!(statuses(&response), [200, 200], "{}", response.text);
        }
        let cities = admin.get("/venues").await.is(200).texts("venues", "city");
        assert_eq!(cities[0], cities[1]);
    }

    async fn cached_responses_follow_a_batch(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        assert_eq!(total(&anonymous, "events").await, 0);
        run(&admin, all_or_nothing(&[request("/events", minimal_event())])).await;
        assert_eq!(total(&anonymous, "events").await, 1);
    }
}
