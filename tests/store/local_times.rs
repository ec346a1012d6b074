//! Events that were written before local times were stored.

use almanac::{
    migrations::Migrations,
    store::{entity::event, open, rederive::rederive},
};
use chrono::DateTime;
use sea_orm::{ConnectionTrait, Database as Connect, EntityTrait, QueryOrder};
use sea_orm_migration::MigratorTrait;
use tokio::sync::watch;

use crate::on_both_databases;

/// The steps before the one that adds local times.
const BEFORE: u32 = 14;

/// More than one statement converts.
const MANY: usize = 2500;

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

on_both_databases! {
    async fn local_times_of_old_events_are_those_they_were_written_with(on) {
        let url = on.empty_url().await;
        let database = Connect::connect(&url).await.expect("the database answers");
        Migrations::up(&database, Some(BEFORE)).await.expect("the first migrations run");
        // By the rules of 2025b, then by those of today.
        let rows = [
            ("America/Vancouver", "2026-12-15T20:00:00Z", "2026-12-15T12:00:00Z", "2026-12-15T19:00:00Z"),
            ("Africa/Casablanca", "2026-12-15T11:00:00Z", "2026-12-15T12:00:00Z", "2026-12-15T12:00:00Z"),
            ("Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", "2027-10-31T01:30:00Z"),
            ("UTC-3:30", "2027-10-31T01:30:00Z", "2027-10-30T22:00:00Z", "2027-10-31T01:30:00Z"),
            ("Mars/Base", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z", "2027-10-31T01:30:00Z"),
        ];
        for (number, (zone, old, _, _)) in rows.into_iter().enumerate() {
            database.execute_unprepared(&insert(zone, old, number)).await.expect("an old event");
        }
        database.close().await.expect("the database lets go");
        let store = open(&url, true).await.expect("the other migrations run");
        let all = event::Entity::find().order_by_asc(event::Column::Id);
        for (row, (zone, old, local, _)) in all.clone().all(store.reader()).await.expect("rows").iter().zip(rows) {
            assert_eq!((row.starts_at, row.starts_local), (second(old), second(local)), "{zone}");
            assert_eq!(row.ends_local, second(local) + 3600, "{zone}");
            assert_eq!(row.starts_offset, (zone == "Europe/Berlin").then_some(3600), "{zone}");
            assert_eq!((row.tz_release.as_str(), row.version), ("2025b", 3), "{zone}");
        }
        let (_running, while_running) = watch::channel(());
        rederive(&store, &while_running).await.expect("the instants are derived");
        for (row, (zone, old, _, new)) in all.all(store.reader()).await.expect("rows").iter().zip(rows) {
            assert_eq!((row.starts_at, row.ends_at), (second(new), second(new) + 3600), "{zone}");
            assert_eq!(row.version, 3 + i64::from(old != new), "{zone}");
            assert_eq!(row.modified_at, 7, "{zone}");
        }
    }

    async fn many_old_events_are_converted(on) {
        let url = on.empty_url().await;
        let database = Connect::connect(&url).await.expect("the database answers");
        Migrations::up(&database, Some(BEFORE)).await.expect("the first migrations run");
        let one = insert("Europe/Berlin", "2027-07-01T10:00:00Z", 0);
        database.execute_unprepared(&one).await.expect("an old event");
        let columns = "version, status, published_at, modified_at, title, description, search_text, excerpt, starts_at, \
                       ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
                       hide_from_listings, sticky, featured, ticketed";
        let copies = format!(
            "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {MANY}) \
             INSERT INTO events (slug, {columns}) SELECT 'copy-' || number, {columns} FROM events, numbers"
        );
        database.execute_unprepared(&copies).await.expect("copies");
        database.close().await.expect("the database lets go");
        let store = open(&url, true).await.expect("the other migrations run");
        let rows = event::Entity::find().all(store.reader()).await.expect("rows");
        assert_eq!(rows.len(), MANY + 1);
        let noon = second("2027-07-01T12:00:00Z");
        assert!(rows.iter().all(|row| row.starts_local == noon && row.tz_release == "2025b"));
    }
}
