//! Local times of events that were stored with instants only.

use almanac::testing::store::{entity::event, rederive::rederive, write_connection::WriteConnection};
use chrono::DateTime;
use sea_orm::{EntityTrait, QueryOrder};
use tokio::sync::watch;

use crate::{on_both_databases, support::Server};

/// More events than one transaction converts.
const MANY: usize = 450;

fn second(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(text).expect("a date").timestamp()
}

fn insert(zone: &str, starts_at: &str, number: usize) -> String {
    let starts_at = second(starts_at);
    format!(
        "INSERT INTO events (version, status, slug, published_at, modified_at, title, description, search_text, \
         excerpt, starts_at, ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
         hide_from_listings, sticky, featured, ticketed) \
         VALUES (3, 'publish', 'event-{number}', 1, 7, 'Choir', '', 'choir', '', {starts_at}, {starts_at} + 3600, \
         '{zone}', '', '', '{{}}', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE)"
    )
}

async fn execute(server: &Server, statement: &str) {
    let transaction = server.store.begin().await.expect("a transaction");
    transaction
        .execute_unprepared(statement)
        .await
        .expect("the statement runs");
    transaction.commit().await.expect("a commit");
}

async fn derive(server: &Server) -> Vec<event::Model> {
    let (_running, while_running) = watch::channel(());
    rederive(&server.store, &while_running)
        .await
        .expect("the instants are derived");
    let all = event::Entity::find().order_by_asc(event::Column::Id);
    all.all(server.store.reader()).await.expect("the events")
}

on_both_databases! {
    async fn local_times_follow_2025b(on) {
        let server = on.server(&[]).await;
        // The instant by the rules of 2025b, the local time, and the instant by the bundled rules.
        let rows = [
            ("America/Vancouver", "2026-12-15T20:00:00Z", "2026-12-15T12:00:00Z", "2026-12-15T19:00:00Z"),
            ("Africa/Casablanca", "2026-12-15T11:00:00Z", "2026-12-15T12:00:00Z", "2026-12-15T12:00:00Z"),
            ("Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", "2027-10-31T01:30:00Z"),
            ("UTC-3:30", "2027-10-31T01:30:00Z", "2027-10-30T22:00:00Z", "2027-10-31T01:30:00Z"),
        ];
        for (number, (zone, old, ..)) in rows.into_iter().enumerate() {
            execute(&server, &insert(zone, old, number)).await;
        }
        for (row, (zone, _, local, new)) in derive(&server).await.iter().zip(rows) {
            assert_eq!((row.starts_at, row.ends_at), (second(new), second(new) + 3600), "{zone}");
            assert_eq!((row.starts_local, row.ends_local), (second(local), second(local) + 3600), "{zone}");
            assert_eq!(row.starts_offset, (zone == "Europe/Berlin").then_some(3600), "{zone}");
            assert_eq!((row.version, row.modified_at), (4, 7), "{zone}");
        }
    }

    async fn unknown_zone_keeps_instants(on) {
        let server = on.server(&[]).await;
        let start = "2027-10-31T01:30:00Z";
        execute(&server, &insert("Mars/Base", start, 0)).await;
        let row = derive(&server).await.remove(0);
        assert_eq!((row.starts_at, row.ends_at, row.version), (second(start), second(start) + 3600, 3));
    }

    async fn conversion_in_batches(on) {
        let server = on.server(&[]).await;
        execute(&server, &insert("Europe/Berlin", "2027-07-01T10:00:00Z", 0)).await;
        let columns = "version, status, published_at, modified_at, title, description, search_text, excerpt, starts_at, \
                       ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
                       hide_from_listings, sticky, featured, ticketed";
        execute(&server, &format!(
            "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {MANY}) \
             INSERT INTO events (slug, {columns}) SELECT 'copy-' || number, {columns} FROM events, numbers"
        )).await;
        let rows = derive(&server).await;
        assert_eq!(rows.len(), MANY + 1);
        let noon = second("2027-07-01T12:00:00Z");
        assert!(rows.iter().all(|row| row.starts_local == noon && !row.tz_release.is_empty()));
    }
}
