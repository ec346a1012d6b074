//! Writers that lock the same rows on PostgreSQL: events are linked and unlinked while the category tree and the
//! coordinates of venues change, and series are changed by their events. With `ALMANAC_FAULTS_FACTOR=50`, these are 30,000
//! writes each.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    repetitions,
    support::{Client, Database, program::ServerProcess},
};

/// Number of concurrent writers.
const WRITERS: usize = 8;
/// Number of writes in a run without `ALMANAC_FAULTS_FACTOR`.
const WRITES: u32 = 600;
/// Fewer writes than this may fail, both of 600 and of 30,000.
const MAX_FAILURES: u32 = 3;

/// The objects that all writers change. There are few of each kind, so that writers conflict often.
struct Objects {
    categories: Vec<i64>,
    venues: Vec<i64>,
    organizers: Vec<i64>,
    events: Vec<i64>,
}

impl Objects {
    async fn create(client: &Client) -> Self {
        let mut objects = Self {
            categories: Vec::new(),
            venues: Vec::new(),
            organizers: Vec::new(),
            events: Vec::new(),
        };
        for number in 0..6 {
            let category = json!({"name": format!("Category {number}")});
            objects.categories.push(client.create_id("/categories", category).await);
            let venue = json!({"venue": format!("Hall {number}"), "geo_lat": 54.3, "geo_lng": 10.1});
            objects.venues.push(client.create_id("/venues", venue).await);
            let organizer = json!({"organizer": format!("Choir {number}")});
            objects
                .organizers
                .push(client.create_id("/organizers", organizer).await);
        }
        for _ in 0..12 {
            let event = objects.random_event();
            objects.events.push(client.create_id("/events", event).await);
        }
        objects
    }

    /// An event with two random links of each kind, and a random end.
    fn random_event(&self) -> Value {
        json!({
            "title": format!("Event {}", rand::random::<u32>()),
            "start_date": "2027-03-01 08:00",
            "end_date": format!("2027-03-01 {}:00", rand::random_range(10..24)),
            "categories": [any(&self.categories), any(&self.categories)],
            "venue": [any(&self.venues), any(&self.venues)],
            "organizer": [any(&self.organizers), any(&self.organizers)],
        })
    }

    /// Method, path and body of a random write.
    fn random_write(&self) -> (&'static str, String, Value) {
        let event = format!("/events/{}", any(&self.events));
        match rand::random_range(0..10) {
            0..2 => ("POST", "/events".to_owned(), self.random_event()),
            2..4 => ("PUT", event, self.random_event()),
            4 => ("PATCH", event, json!({"end_date": self.random_event()["end_date"]})),
            5 => {
                let status = any(&["draft", "publish"]);
                ("PATCH", event, json!({"status": status}))
            }
            6 => {
                let venue = format!("/venues/{}", any(&self.venues));
                let latitude = any(&[json!(54.3), Value::Null]);
                ("PATCH", venue, json!({"geo_lat": latitude}))
            }
            _ => {
                // Cycles are rejected with 400, which does not count as a failure.
                let category = format!("/categories/{}", any(&self.categories));
                let parent = any(&[0, any(&self.categories)]);
                ("PATCH", category, json!({"parent": parent}))
            }
        }
    }
}

/// A random item.
fn any<T: Clone>(items: &[T]) -> T {
    items[rand::random_range(0..items.len())].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_beside_category_moves_succeed() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let url = database.url().await;
    let server = ServerProcess::start(&["--database-url", &url]);
    let client = server.anonymous().with_password("admin", server.password());
    let objects = Objects::create(&client).await;
    write_concurrently(&server, || objects.random_write()).await;
}

/// Several series of a few events, which share venues, tags and the start of their slugs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_series_succeed() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let url = database.url().await;
    let server = ServerProcess::start(&["--database-url", &url]);
    let client = server.anonymous().with_password("admin", server.password());
    let objects = Objects::create(&client).await;
    let series = || {
        json!({
            "title": any(&["Yoga", "Choir", "Chess"]),
            "start_date": "2027-03-01 18:00",
            "end_date": format!("2027-03-01 {}:00", rand::random_range(19..24)),
            "recurrence": format!("RRULE:FREQ=DAILY;COUNT={}", rand::random_range(2..6)),
            "categories": [any(&objects.categories)],
            "tags": [any(&["Mat", "Outdoor"])],
            "venue": [any(&objects.venues)],
            "organizer": [any(&objects.organizers)],
        })
    };
    for _ in 0..4 {
        client.create("/events", series()).await;
    }
    // Single events, events of series, and IDs that no event has yet.
    let event = || format!("/events/{}", rand::random_range(1..40));
    let scoped = || format!("{}?scope={}", event(), any(&["this", "following", "all"]));
    write_concurrently(&server, || match rand::random_range(0..10) {
        0 => ("POST", "/events".to_owned(), series()),
        1 => objects.random_write(),
        2 => ("DELETE", scoped(), Value::Null),
        3 => ("PATCH", scoped(), json!({"status": "publish"})),
        4 => (
            "PATCH",
            scoped(),
            json!({"venue": series()["venue"], "tags": series()["tags"]}),
        ),
        5 => ("PATCH", scoped(), json!({"recurrence": series()["recurrence"]})),
        6 => {
            let series = format!("/series/{}", rand::random_range(1..8));
            ("PATCH", series, json!({"status": any(&["publish", "draft", "trash"])}))
        }
        _ => (
            "PATCH",
            scoped(),
            json!({"end_date": series()["end_date"], "title": series()["title"]}),
        ),
    })
    .await;
}

/// Runs writes of several clients at the same time, of which almost all must succeed or be rejected.
async fn write_concurrently(server: &ServerProcess, random_write: impl Fn() -> (&'static str, String, Value)) {
    let client = server.anonymous().with_password("admin", server.password());
    let remaining = AtomicU32::new(repetitions(WRITES));
    let failures = AtomicU32::new(0);
    let take_one = || {
        let taken = remaining.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |writes| writes.checked_sub(1));
        taken.is_ok()
    };
    join_all((0..WRITERS).map(|_| async {
        while take_one() {
            let (method, path, body) = random_write();
            let response = client.request(method, &path).json(&body).send().await;
            let status = response.expect("a response").status();
            if status.is_server_error() {
                eprintln!("{method} {path} {body}: {status}");
                failures.fetch_add(1, Ordering::Relaxed);
            }
        }
    }))
    .await;
    let failures = failures.into_inner();
    let metrics = server.anonymous().get("~/metrics").await.is(200).text;
    let retries = metrics
        .lines()
        .find(|line| line.starts_with("almanac_transaction_retries_total"));
    eprintln!("{failures} writes failed; {retries:?}");
    assert!(failures < MAX_FAILURES, "{failures} writes failed");
}
