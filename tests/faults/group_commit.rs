//! Concurrent writes to SQLite, which share transactions.

use std::{fs, future::Future, path::Path, time::Duration};

use almanac::testing::store::write_connection::WriteConnection;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::sleep};

use crate::{
    storage::DISK_FULL,
    support::{Client, Database, Response, Server},
};

/// Number of concurrent writes.
const WRITES: usize = 64;
/// How long the file stays locked, so that the requests arrive before the first of them is written.
const ARRIVAL: Duration = Duration::from_millis(500);

/// A server on a SQLite file.
struct Fixture {
    _database: Database,
    server: Server,
    admin: Client,
    file: String,
}

impl Fixture {
    async fn new() -> Self {
        let database = Database::sqlite();
        let url = database.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let file = url.strip_prefix("sqlite://").expect("a file").to_owned();
        Self {
            _database: database,
            server,
            admin,
            file,
        }
    }

    /// Starts the requests while another process has locked the file, and runs `before_release` once they have arrived.
    async fn together<F: Future<Output = Response> + Send + 'static>(
        &self,
        requests: impl Iterator<Item = F>,
        before_release: impl FnOnce(&mut Vec<JoinHandle<Response>>),
    ) -> Vec<Response> {
        let other = rusqlite::Connection::open(&self.file).expect("the file exists");
        other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
        let mut started: Vec<_> = requests.map(tokio::spawn).collect();
        sleep(ARRIVAL).await;
        before_release(&mut started);
        other.execute_batch("ROLLBACK").expect("the lock is released");
        let responses = join_all(started).await;
        responses
            .into_iter()
            .map(|response| response.expect("a response"))
            .collect()
    }

    fn post(&self, path: &'static str, body: Value) -> impl Future<Output = Response> + Send + 'static {
        let admin = self.admin.clone();
        async move { admin.post(path, body).await }
    }

    async fn total(&self, path: &str) -> Value {
        self.admin.get(path).await.is(200).body["total"].clone()
    }
}

fn tag(number: usize) -> Value {
    json!({"name": format!("Tag {number}")})
}

/// An event with a venue, and with a category that does not exist if it is invalid.
fn event(number: usize, is_valid: bool) -> Value {
    json!({
        "title": "An event",
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
        "venue": {"venue": format!("Hall {number}")},
        "categories": if is_valid { json!([]) } else { json!([999]) },
    })
}

/// The number of commits in the write-ahead log: the header of each commit's last page contains the size of the
/// database (<https://www.sqlite.org/fileformat2.html#walformat>).
fn commits(file: &Path) -> usize {
    let log = fs::read(file.with_extension("db-wal")).expect("a write-ahead log");
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("four bytes"));
    let salts = &log[16..24];
    let frame = 24 + number(8) as usize;
    (32..log.len())
        .step_by(frame)
        .take_while(|start| log.get(start + 8..start + 16) == Some(salts))
        .filter(|start| number(start + 4) != 0)
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_share_commits() {
    let fixture = Fixture::new().await;
    fixture.admin.create_id("/tags", tag(WRITES)).await;
    let before = commits(fixture.file.as_ref());
    let requests = (0..WRITES).map(|number| fixture.post("/tags", tag(number)));
    for response in fixture.together(requests, |_| ()).await {
        response.is(201);
    }
    assert_eq!(fixture.total("/tags?hide_empty=false").await, WRITES + 1);
    let commits = commits(fixture.file.as_ref()) - before;
    assert!(commits <= WRITES / 2, "{commits} commits of {WRITES} writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_writes_are_rolled_back_alone() {
    let fixture = Fixture::new().await;
    let is_valid = |number: usize| !number.is_multiple_of(3);
    let requests = (0..WRITES).map(|number| fixture.post("/events", event(number, is_valid(number))));
    let responses = fixture.together(requests, |_| ()).await;
    let mut expected = Vec::new();
    for (number, response) in responses.into_iter().enumerate() {
        if is_valid(number) {
            let id = &response.is(201).body["id"];
            let stored = fixture.admin.get(&format!("/events/{id}")).await.is(200);
            expected.push(format!("Hall {number}"));
            assert_eq!(stored.texts("venue", "venue"), expected[expected.len() - 1..]);
        } else {
            assert_eq!(response.is(400).invalid_params(), ["categories"]);
        }
    }
    assert_eq!(fixture.total("/events?start_date=2000-01-01").await, expected.len());
    // The venues of invalid events were inserted before their categories were found to be unknown.
    let mut stored = fixture
        .admin
        .get("/venues?per_page=50")
        .await
        .is(200)
        .texts("venues", "venue");
    stored.sort();
    expected.sort();
    assert_eq!(stored, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_names_and_slugs_in_a_group() {
    let fixture = Fixture::new().await;
    let requests = (0..WRITES).map(|number| match number % 2 {
        0 => fixture.post("/tags", tag(0)),
        _ => fixture.post("/events", event(0, true)),
    });
    let responses = fixture.together(requests, |_| ()).await;
    let created = |responses: &mut dyn Iterator<Item = &Response>| responses.filter(|one| one.status == 201).count();
    assert_eq!(created(&mut responses.iter().step_by(2)), 1);
    assert_eq!(created(&mut responses.iter().skip(1).step_by(2)), WRITES / 2);
    assert_eq!(fixture.total("/venues").await, 1);
    fixture
        .admin
        .get(&format!("/events/by-slug/an-event-{}", WRITES / 2))
        .await
        .is(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disconnected_clients_leave_others_unaffected() {
    let fixture = Fixture::new().await;
    let requests = (0..WRITES).map(|number| fixture.post("/events", event(number, true)));
    let mut number = 0;
    let leave = |started: &mut Vec<JoinHandle<Response>>| {
        started.retain(|request| {
            number += 1;
            let stays = number % 2 == 0;
            if !stays {
                request.abort();
            }
            stays
        });
    };
    let responses = fixture.together(requests, leave).await;
    assert_eq!(responses.len(), WRITES / 2);
    for response in responses {
        let id = &response.is(201).body["id"];
        fixture.admin.get(&format!("/events/{id}")).await.is(200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_database_stores_acknowledged_writes_alone() {
    let fixture = Fixture::new().await;
    let limit = fixture.server.store.begin().await.expect("a transaction");
    limit
        .execute_unprepared("PRAGMA max_page_count = 1")
        .await
        .expect("a limit at the current size");
    limit.commit().await.expect("a commit");
    let large = |number| {
        let mut event = event(number, true);
        event["description"] = json!("word ".repeat(2000));
        event
    };
    let requests = (0..WRITES).map(|number| fixture.post("/events", large(number)));
    let responses = fixture.together(requests, |_| ()).await;
    let mut stored = 0;
    for response in responses {
        if response.status == 201 {
            let id = &response.body["id"];
            fixture.admin.get(&format!("/events/{id}")).await.is(200);
            stored += 1;
        } else {
            response.is_error(DISK_FULL.status, DISK_FULL.code);
        }
    }
    assert!(stored < WRITES, "no write failed");
    // The limit has ended with the connection.
    fixture.admin.create_id("/events", large(WRITES)).await;
    assert_eq!(fixture.total("/events?start_date=2000-01-01").await, stored + 1);
    assert_eq!(fixture.total("/venues").await, stored + 1);
}
