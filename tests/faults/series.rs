//! Series: servers that are killed while they extend them.

use std::time::{Duration, Instant};

use chrono::{NaiveDateTime, TimeDelta};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    on_both_databases, repetitions,
    support::{Client, program::ServerProcess},
};

/// Number of series without an end.
const SERIES: i64 = 8;
/// Timeout for their extension, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The local time up to which the events must exist. The horizon is ten years after the start.
const UNTIL: &str = "2036-12-01 00:00:00";

on_both_databases! {
    async fn extensions_survive_kill(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url, "--recurrence-horizon", "1 month"]);
        let password = server.password().to_owned();
        let client = server.anonymous().with_password("admin", &password);
        for number in 0..SERIES {
            let body = json!({
                "title": format!("Yoga {number}"), "tags": ["Mat"], "venue": {"venue": "Hall"},
                "start_date": "2027-01-05 19:00", "end_date": "2027-01-05 20:30", "timezone": "Europe/Berlin",
                "recurrence": "RRULE:FREQ=WEEKLY;BYDAY=TU",
            });
            client.create("/events", body).await;
        }
        drop(server);
        let arguments = ["--database-url", url.as_str(), "--recurrence-horizon", "10 years"];
        for round in 0..repetitions(6) {
            let server = ServerProcess::start(&arguments);
            sleep(Duration::from_millis(u64::from(round % 7) * 60)).await;
            // Kills it.
            drop(server);
        }
        let server = ServerProcess::start(&arguments);
        let client = server.anonymous();
        for series in 1..=SERIES {
            wait_until_extended(&client, series).await;
            let starts = starts(&client, series).await;
            assert!(starts.len() > 510, "{}", starts.len());
            for pair in starts.windows(2) {
                assert_eq!(pair[1] - pair[0], TimeDelta::weeks(1), "{pair:?} of series {series}");
            }
        }
    }
}

async fn wait_until_extended(client: &Client, series: i64) {
    let until = Instant::now() + PATIENCE;
    loop {
        let found = client.get(&format!("/series/{series}")).await.is(200);
        if found.body["expanded_until"].as_str().is_some_and(|end| end > UNTIL) {
            return;
        }
        assert!(Instant::now() < until, "{}", found.body["expanded_until"]);
        sleep(Duration::from_millis(50)).await;
    }
}

/// The local starts of the events of a series. Each event is complete.
async fn starts(client: &Client, series: i64) -> Vec<NaiveDateTime> {
    let mut starts = Vec::new();
    for page in 1.. {
        let path = format!("/series/{series}/events?per_page=50&page={page}");
        let found = client.get(&path).await.is(200);
        for event in found.body["events"].as_array().expect("events") {
            assert_eq!(
                (&event["venue"][0]["venue"], &event["tags"][0]["name"]),
                (&json!("Hall"), &json!("Mat"))
            );
            let start = event["start_date"].as_str().expect("a start");
            starts.push(NaiveDateTime::parse_from_str(start, "%Y-%m-%d %H:%M:%S").expect("a local time"));
        }
        if found.body["total_pages"] == page {
            break;
        }
    }
    starts
}
