//! Upper bounds of the number of statements per operation. Raise a bound only together with an intended increase.

use almanac::testing::store::Store;
use sea_orm::DbBackend;
use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::{Client, Response},
};

on_both_databases! {
    async fn statements_per_read(on) {
        let server = on.server(&["--cache-size", "0"]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let reader = server.anonymous();
        let mut exceeded = Vec::new();
        for (path, bound) in [
            ("/events", 8),
            ("/events?featured=true", 8),
            ("/events?page=2&per_page=1", 8),
            ("/events?ends_after=2020-01-01", 8),
            ("/events?geoloc=true", 9),
            ("/events?search=choir", 9),
            ("/events?include=1,2", 8),
            ("/events?tags=1", 9),
            ("/events?categories=1", 9),
            ("/events?venue=1", 9),
            ("/events?organizer=1", 9),
            ("/events?tags=1&venue=1", 11),
            ("/events?search=nomatch", 2),
            ("/events?order=desc", 8),
            ("/events?orderby=title", 10),
            ("/events?orderby=modified&order=desc", 10),
            ("/events?orderby=distance&geoloc_lat=54.3&geoloc_lng=10.1", 11),
            ("/events?geoloc_box=10,54,11,55", 10),
            ("/events?free=false", 8),
            ("/events?cost_min=0&cost_max=10", 8),
            ("/events?title=choir", 8),
            ("/events?event_status=scheduled", 8),
            ("/events?author=1", 8),
            ("/events?modified_after=2020-01-01", 8),
            ("/events/1", 6),
            ("/events/by-slug/choir", 6),
            ("/events/by-external-id/league/1", 6),
            ("/events?external_source=league", 8),
            ("/venues", 3),
            ("/venues?has_events=true", 3),
            ("/venues?only_with_upcoming=true", 3),
            ("/venues/1", 2),
            ("/organizers", 3),
            ("/organizers/1", 2),
            ("/categories", 4),
            ("/categories?orderby=count&hide_empty=false", 2),
            ("/categories/1", 2),
            ("/tags", 2),
            ("/tags/1", 2),
            ("/doc", 0),
            ("", 0),
            ("~/", 10),
            ("~/developers", 1),
            ("~/explorer", 0),
            ("~/events", 10),
            ("~/events/month", 10),
            ("~/events/category/music", 12),
            ("~/event/choir", 17),
            ("~/venue/hall", 11),
            ("~/organizer/ann", 11),
        ] {
            let count = statements(&server.store, || reader.get(path)).await;
            if count > bound {
                exceeded.push(format!("GET {path}: {count} statements, more than {bound}"));
            }
        }
        assert!(exceeded.is_empty(), "{exceeded:#?}");
    }

    /// After some areas, the numbers of events at each venue are in memory.
    async fn statements_per_area_with_memory(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let reader = server.anonymous();
        let mut exceeded = Vec::new();
        // The tag is looked up, and its links are compared with those of the area.
        for (filter, more) in [("featured=true", 0), ("tags=1", 3), ("orderby=distance", 1)] {
            let (mut of_list, mut of_area) = (0, 0);
            for number in 1..=6 {
                let list = format!("/events?unique={number}");
                of_list = statements(&server.store, || reader.get(&list)).await;
                let area = format!("/events?{filter}&geoloc_lat=54.3&geoloc_lng=10.{number}");
                let response = reader.get(&area).await.is(200);
                assert_eq!(response.body["total"], 2, "{area}");
                let area = format!("{area}&unique=1");
                of_area = statements(&server.store, || reader.get(&area)).await;
            }
            if of_area > of_list.max(1) + more {
                exceeded.push(format!("{filter}: {of_area} statements, and {of_list} for a list"));
            }
        }
        assert!(exceeded.is_empty(), "{exceeded:#?}");
    }

    /// Each host has its own representations, but the rows of the venue and the organizer are in memory.
    async fn statements_per_event_of_another_host(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = json!({
            "title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
            "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"},
        });
        admin.post("/events", event).await.is(201);
        let reader = server.anonymous();
        // An event without links.
        let other = json!({"title": "Band", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        admin.post("/events", other).await.is(201);
        reader.get("/events/2?unique=1").await.is(200);
        let of_event = statements(&server.store, || reader.get("/events/2?unique=2")).await;
        let mut counts = Vec::new();
        for host in ["one.example.org", "two.example.org"] {
            let request = reader.request("GET", "/events/1").header("host", host);
            counts.push(statements(&server.store, || Response::fetch(request)).await);
        }
        assert_eq!(counts, [of_event + 1, of_event]);
    }

    /// Pages that are not cached cost hardly more than the lists that they show: the rest is in memory.
    async fn statements_per_page_with_memory(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let reader = server.anonymous();
        let list = "/events?per_page=20&ends_after=2020-01-01";
        let tomorrow = reader.get("/events").await.is(200).body["events"][0]["start_date"].clone();
        let month = format!("~/events/month/{}?", tomorrow.as_str().and_then(|date| date.get(..7)).expect("a date"));
        let is_postgres = server.store.reader().get_database_backend() == DbBackend::Postgres;
        // The events that have not ended are counted once a second, on PostgreSQL with two statements at the same time.
        let counting = 1 + u64::from(is_postgres);
        let mut exceeded = Vec::new();
        for (page, more) in [
            ("~/events?", counting),
            ("~/embed/list?", counting),
            // The events of the month are in memory, but not their versions.
            (&month, 1),
            // The category is found by its slug. Its list is counted from its links.
            ("~/events/category/music?", 3),
            ("~/?", counting),
        ] {
            let mut counts = [0; 2];
            // Each request is unique by a parameter that is ignored. The first ones fill the memory.
            for number in 0..2 {
                for (count, path) in counts.iter_mut().zip([list, page]) {
                    let path = format!("{path}&unique={number}");
                    *count = statements(&server.store, || reader.get(&path)).await;
                }
            }
            // The list needs none if the version of the data has just been read.
            let [of_list, of_page] = [counts[0].max(1), counts[1]];
            if of_page > of_list + more {
                exceeded.push(format!("{page}: {of_page} statements, and {of_list} for a list"));
            }
        }
        assert!(exceeded.is_empty(), "{exceeded:#?}");
    }

    async fn statements_per_write(on) {
        let server = on.server(&["--cache-size", "0"]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let is_postgres = server.store.reader().get_database_backend() == DbBackend::Postgres;
        let mut event = nested();
        event["venue"]["venue"] = json!("Another hall");
        event["organizer"]["organizer"] = json!("Ben");
        let mut exceeded = Vec::new();
        // The bounds on SQLite and on PostgreSQL, where advisory locks need additional statements. The links of an
        // event, which PostgreSQL gets in one message, count as one statement for each kind on SQLite, where statements
        // need no round trips, and as none on PostgreSQL.
        for (method, path, body, bounds) in [
            ("POST", "/events", nested(), [18, 16]),
            ("POST", "/events", event, [18, 16]),
            ("PATCH", "/events/1", json!({"title": "Another choir"}), [9, 9]),
            ("PATCH", "/events/1", json!({"tags": ["other"]}), [16, 16]),
            ("PATCH", "/venues/1", json!({"city": "Kiel"}), [4, 4]),
            ("DELETE", "/events/1", json!(null), [9, 11]),
            ("POST", "/categories", json!({"name": "Art"}), [5, 7]),
            ("DELETE", "/tags/1", json!(null), [4, 4]),
        ] {
            let before = server.store.statement_count();
            let response = Response::fetch(admin.request(method, path).json(&body)).await;
            assert!(response.status.is_success(), "{}", response.text);
            let count = server.store.statement_count() - before;
            let bound = bounds[usize::from(is_postgres)];
            if count > bound {
                exceeded.push(format!("{method} {path} {body}: {count} statements, more than {bound}"));
            }
        }
        assert!(exceeded.is_empty(), "{exceeded:#?}");
    }

    async fn statements_of_a_bulk_create_do_not_depend_on_its_size(on) {
        let server = on.server(&["--cache-size", "0"]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let mut counts = Vec::new();
        for size in [5, 25] {
            let requests: Vec<Value> = (0..size)
                .map(|number| {
                    let mut event = nested();
                    event["title"] = json!(format!("Choir {size} {number}"));
                    event["venue"] = json!({"venue": format!("Hall {size} {number}")});
                    event["organizer"] = json!({"organizer": format!("Ben {size} {number}")});
                    event["image"] = json!(null);
                    json!({"path": "/calendar/events/v1/events", "body": event})
                })
                .collect();
            let before = server.store.statement_count();
            let batch = json!({"validation": "require-all-validate", "requests": requests});
            let response = admin.post("/batch", batch).await.is(207);
            assert_eq!(response.body["failed"], json!(null), "{}", response.text);
            counts.push(server.store.statement_count() - before);
        }
        assert!(counts[1] <= counts[0] + 3, "{counts:?}");
    }
}

/// Creates two events with all kinds of linked objects.
async fn fill(admin: &Client) {
    admin.post("/events", nested()).await.is(201);
    let mut external = nested();
    external["external_source"] = json!("league");
    external["external_id"] = json!("1");
    admin.post("/events", external).await.is(201);
}

async fn statements<F: Future<Output = Response>>(store: &Store, request: impl FnOnce() -> F) -> u64 {
    let before = store.statement_count();
    request().await.is(200);
    store.statement_count() - before
}

fn nested() -> Value {
    json!({
        "title": "Choir", "cost": "5", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am", "featured": true,
        "image": "https://example.org/1.png",
        "venue": {"venue": "Hall", "geo_lat": 54.3, "geo_lng": 10.1, "image": "https://example.org/2.png"},
        "organizer": {"organizer": "Ann", "image": "https://example.org/3.png"},
        "categories": "Music", "tags": "new",
    })
}
