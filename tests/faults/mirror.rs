//! Copies of the calendar that follow random writes while servers are killed.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    on_both_databases, repetitions,
    support::{Client, program::ServerProcess},
};

/// Number of concurrent writers.
const WRITERS: usize = 6;
/// How often servers are killed.
const KILLS: u32 = 4;

/// The objects that a reader knows, by type and ID.
type Objects = BTreeMap<(String, i64), Value>;

/// Applies the changes after the token until there are no more. Returns none if the server is gone; the token then is
/// that of the last page that has arrived.
async fn follow(client: &Client, token: &mut String, objects: &mut Objects) -> Option<()> {
    loop {
        let path = match token.as_str() {
            "" => "/changes?limit=50".to_owned(),
            token => format!("/changes?limit=50&since={token}"),
        };
        let response = client.request("GET", &path).send().await.ok()?;
        let status = response.status();
        let page: Value = serde_json::from_slice(&response.bytes().await.ok()?).expect("JSON");
        if status == 503 {
            return None;
        }
        assert_eq!(status, 200, "{page}");
        for change in page["changes"].as_array().expect("changes") {
            let key = (
                change["type"].as_str().expect("a type").to_owned(),
                change["id"].as_i64().expect("an ID"),
            );
            match change["object"].is_null() {
                true => _ = objects.remove(&key),
                false => _ = objects.insert(key, change["object"].clone()),
            }
        }
        page["token"].as_str().expect("a token").clone_into(token);
        if page["more"] == false {
            return Some(());
        }
    }
}

/// A random write. Whether it succeeds does not matter.
async fn write(client: &Client, number: u32) {
    let id = rand::random_range(1..40);
    let event = json!({
        "title": format!("Event {number}"),
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
        "status": (["publish", "draft"][rand::random_range(0..2)]),
        "tags": [format!("tag {}", rand::random_range(0..8))],
        "venue": {"venue": format!("Hall {}", rand::random_range(0..8))},
    });
    let request = match rand::random_range(0..10) {
        0..4 => client.request("POST", "/events").json(&event),
        4..6 => client.request("PATCH", &format!("/events/{id}")).json(&event),
        6 => client.request("DELETE", &format!("/events/{id}")),
        7 => client
            .request("PATCH", &format!("/venues/{}", id % 8 + 1))
            .json(&json!({"phone": number.to_string()})),
        8 => client.request("DELETE", &format!("/tags/{}", id % 20 + 1)),
        _ => client
            .request("PATCH", &format!("/events/{id}"))
            .json(&json!({"status": "publish"})),
    };
    _ = request.send().await;
}

on_both_databases! {
    async fn mirror_equals_the_calendar(database) {
        let url = database.url().await;
        // Servers have different ports, which would be a part of URLs.
        let arguments = ["--database-url", url.as_str(), "--base-url", "https://example.org"];
        // SQLite has one server.
        let count = if url.starts_with("sqlite") { 1 } else { 3 };
        let first = ServerProcess::start(&arguments);
        let password = first.password().to_owned();
        let mut servers = vec![first];
        servers.resize_with(count, || ServerProcess::start(&arguments));
        let client = |server: &ServerProcess| server.anonymous().with_password("admin", &password);
        let (mut token, mut objects) = (String::new(), Objects::new());
        let writes = Arc::<AtomicUsize>::default();
        for round in 0..repetitions(KILLS) {
            let stops = Arc::<AtomicBool>::default();
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let (client, stops, writes) = (client(&servers[writer % count]), stops.clone(), writes.clone());
                    tokio::spawn(async move {
                        for number in 0.. {
                            if stops.load(Ordering::Relaxed) {
                                return;
                            }
                            write(&client, number).await;
                            writes.fetch_add(1, Ordering::Relaxed);
                        }
                    })
                })
                .collect();
            // The reader follows while others write, on any of the servers.
            let killed = round as usize % count;
            for step in 0..20 {
                if step == 15 {
                    servers[killed].signal("KILL");
                }
                _ = follow(&client(&servers[(step + 1) % count]), &mut token, &mut objects).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            stops.store(true, Ordering::Relaxed);
            for writer in writers {
                writer.await.expect("no panic");
            }
            servers[killed] = ServerProcess::start(&arguments);
        }
        let reader = client(&servers[0]);
        follow(&reader, &mut token, &mut objects).await.expect("a server");
        let (mut all, mut fresh) = (Objects::new(), String::new());
        follow(&reader, &mut fresh, &mut all).await.expect("a server");
        assert!(writes.load(Ordering::Relaxed) > 100);
        assert!(!all.is_empty());
        assert_eq!(objects.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
        for (key, object) in &all {
            assert_eq!(objects.get(key), Some(object), "{key:?}");
        }
        // The list of the calendar has the same events.
        let list = reader.get("/events?status=any&start_date=2027-01-01&per_page=1").await.is(200).body;
        let events = all.keys().filter(|(kind, _)| kind == "event").count();
        assert_eq!(list["total"], events);
    }
}
