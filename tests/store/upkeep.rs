//! What lists are read from is derived from the rows, and stays true whatever is written.

use std::time::Duration;

use almanac::{
    calendar::{search::Search, window::Window},
    migrations::{
        Migrations,
        derived::{self, HOSTS, LISTED, LISTINGS, TERMS},
    },
    store::{
        PageRequest, Store,
        events::{self, EventFilter, EventQuery},
        open,
    },
};
use futures_util::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sea_orm::{ConnectionTrait, Database as Connect, Statement};
use sea_orm_migration::MigratorTrait;
use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::{Client, Database},
};

/// Writes of each writer.
const WRITES: usize = 40;
/// For so long one transaction is open while another one begins.
const BESIDE: Duration = Duration::from_millis(200);

on_both_databases! {
    async fn what_is_derived_stays_true_under_every_kind_of_write(on) {
        write_and_check(&on, 1, 3 * WRITES).await;
    }

    async fn what_is_derived_stays_true_under_many_writers(on) {
        write_and_check(&on, 6, WRITES).await;
    }

    async fn a_calendar_of_the_first_schema_is_brought_to_the_present_one(on) {
        let url = on.empty_url().await;
        let database = Connect::connect(&url).await.expect("the database answers");
        Migrations::up(&database, Some(FIRST_SCHEMA)).await.expect("the first migrations run");
        for statement in FIRST_ROWS {
            database.execute_unprepared(statement).await.expect("a row of the first schema");
        }
        database.close().await.expect("the database lets go");
        let store = open(&url, true).await.expect("the other migrations run");
        assert_derived(&store).await;
        let query = EventQuery::published(Window::default(), 1_800_000_000)
            .with(EventFilter::Categories(vec![1]))
            .with(EventFilter::Search(Search::parse("choir")));
        let page = PageRequest { page: 1, per_page: 10 };
        let found = events::list(store.reader(), &query, page).await.expect("a list");
        assert_eq!(found.rows.iter().map(|row| (row.id, row.located)).collect::<Vec<_>>(), [(1, true)]);
        assert_eq!(found.total, 1);
    }

    async fn who_files_an_event_under_a_category_that_moves_files_it_where_that_goes(on) {
        let file = "INSERT INTO event_categories (event_id, target_id, position) VALUES (1, 3, 0)";
        let unfile = "DELETE FROM event_categories";
        for first_moves in [true, false] {
            let server = on.server(&[]).await;
            let admin = server.administrator().await;
            for (name, parent) in [("Music", 0), ("Stage", 0), ("Jazz", 1)] {
                admin.create_id("/categories", json!({"name": name, "parent": parent})).await;
            }
            let event = json!({"title": "Choir", "start_date": "tomorrow", "end_date": "tomorrow"});
            admin.create_id("/events", event).await;
            for (filing, parent) in [(file, 2), (unfile, 1)] {
                let moving = format!("UPDATE categories SET parent = {parent} WHERE id = 3");
                let (first, second) = match first_moves {
                    true => (moving.as_str(), filing),
                    false => (filing, moving.as_str()),
                };
                let transaction = server.store.begin().await.expect("a transaction");
                transaction.execute_unprepared(first).await.expect("a write");
                let other = async {
                    let transaction = server.store.begin().await.expect("another transaction");
                    transaction.execute_unprepared(second).await.expect("a write beside it");
                    transaction.commit().await.expect("a commit");
                };
                let done = async {
                    tokio::time::sleep(BESIDE).await;
                    transaction.commit().await.expect("a commit");
                };
                tokio::join!(other, done);
                assert_derived(&server.store).await;
            }
        }
    }

    async fn what_is_derived_can_be_computed_as_a_whole(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        write(&admin, 5, WRITES).await;
        let transaction = server.store.begin().await.expect("a transaction");
        for table in ["category_paths", "event_sections"] {
            let empty = format!("DELETE FROM {table}");
            transaction.execute_unprepared(&empty).await.expect("the table is emptied");
        }
        derived::fill_paths(&transaction).await.expect("the paths are filled");
        derived::fill_sections(&transaction).await.expect("the sections are filled");
        derived::fill_links(&transaction).await.expect("the links are filled");
        derived::fill_sums(&transaction).await.expect("the sums are filled");
        transaction.commit().await.expect("a commit");
        assert_derived(&server.store).await;
    }
}

/// The migrations of the first schema that was used.
const FIRST_SCHEMA: u32 = 6;

const FIRST_ROWS: [&str; 5] = [
    "INSERT INTO categories (version, name, name_key, slug, description, search_text, parent) \
     VALUES (1, 'Music', 'music', 'music', '', 'music', 0), (1, 'Jazz', 'jazz', 'jazz', '', 'jazz', 1)",
    "INSERT INTO venues (version, status, slug, published_at, modified_at, title, description, search_text, name_key, \
     address, city, country, province, state, zip, phone, website, geo_lat, geo_lng, show_map, show_map_link) \
     VALUES (1, 'publish', 'hall', 1, 1, 'Hall', '', 'hall', 'hall', '', '', '', '', '', '', '', '', 54.3, 10.1, TRUE, TRUE)",
    "INSERT INTO events (version, status, slug, published_at, modified_at, title, description, search_text, excerpt, \
     starts_at, ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
     hide_from_listings, sticky, featured, ticketed) \
     VALUES (1, 'publish', 'choir', 1, 1, 'Choir', '', 'choir', '', 1800000000, 1800003600, 'UTC', '', '', '{}', \
     FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE)",
    "INSERT INTO event_venues (event_id, target_id, position) VALUES (1, 1, 0)",
    "INSERT INTO event_categories (event_id, target_id, position) VALUES (1, 2, 0)",
];

async fn write_and_check(on: &Database, writers: u64, writes: usize) {
    let server = on.server(&[]).await;
    let admin = server.administrator().await;
    join_all((0..writers).map(|seed| write(&admin, seed, writes))).await;
    assert_derived(&server.store).await;
    let events = admin
        .get("/events?status=any&starts_after=1990-01-01&ends_before=2090-01-01")
        .await;
    assert!(
        events.is(200).body["total"].as_u64() > Some(3),
        "too little was written"
    );
}

/// Writes this and that. Many of the requests meet a conflict, or nothing: no matter here.
async fn write(client: &Client, seed: u64, writes: usize) {
    let mut dice = StdRng::seed_from_u64(seed);
    for _ in 0..writes {
        let id = dice.random_range(1..12);
        let other = dice.random_range(0..8);
        match dice.random_range(0..16) {
            0..6 => client.post("/events", any_event(&mut dice)).await,
            6..9 => client.patch(&format!("/events/{id}"), any_event(&mut dice)).await,
            9 => client.delete(&format!("/events/{id}")).await,
            10 => {
                client
                    .patch(&format!("/events/{id}"), json!({"status": "publish"}))
                    .await
            }
            11 => client.patch(&format!("/venues/{id}"), any_venue(&mut dice)).await,
            12 => client.delete(&format!("/venues/{id}")).await,
            13 | 14 => {
                client
                    .patch(&format!("/categories/{id}"), json!({"parent": other}))
                    .await
            }
            _ if dice.random_range(0..3) == 0 => client.delete(&format!("/categories/{id}")).await,
            _ => client.delete(&format!("/tags/{id}")).await,
        };
    }
}

fn any_event(dice: &mut StdRng) -> Value {
    let (year, month) = (dice.random_range(2026..2029), dice.random_range(1..=12));
    let day = dice.random_range(1..=9);
    let status = ["publish", "publish", "publish", "draft", "private"][dice.random_range(0..5)];
    let mut event = json!({
        "title": "Choir",
        "start_date": format!("{year}-{month:02}-0{day} 10:00"),
        "end_date": format!("{year}-{month:02}-{} 10:00", 10 + day * dice.random_range(0..2)),
        "status": status,
        "featured": dice.random_range(0..4) == 0,
        "hide_from_listings": dice.random_range(0..5) == 0,
    });
    let mut pick = |names: &[&str]| names[dice.random_range(0..names.len())].to_owned();
    event["categories"] = json!([pick(&["Music", "Art", "Jazz"]), pick(&["Opera", "Family", "Blues"])]);
    event["tags"] = json!(pick(&["new", "free", "outdoors"]));
    event["organizer"] = json!([{"organizer": pick(&["Ann", "Ben"])}, {"organizer": pick(&["Ben", "Cleo"])}]);
    event["venue"] = match pick(&["Hall", "Park", "none"]).as_str() {
        "none" => json!([]),
        "Hall" => json!([{"venue": "Hall", "geo_lat": 54.3, "geo_lng": 10.1}, {"venue": "Park"}]),
        name => json!({"venue": name}),
    };
    event
}

fn any_venue(dice: &mut StdRng) -> Value {
    match dice.random_range(0..4) {
        0 => json!({"geo_lat": null, "geo_lng": null}),
        1 => json!({"status": "draft"}),
        2 => json!({"status": "publish"}),
        _ => json!({"geo_lat": 54.3, "geo_lng": 10.1}),
    }
}

/// Compares everything that is derived with what it is derived from.
async fn assert_derived(store: &Store) {
    let located = derived::is_located();
    let mut faults = vec![format!("SELECT id FROM events WHERE located <> {located}")];
    for link in LISTINGS {
        let (columns, values) = (LISTED.join(", "), derived::listed_values("events."));
        faults.push(format!(
            "SELECT event_id, target_id, {columns} FROM {link} EXCEPT \
             SELECT event_id, target_id, {values} FROM (SELECT event_id, target_id FROM {link}) links \
             JOIN events ON events.id = event_id"
        ));
    }
    let keys = "status, hide_from_listings, starts_at >> 16, featured, ticketed, located";
    faults.extend(differences(
        &format!(
            "SELECT {}, SUM(events) FROM event_slots GROUP BY {0} HAVING SUM(events) <> 0",
            derived::EVENT_SLOTS.keys.join(", ")
        ),
        &format!("SELECT {keys}, COUNT(*) FROM events GROUP BY {keys}"),
    ));
    let links = "SELECT event_id, ancestor_id FROM event_categories JOIN category_paths ON category_id = target_id";
    faults.extend(differences("SELECT event_id, target_id FROM event_sections", links));
    let paths = "WITH RECURSIVE paths (category_id, ancestor_id) AS (\
                 SELECT id, id FROM categories UNION ALL \
                 SELECT paths.category_id, categories.parent FROM paths \
                 JOIN categories ON categories.id = paths.ancestor_id WHERE categories.parent <> 0) \
                 SELECT category_id, ancestor_id FROM paths";
    faults.extend(differences(
        "SELECT category_id, ancestor_id FROM category_paths",
        paths,
    ));
    for (link, _, tally) in TERMS {
        faults.extend(differences(
            &format!(
                "SELECT target_id, SUM(events) FROM {} GROUP BY target_id HAVING SUM(events) <> 0",
                tally.table
            ),
            &format!(
                "SELECT target_id, COUNT(*) FROM {link} WHERE {} GROUP BY target_id",
                derived::is_listed("")
            ),
        ));
    }
    for (link, host) in HOSTS {
        faults.push(format!(
            "SELECT id FROM {host} WHERE COALESCE(last_ends_at, 0) <> COALESCE((SELECT MAX(ends_at) \
             FROM {link} WHERE target_id = {host}.id AND published_at IS NOT NULL), 0)"
        ));
    }

    for fault in faults {
        let database = store.reader();
        let statement = Statement::from_string(database.get_database_backend(), fault.clone());
        let rows = database.query_all_raw(statement).await.expect("a comparison");
        assert!(rows.is_empty(), "{} rows of {fault}", rows.len());
    }
}

fn differences(one: &str, other: &str) -> [String; 2] {
    [
        format!("SELECT * FROM ({one}) one EXCEPT SELECT * FROM ({other}) other"),
        format!("SELECT * FROM ({other}) other EXCEPT SELECT * FROM ({one}) one"),
    ]
}
