//! Denormalised columns and tables agree with their source data after any write.

mod oracle;

use std::time::Duration;

use almanac::testing::{
    calendar::zone::Zone,
    demo::{self, Size},
    store::{
        denormalised, entity::event_category_closure, open_to_load, read_connection::ReadConnection,
        write_connection::WriteConnection,
    },
};
use chrono::Utc;
use futures_util::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sea_orm::{DbBackend, EntityTrait, Statement};
use serde_json::{Value, json};

pub(crate) use oracle::assert_denormalised;

use crate::{
    on_both_databases,
    support::{Client, Database, Response},
};

/// The number of writes of each writer.
const WRITES: usize = 40;
/// How long one transaction stays open while another one begins.
const OVERLAP: Duration = Duration::from_millis(200);

on_both_databases! {
    async fn one_writer(on) {
        write_and_check(&on, 1, 3 * WRITES).await;
    }

    async fn many_writers(on) {
        write_and_check(&on, 6, WRITES).await;
    }

    async fn category_move_races_with_event_filing(on) {
        let file = "INSERT INTO event_categories (event_id, target_id, position) VALUES (1, 3, 0)";
        let unfile = "DELETE FROM event_categories";
        for first_moves in [true, false] {
            let server = on.server(&[]).await;
            let admin = server.administrator().await;
            for (name, parent) in [("Music", 0), ("Stage", 0), ("Jazz", 1)] {
                admin.create_id("/categories", json!({"name": name, "parent": parent})).await;
            }
            let event = json!({"title": "Choir", "start_date": "tomorrow", "end_date": "tomorrow"});
            admin.create_id("/events", event).await;
            for (filing, parent) in [(file, 2), (unfile, 1)] {
                let moving = format!("UPDATE categories SET parent = {parent} WHERE id = 3");
                let (first, second) = match first_moves {
                    true => (moving.as_str(), filing),
                    false => (filing, moving.as_str()),
                };
                let transaction = server.store.begin().await.expect("a transaction");
                transaction.execute_unprepared(first).await.expect("a write");
                let other = async {
                    let transaction = server.store.begin().await.expect("another transaction");
                    transaction.execute_unprepared(second).await.expect("a concurrent write");
                    transaction.commit().await.expect("a commit");
                };
                let done = async {
                    tokio::time::sleep(OVERLAP).await;
                    transaction.commit().await.expect("a commit");
                };
                tokio::join!(other, done);
                assert_denormalised(&server.store).await;
            }
        }
    }

    /// The venue is published when the service reads it, and withdrawn before the event is linked to it.
    async fn venue_withdrawal_races_with_event_creation(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let venue = json!({"venue": "Hall", "geo_lat": 54.3, "geo_lng": 10.1});
        let venue = admin.create_id("/venues", venue).await;
        let transaction = server.store.begin().await.expect("a transaction");
        if transaction.backend() == DbBackend::Postgres {
            // As the server locks it.
            let lock = format!("SELECT 1 FROM venues WHERE id = {venue} FOR UPDATE");
            transaction.execute_unprepared(&lock).await.expect("a lock");
        }
        let withdraw = format!("UPDATE venues SET status = 'draft' WHERE id = {venue}");
        transaction.execute_unprepared(&withdraw).await.expect("a write");
        let event = json!({"title": "Choir", "start_date": "tomorrow", "end_date": "tomorrow", "venue": venue});
        let withdrawn = async {
            tokio::time::sleep(OVERLAP).await;
            transaction.commit().await.expect("a commit");
        };
        tokio::join!(admin.create_id("/events", event), withdrawn);
        assert_denormalised(&server.store).await;
    }

    async fn successive_writers_count_in_one_row(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = json!({
            "title": "Choir", "start_date": "2030-05-01", "end_date": "2030-05-01", "categories": ["Music"],
            "tags": ["indoors"],
        });
        for _ in 0..4 {
            admin.create_id("/events", event.clone()).await;
        }
        let database = server.store.reader();
        for table in ["event_time_buckets", "category_event_counts", "tag_event_counts"] {
            let counts = Statement::from_string(database.backend(), format!("SELECT event_count FROM {table}"));
            let counts: Vec<[i64; 1]> = database.rows_of(counts).await.expect("the counts");
            assert_eq!(counts, [[4]], "{table}");
        }
    }

    async fn bulk_load(on) {
        let store = open_to_load(&on.url().await, false).await.expect("the database opens");
        let size = Size { events: 400, ..Size::DEFAULT };
        let filled = demo::fill(&store, &size, None, Utc::now(), &Zone::UTC, |_| ()).await;
        assert!(filled.expect("it is filled").is_some());
        assert_denormalised(&store).await;
    }

    async fn bulk_computation(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        Writer::new(&admin, 5).write(WRITES).await;
        let transaction = server.store.begin().await.expect("a transaction");
        transaction.run(event_category_closure::Entity::delete_many()).await.expect("the closure is emptied");
        denormalised::fill_event_category_closure(&transaction).await.expect("the closure is filled");
        let wrong = [
            "UPDATE venues SET last_ends_at = 1",
            "UPDATE organizers SET last_ends_at = NULL",
        ];
        for statement in wrong {
            transaction.execute_unprepared(statement).await.expect("a wrong value");
        }
        denormalised::fill_counts(&transaction).await.expect("the counts are filled");
        transaction.commit().await.expect("a commit");
        assert_denormalised(&server.store).await;
    }
}

async fn write_and_check(on: &Database, writers: u64, writes: usize) {
    let server = on.server(&[]).await;
    let admin = server.administrator().await;
    let mut writers: Vec<Writer> = (0..writers).map(|seed| Writer::new(&admin, seed)).collect();
    join_all(writers.iter_mut().map(|writer| writer.write(writes))).await;
    for (kind, name) in KINDS.iter().enumerate() {
        let done: usize = writers.iter().map(|writer| writer.successes[kind]).sum();
        assert!(done > 0, "no {name} has succeeded");
    }
    assert_denormalised(&server.store).await;
}

/// The kinds of writes.
const KINDS: [&str; 9] = [
    "creation of an event",
    "update of an event",
    "deletion of an event",
    "publication of an event",
    "update of a venue",
    "deletion of a venue",
    "move of a category",
    "deletion of a category",
    "deletion of a tag",
];

/// Sends random writes. Other writers may write the same objects at the same time.
struct Writer<'c> {
    client: &'c Client,
    random: StdRng,
    /// The number of successful writes of each kind.
    successes: [usize; KINDS.len()],
}

impl<'c> Writer<'c> {
    fn new(client: &'c Client, seed: u64) -> Self {
        Self {
            client,
            random: StdRng::seed_from_u64(seed),
            successes: [0; KINDS.len()],
        }
    }

    async fn write(&mut self, writes: usize) {
        for _ in 0..writes {
            let kind = match self.random.random_range(0..48) {
                0..18 => 0,
                18..27 => 1,
                27..30 => 2,
                30..33 => 3,
                33..36 => 4,
                36..39 => 5,
                39..45 => 6,
                45 => 7,
                _ => 8,
            };
            let (response, errors) = self.send(kind).await;
            match response.status.as_u16() {
                200 | 201 => self.successes[kind] += 1,
                status => {
                    let code = response.body["code"].as_str().unwrap_or_default();
                    let is_expected = errors.contains(&(status, code));
                    assert!(is_expected, "{}: {status} {}", KINDS[kind], response.text);
                }
            }
        }
    }

    /// Sends a write of this kind. Returns the response and the errors that are expected besides success.
    async fn send(&mut self, kind: usize) -> (Response, &'static [(u16, &'static str)]) {
        let client = self.client;
        let mut path =
            |collection: &str, highest: i64| format!("/{collection}/{}", self.random.random_range(1..=highest));
        match kind {
            0 => (client.post("/events", any_event(&mut self.random)).await, &[]),
            1 => {
                let path = path("events", 12);
                (client.patch(&path, any_event(&mut self.random)).await, NO_EVENT)
            }
            2 => (client.delete(&path("events", 12)).await, NO_EVENT),
            3 => (
                client.patch(&path("events", 12), json!({"status": "publish"})).await,
                NO_EVENT,
            ),
            4 => {
                let path = path("venues", 5);
                (client.patch(&path, any_venue(&mut self.random)).await, NO_VENUE)
            }
            5 => (client.delete(&path("venues", 5)).await, NO_VENUE),
            6 => {
                let path = path("categories", 8);
                let parent = self.random.random_range(0..8);
                (client.patch(&path, json!({"parent": parent})).await, NO_MOVE)
            }
            7 => (
                client.delete(&path("categories", 8)).await,
                &[(404, "category-not-found")],
            ),
            _ => (client.delete(&path("tags", 5)).await, &[(404, "tag-not-found")]),
        }
    }
}

const NO_EVENT: &[(u16, &str)] = &[(404, "event-not-found"), (410, "event-is-in-trash")];
const NO_VENUE: &[(u16, &str)] = &[(404, "venue-not-found"), (410, "venue-is-in-trash")];
/// The category or the parent may be missing, or the parent is the category itself or one of its descendants.
const NO_MOVE: &[(u16, &str)] = &[(404, "category-not-found"), (400, "rest_invalid_param")];

fn any_event(random: &mut StdRng) -> Value {
    let (year, month) = (random.random_range(2026..2029), random.random_range(1..=12));
    let day = random.random_range(1..=9);
    let status = ["publish", "publish", "publish", "draft", "private"][random.random_range(0..5)];
    let mut event = json!({
        "title": "Choir",
        "start_date": format!("{year}-{month:02}-0{day} 10:00"),
        "end_date": format!("{year}-{month:02}-{} 10:00", 10 + day * random.random_range(0..2)),
        "status": status,
        "featured": random.random_range(0..4) == 0,
        "hide_from_listings": random.random_range(0..5) == 0,
    });
    let mut pick = |names: &[&str]| names[random.random_range(0..names.len())].to_owned();
    event["categories"] = json!([pick(&["Music", "Art", "Jazz"]), pick(&["Opera", "Family", "Blues"])]);
    event["tags"] = json!(pick(&["new", "free", "outdoors"]));
    event["organizer"] = json!([{"organizer": pick(&["Ann", "Ben"])}, {"organizer": pick(&["Ben", "Cleo"])}]);
    event["venue"] = match pick(&["Hall", "Park", "none"]).as_str() {
        "none" => json!([]),
        "Hall" => json!([{"venue": "Hall", "geo_lat": 54.3, "geo_lng": 10.1}, {"venue": "Park"}]),
        name => json!({"venue": name}),
    };
    event
}

fn any_venue(random: &mut StdRng) -> Value {
    match random.random_range(0..4) {
        0 => json!({"geo_lat": null, "geo_lng": null}),
        1 => json!({"status": "draft"}),
        2 => json!({"status": "publish"}),
        _ => json!({"geo_lat": 54.3, "geo_lng": 10.1}),
    }
}
