//! Servers that are killed while they write.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    on_both_databases, repetitions,
    support::{Client, program::ServerProcess},
};

/// Number of concurrent writers, several of which share a transaction on SQLite.
const WRITERS: usize = 32;

/// Minimum number of acknowledged writes before the server is killed.
const ACKNOWLEDGED: u32 = 20;
/// Timeout for that, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Creates events until the server is killed. Returns the IDs of the acknowledged events.
async fn create_until_killed(client: Client, is_killed: Arc<AtomicBool>, count: Arc<AtomicU32>) -> Vec<i64> {
    let mut acknowledged = Vec::new();
    while !is_killed.load(Ordering::Relaxed) {
        let body = json!({
            "title": "An event",
            "start_date": "2027-03-01 09:00",
            "end_date": "2027-03-01 10:00",
            "venue": {"venue": format!("Hall {}", acknowledged.len())},
        });
        let Ok(response) = client.request("POST", "/events").json(&body).send().await else {
            break;
        };
        let is_created = response.status() == 201;
        let Ok(bytes) = response.bytes().await else {
            break;
        };
        if is_created {
            let event: Value = serde_json::from_slice(&bytes).expect("JSON");
            acknowledged.push(event["id"].as_i64().expect("an ID"));
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
    acknowledged
}

/// Waits for [`ACKNOWLEDGED`] writes, and then for a duration that depends on the round.
async fn wait_for_writes(count: &AtomicU32, round: u32) {
    let until = Instant::now() + PATIENCE;
    while count.load(Ordering::Relaxed) < ACKNOWLEDGED {
        assert!(Instant::now() < until, "too few acknowledged writes");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(u64::from(round % 7) * 13)).await;
}

/// The venues of each event.
async fn venues_of_all_events(client: &Client) -> Vec<Value> {
    let mut venues = Vec::new();
    for page in 1.. {
        let path = format!("/events?start_date=2000-01-01&per_page=50&page={page}");
        let list = client.get(&path).await.is(200);
        venues.extend(list.each("events", "venue"));
        if list.body["total_pages"] == page {
            break;
        }
    }
    venues
}

on_both_databases! {
    async fn acknowledged_creates_survive_kill(database) {
        let url = database.url().await;
        let arguments = ["--database-url", url.as_str()];
        let mut server = ServerProcess::start(&arguments);
        let password = server.password().to_owned();
        let all = Mutex::new(Vec::new());
        for round in 0..repetitions(4) {
            let is_killed = Arc::new(AtomicBool::new(false));
            let count = Arc::<AtomicU32>::default();
            let writers: Vec<_> = (0..WRITERS)
                .map(|_| {
                    let client = server.anonymous().with_password("admin", &password);
                    tokio::spawn(create_until_killed(client, is_killed.clone(), count.clone()))
                })
                .collect();
            wait_for_writes(&count, round).await;
            server.signal("KILL");
            is_killed.store(true, Ordering::Relaxed);
            for writer in writers {
                let acknowledged = writer.await.expect("no panic");
                all.lock().expect("no panic").extend(acknowledged);
            }
            drop(server);
            server = ServerProcess::start(&arguments);
            // Creates that were not acknowledged are complete or absent.
            let stored = venues_of_all_events(&server.anonymous()).await;
            assert!(stored.len() >= all.lock().expect("no panic").len(), "{}", stored.len());
            for venues in stored {
                assert_eq!(venues.as_array().map(Vec::len), Some(1), "{venues}");
            }
        }
        let client = server.anonymous();
        let all = all.into_inner().expect("no panic");
        assert!(!all.is_empty());
        for id in all {
            let event = client.get(&format!("/events/{id}")).await.is(200);
            assert_eq!(event.body["venue"].as_array().map(Vec::len), Some(1), "{}", event.text);
        }
    }
}
