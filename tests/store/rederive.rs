//! Instants of events are derived again when the time zone rules have changed.
//!
//! The rules in use are the bundled ones. The tests create rows of other releases by changing stored rows.

use std::time::Duration;

use almanac::testing::{
    calendar::tzdb::BUNDLED,
    store::{
        entity::event,
        rederive::{Rederived, rederive, rederive_periodically},
        write_connection::WriteConnection,
    },
};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::json;
use tokio::sync::watch;

use crate::{
    on_both_databases,
    support::{Client, Server, wait::wait_until},
};

/// Shifts the instants by an hour, as if a server with older rules had stored them.
const AN_HOUR_OFF: &str = "UPDATE events SET starts_at = starts_at - 3600, ends_at = ends_at - 3600, \
                           tz_release = '2025b'";

async fn create(client: &Client, start: &str, end: &str, zone: &str, all_day: bool) -> i64 {
    let body = json!({
        "title": "An event", "start_date": start, "end_date": end, "timezone": zone, "all_day": all_day,
    });
    client.create_id("/events", body).await
}

async fn noon(client: &Client) -> i64 {
    create(
        client,
        "2026-12-15 12:00:00",
        "2026-12-15 13:00:00",
        "America/Vancouver",
        false,
    )
    .await
}

async fn execute(server: &Server, statement: &str) {
    let transaction = server.store.begin().await.expect("a transaction");
    transaction
        .execute_unprepared(statement)
        .await
        .expect("the statement runs");
    transaction.commit().await.expect("a commit");
}

async fn events(server: &Server) -> Vec<event::Model> {
    let all = event::Entity::find().order_by_asc(event::Column::Id);
    all.all(server.store.reader()).await.expect("the events")
}

async fn derive(server: &Server) -> Rederived {
    let (_running, while_running) = watch::channel(());
    rederive(&server.store, &while_running)
        .await
        .expect("the instants are derived")
}

fn derived(events: u64, moved: u64) -> Rederived {
    Rederived { events, moved }
}

on_both_databases! {
    async fn instants_of_older_rules_are_derived_again(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        noon(&admin).await;
        create(&admin, "2027-10-31T02:30:00+01:00", "2027-10-31 03:30", "Europe/Berlin", false).await;
        create(&admin, "2026-12-15", "2026-12-16", "Africa/Casablanca", true).await;
        create(&admin, "2026-12-15 09:00", "2026-12-15 10:00", "UTC+5:30", false).await;
        let right = events(&server).await;
        execute(&server, AN_HOUR_OFF).await;
        assert_eq!(derive(&server).await, derived(4, 4));
        let raised: Vec<event::Model> = right
            .into_iter()
            .map(|row| event::Model { version: row.version + 1, ..row })
            .collect();
        assert_eq!(events(&server).await, raised);
        assert_eq!(derive(&server).await, derived(0, 0));
    }

    async fn unmoved_events_keep_their_version(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        noon(&admin).await;
        let right = events(&server).await;
        execute(&server, "UPDATE events SET tz_release = '2025b'").await;
        assert_eq!(derive(&server).await, derived(1, 0));
        assert_eq!(events(&server).await, right);
    }

    async fn events_of_newer_rules_are_unchanged(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = noon(&admin).await;
        execute(&server, "UPDATE events SET starts_at = starts_at - 3600, tz_release = '2099a'").await;
        let newer = events(&server).await;
        assert_eq!(derive(&server).await, derived(0, 0));
        assert_eq!(events(&server).await, newer);
        let path = format!("/events/{id}");
        let mut body = admin.get(&path).await.is(200).body;
        assert_eq!(body["start_date"], "2026-12-15 12:00:00");
        assert_eq!(body["starts_at"], "2026-12-15T12:00:00-06:00");
        body["title"] = json!("Another name");
        let written = admin.put(&path, body).await.is(200).body;
        assert_eq!(written["starts_at"], "2026-12-15T12:00:00-06:00", "unchanged times keep their instants");
        assert_eq!(events(&server).await[0].tz_release, "2099a");
    }

    async fn unknown_zone_keeps_instants(on) {
        let server = on.server(&["--timezone", "Asia/Kolkata"]).await;
        let admin = server.administrator().await;
        let id = noon(&admin).await;
        execute(&server, "UPDATE events SET timezone = 'Mars/Base', tz_release = '2025b'").await;
        let before = events(&server).await;
        assert_eq!(derive(&server).await, derived(1, 0));
        let after = events(&server).await;
        assert_eq!((after[0].starts_at, after[0].version), (before[0].starts_at, before[0].version));
        let event = admin.get(&format!("/events/{id}")).await.is(200).body;
        assert_eq!(event["start_date"], "2026-12-16 00:30:00");
        assert_eq!(event["timezone"], "Asia/Kolkata");
    }

    async fn instants_written_by_older_servers_become_local_times(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let moved = create(&admin, "2027-07-01 12:00", "2027-07-01 13:00", "Europe/Berlin", false).await;
        let vancouver = noon(&admin).await;
        // The older server does not store local times and has the rules of 2025b: 20:00 UTC is noon in Vancouver.
        execute(&server, &format!("UPDATE events SET ends_at = ends_at + 7200 WHERE id = {moved}")).await;
        execute(&server, &format!(
            "UPDATE events SET starts_at = starts_at + 3600, ends_at = ends_at + 3600 WHERE id = {vancouver}"
        )).await;
        let event = admin.get(&format!("/events/{moved}")).await.is(200).body;
        assert_eq!(event["end_date"], "2027-07-01 15:00:00", "derived from the instants until then");
        assert_eq!(derive(&server).await.events, 2);
        let event = admin.get(&format!("/events/{moved}")).await.is(200).body;
        assert_eq!((&event["start_date"], &event["end_date"]), (&json!("2027-07-01 12:00:00"), &json!("2027-07-01 15:00:00")));
        let event = admin.get(&format!("/events/{vancouver}")).await.is(200).body;
        assert_eq!((&event["start_date"], &event["utc_start_date"]), (&json!("2026-12-15 12:00:00"), &json!("2026-12-15 19:00:00")));
    }

    async fn cached_lists_are_invalidated_by_new_instants(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        noon(&admin).await;
        execute(&server, AN_HOUR_OFF).await;
        let anonymous = server.anonymous();
        let path = "/events?start_date=2026-12-15&end_date=2026-12-15";
        let shown = async || anonymous.get(path).await.is(200).body["events"][0]["utc_start_date"].clone();
        assert_eq!(shown().await, "2026-12-15 18:00:00");
        assert_eq!(shown().await, "2026-12-15 18:00:00");
        derive(&server).await;
        assert_eq!(shown().await, "2026-12-15 19:00:00");
    }

    async fn server_rederives_until_it_stops(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let (running, while_running) = watch::channel(());
        let interval = Duration::from_millis(50);
        let task = tokio::spawn(rederive_periodically(server.store.clone(), interval, while_running));
        for _ in 0..2 {
            noon(&admin).await;
            execute(&server, AN_HOUR_OFF).await;
            wait_until("all instants are derived", async || {
                events(&server).await.iter().all(|row| row.tz_release == BUNDLED.0)
            })
            .await;
        }
        drop(running);
        task.await.expect("it ends");
        let starts: Vec<i64> = events(&server).await.iter().map(|row| row.starts_at).collect();
        assert_eq!(starts[0], starts[1]);
    }
}
