//! Servers that are killed while they derive the instants of events from newer time zone rules.

use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, Statement};
use serde_json::json;

use crate::{
    on_both_databases, repetitions,
    support::{
        program::ServerProcess,
        tzdata::{path, release},
    },
};

/// Number of events whose instants are derived.
const EVENTS: u32 = 2000;
const PATIENCE: Duration = Duration::from_secs(60);

/// These columns of the only row, as integers.
async fn numbers<const N: usize>(database: &DatabaseConnection, columns: &str) -> [i64; N] {
    let select = format!("SELECT {columns} FROM events");
    let statement = Statement::from_string(database.get_database_backend(), select);
    let row = database.query_one_raw(statement).await.expect("a result");
    let row = row.expect("a row");
    std::array::from_fn(|column| row.try_get_by_index(column).expect("a number"))
}

on_both_databases! {
    async fn instants_derived_once_despite_kills(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        let body = json!({
            "title": "Noon", "start_date": "2027-01-15 12:00", "end_date": "2027-01-15 13:00",
            "timezone": "Europe/Berlin",
        });
        admin.create("/events", body).await;
        drop(server);
        let database = Connect::connect(&url).await.expect("a connection");
        let columns = "version, status, published_at, modified_at, title, description, search_text, excerpt, \
                       starts_at, ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
                       hide_from_listings, sticky, featured, ticketed, starts_local, ends_local, tz_release";
        let copies = format!(
            "WITH RECURSIVE numbers (number) AS \
             (SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < {EVENTS}) \
             INSERT INTO events (slug, {columns}) SELECT 'copy-' || number, {columns} FROM events, numbers"
        );
        database.execute_unprepared(&copies).await.expect("copies");
        let [version, starts_at, modified_at] =
            numbers(&database, "MIN(version), MIN(starts_at), MIN(modified_at)").await;

        let mut hours = 0;
        // Berlin has the rules of places further and further west.
        for (round, rules) in (0..repetitions(2)).zip(["Europe/London", "Atlantic/Azores"].into_iter().cycle()) {
            let name = format!("2099{}", "z".repeat(round as usize + 1));
            let newer = release(&name, &[("Europe/Berlin", rules)]);
            let arguments = ["--database-url", url.as_str(), "--tzdata", path(&newer)];
            for kill in 0..3_u64 {
                let pair = [ServerProcess::start(&arguments), ServerProcess::start(&arguments)];
                tokio::time::sleep(Duration::from_millis(40 * kill)).await;
                for server in pair {
                    server.signal("KILL");
                }
            }
            let pair = [ServerProcess::start(&arguments), ServerProcess::start(&arguments)];
            let started = Instant::now();
            let latest = format!("SUM(CASE WHEN tz_release = '{name}' THEN 1 ELSE 0 END)");
            while numbers::<1>(&database, &latest).await != [i64::from(EVENTS)] {
                assert!(started.elapsed() < PATIENCE);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            drop(pair);
            hours = match rules {
                "Europe/London" => 1,
                _ => 2,
            };
            let version = version + i64::from(round) + 1;
            let found = numbers::<6>(
                &database,
                "MIN(version), MAX(version), MIN(starts_at), MAX(starts_at), MIN(starts_local), MAX(starts_local)",
            ).await;
            let (starts, local) = (starts_at + hours * 3600, starts_at + 3600);
            assert_eq!(found, [version, version, starts, starts, local, local]);
        }
        assert!(hours > 0);
        let [unmodified] = numbers(&database, "MAX(modified_at)").await;
        assert_eq!(unmodified, modified_at);
    }
}
