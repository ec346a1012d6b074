//! The horizon of series without an end.

use almanac::testing::store::{entity::event, series::extend_all, write_connection::WriteConnection};
use chrono::{DateTime, Months, TimeDelta, Utc};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    on_both_databases,
    support::{Client, Server},
};

const HORIZON: Months = Months::new(24);

fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

/// Creates a series that begins in 2099, later than any clock of a test.
async fn create(client: &Client, rule: &str) -> i64 {
    let body = json!({
        "title": "Yoga", "start_date": "2099-01-06 19:00", "end_date": "2099-01-06 20:30", "timezone": "Europe/Berlin",
        "recurrence": rule, "venue": [{"venue": "Hall", "geo_lat": 52.5, "geo_lng": 13.4}], "tags": ["Mat"],
    });
    let created = client.create("/events", body).await;
    created["series"]["id"].as_i64().expect("a series")
}

async fn starts(server: &Server) -> Vec<i64> {
    let all = event::Entity::find().order_by_asc(event::Column::StartsLocal);
    let events = all.all(server.store.reader()).await.expect("the events");
    events.into_iter().map(|event| event.starts_local).collect()
}

async fn extend(server: &Server, now: DateTime<Utc>) -> u64 {
    extend_all(&server.store, now, HORIZON).await.expect("extended series")
}

/// Asserts that there is an event in each week, from the first one on.
fn assert_weekly(starts: &[i64]) {
    for pair in starts.windows(2) {
        assert_eq!(pair[1] - pair[0], 7 * 86_400);
    }
}

on_both_databases! {
    async fn horizon_moves_with_time(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create(&admin, "RRULE:FREQ=WEEKLY;BYDAY=TU").await;
        create(&admin, "RRULE:FREQ=WEEKLY;COUNT=1;BYDAY=TU").await;
        execute(&server, "DELETE FROM events WHERE series_id = 2").await;
        let before = starts(&server).await;
        let now = Utc::now();
        assert_eq!(extend(&server, now).await, 0);
        let later = time("2099-06-01T00:00:00Z");
        let added = extend(&server, later).await;
        assert!(added > 15, "{added}");
        assert_eq!(extend(&server, later).await, 0);
        // A clock that goes back changes nothing.
        assert_eq!(extend(&server, now).await, 0);
        let after = starts(&server).await;
        assert_eq!(after.len() as u64, before.len() as u64 + added);
        assert_weekly(&after);
        let last = admin.get("/series/1/events?order=desc&per_page=1").await.is(200).body["events"][0].clone();
        assert_eq!((&last["venue"][0]["venue"], &last["tags"][0]["name"]), (&json!("Hall"), &json!("Mat")));
        assert_eq!(last["start_date"], "2101-05-31 19:00:00");
        assert_eq!(admin.get("/events?geoloc=true&start_date=2101-05-01&end_date=2102-01-01").await.is(200).body["total"], 5);
    }

    async fn concurrent_servers_extend_once(on) {
        let url = on.url().await;
        let servers = [Server::start(&url, &[]).await, Server::start(&url, &[]).await];
        let admin = servers[0].administrator().await;
        for _ in 0..3 {
            create(&admin, "RRULE:FREQ=WEEKLY;BYDAY=TU").await;
        }
        let mut tasks = JoinSet::new();
        for days in 0..12 {
            let store = servers[days % 2].store.clone();
            let now = time("2099-03-01T00:00:00Z") + TimeDelta::days(40 * days as i64);
            tasks.spawn(async move { extend_all(&store, now, HORIZON).await });
        }
        for extended in tasks.join_all().await {
            extended.expect("extended series");
        }
        for series in 1..=3 {
            let all = event::Entity::find().order_by_asc(event::Column::StartsLocal);
            let events = all.all(servers[0].store.reader()).await.expect("the events");
            let of_series = events.into_iter().filter(|event| event.series_id == Some(series));
            let starts: Vec<i64> = of_series.map(|event| event.starts_local).collect();
            assert!(starts.len() > 150);
            assert_weekly(&starts);
        }
    }

    async fn deleted_series_are_not_extended(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let series = create(&admin, "RRULE:FREQ=WEEKLY;BYDAY=TU").await;
        admin.delete(&format!("/series/{series}")).await.is(200);
        let later = time("2100-06-01T00:00:00Z");
        assert_eq!(extend(&server, later).await, 0);
    }

    async fn excluded_and_moved_events_stay(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create(&admin, "RRULE:FREQ=WEEKLY;BYDAY=TU").await;
        admin.delete("/events/2").await.is(200);
        admin.patch("/events/3", json!({"start_date": "2099-06-01 08:00", "end_date": "2099-06-01 09:00"})).await.is(200);
        let before = starts(&server).await.len();
        execute(&server, "DELETE FROM events WHERE id = 2").await;
        let later = time("2099-10-01T00:00:00Z");
        let added = extend(&server, later).await;
        assert!(added > 0);
        assert_eq!(starts(&server).await.len() as u64, before as u64 - 1 + added);
    }
}

async fn execute(server: &Server, statement: &str) {
    let transaction = server.store.begin().await.expect("a transaction");
    transaction
        .execute_unprepared(statement)
        .await
        .expect("the statement runs");
    transaction.commit().await.expect("a commit");
}
