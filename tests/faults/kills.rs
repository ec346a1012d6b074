//! Processes that are killed while they write.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;

use crate::{
    on_both, repetitions,
    support::{Client, program::Serving},
};

/// Clients that write at the same time.
const WRITERS: usize = 8;

/// Creates events until the server is gone. Returns the IDs of those that were acknowledged.
async fn create_until_gone(client: Client, is_gone: Arc<AtomicBool>) -> Vec<i64> {
    let mut acknowledged = Vec::new();
    while !is_gone.load(Ordering::Relaxed) {
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
            let event: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
            acknowledged.push(event["id"].as_i64().expect("an ID"));
        }
    }
    acknowledged
}

on_both! {
    async fn acknowledged_creates_survive_kill(on) {
        let url = on.url().await;
        let arguments = ["--database-url", url.as_str()];
        let mut serving = Serving::start(&arguments);
        let password = serving.password().to_owned();
        let all = Mutex::new(Vec::new());
        for round in 0..repetitions(4) {
            let is_gone = Arc::new(AtomicBool::new(false));
            let writers: Vec<_> = (0..WRITERS)
                .map(|_| {
                    let client = serving.anonymous().with_password("admin", &password);
                    tokio::spawn(create_until_gone(client, is_gone.clone()))
                })
                .collect();
            tokio::time::sleep(Duration::from_millis(300 + u64::from(round % 7) * 53)).await;
            serving.signal("KILL");
            is_gone.store(true, Ordering::Relaxed);
            for writer in writers {
                let acknowledged = writer.await.expect("a writer ends");
                all.lock().expect("no writer panicked").extend(acknowledged);
            }
            drop(serving);
            serving = Serving::start(&arguments);
        }
        let client = serving.anonymous();
        let all = all.into_inner().expect("no writer panicked");
        assert!(!all.is_empty());
        for id in all {
            let event = client.get(&format!("/events/{id}")).await.is(200);
            assert_eq!(event.body["venue"].as_array().map(Vec::len), Some(1), "{}", event.text);
        }
    }
}
