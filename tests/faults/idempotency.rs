//! Requests with the header `Idempotency-Key` whose responses are lost, because the server is killed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    on_both_databases, repetitions,
    support::{Client, Response, program::ServerProcess},
};

/// Number of concurrent writers, several of which share a transaction on SQLite.
const WRITERS: usize = 16;
/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn event(title: &str) -> Value {
    json!({
        "title": title, "start_date": "2027-03-01 09:00", "end_date": "2027-03-01 10:00",
        "venue": {"venue": format!("Hall of {title}")},
    })
}

fn batch(title: &str) -> Value {
    let request = |title: String| json!({"path": "/calendar/events/v1/events", "body": event(&title)});
    json!({"requests": [request(format!("{title} one")), request(format!("{title} two"))]})
}

/// The path and the body of the request with this title.
fn request(title: &str, number: usize) -> (&'static str, Value) {
    match number % 3 {
        0 => ("/batch", batch(title)),
        _ => ("/events", event(title)),
    }
}

/// Sends requests with keys until the server is killed. Returns their titles, of which the last has no response.
async fn write_until_killed(client: Client, prefix: String, is_killed: Arc<AtomicBool>) -> Vec<String> {
    let mut titles = Vec::new();
    while !is_killed.load(Ordering::Relaxed) {
        let title = format!("{prefix}-{}", titles.len());
        titles.push(title.clone());
        let (path, body) = request(&title, titles.len());
        let sent = client
            .request("POST", path)
            .header("Idempotency-Key", &title)
            .json(&body)
            .send()
            .await;
        let Ok(response) = sent else { break };
        if response.bytes().await.is_err() {
            break;
        }
    }
    titles
}

/// Sends a request again. Returns its titles of events, and whether its response was stored before.
async fn repeat(client: &Client, title: &str, number: usize) -> (Vec<String>, bool) {
    let (path, body) = request(title, number);
    let until = Instant::now() + PATIENCE;
    let response = loop {
        let again = client
            .request("POST", path)
            .header("Idempotency-Key", title)
            .json(&body);
        let response = Response::fetch(again).await;
        // PostgreSQL may not have noticed yet that the first server is gone.
        if response.status != 409 || Instant::now() > until {
            break response;
        }
        sleep(Duration::from_millis(100)).await;
    };
    assert!([201, 207].contains(&response.status.as_u16()), "{}", response.text);
    let titles = match path {
        "/batch" => vec![format!("{title} one"), format!("{title} two")],
        _ => vec![title.to_owned()],
    };
    (titles, response.header("idempotent-replayed") == "true")
}

async fn count(client: &Client, query: &str) -> Value {
    client
        .get(&format!("/events?start_date=2027-03-01&{query}"))
        .await
        .is(200)
        .body["total"]
        .clone()
}

on_both_databases! {
    async fn request_repeated_after_a_kill_is_stored_once(database) {
        let url = database.url().await;
        let arguments = ["--database-url", url.as_str()];
        let mut server = ServerProcess::start(&arguments);
        let password = server.password().to_owned();
        let mut expected = 0;
        for round in 0..repetitions(4) {
            let is_killed = Arc::new(AtomicBool::new(false));
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let client = server.anonymous().with_password("admin", &password);
                    tokio::spawn(write_until_killed(client, format!("Event {round}-{writer}"), is_killed.clone()))
                })
                .collect();
            sleep(Duration::from_millis(500 + u64::from(round % 7) * 13)).await;
            server.signal("KILL");
            is_killed.store(true, Ordering::Relaxed);
            let mut all = Vec::new();
            for writer in writers {
                all.push(writer.await.expect("no panic"));
            }
            drop(server);
            server = ServerProcess::start(&arguments);
            let client = server.anonymous().with_password("admin", &password);
            for titles in all {
                let last = titles.len();
                for (number, title) in (1..).zip(&titles) {
                    let (events, was_stored) = repeat(&client, title, number).await;
                    // Only the last one may be lost, with its events.
                    assert!(was_stored || number == last, "{title}");
                    expected += events.len();
                    if number == last {
                        for event in events {
                            assert_eq!(count(&client, &format!("title={event}")).await, 1, "{event}");
                        }
                    }
                }
            }
            assert_eq!(count(&client, "").await, expected);
        }
    }

    /// The server is killed as soon as the event is stored, before the client reads the response.
    async fn lost_response_is_repeated(database) {
        let url = database.url().await;
        let arguments = ["--database-url", url.as_str()];
        let server = ServerProcess::start(&arguments);
        let password = server.password().to_owned();
        let client = server.anonymous().with_password("admin", &password);
        let lost = client.request("POST", "/events").header("Idempotency-Key", "key").json(&event("Choir"));
        let lost = tokio::spawn(lost.send());
        let until = Instant::now() + PATIENCE;
        while count(&server.anonymous(), "").await != 1 {
            assert!(Instant::now() < until, "the event is not stored");
        }
        server.signal("KILL");
        drop(lost.await);
        drop(server);
        let server = ServerProcess::start(&arguments);
        let client = server.anonymous().with_password("admin", &password);
        let again = client.request("POST", "/events").header("Idempotency-Key", "key").json(&event("Choir"));
        let again = Response::fetch(again).await.is(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(count(&client, "").await, 1);
    }
}
