//! What the database stores about objects in the trash.

use almanac::{
    migrations::Migrations,
    store::{
        Store,
        entity::{event, organizer, venue},
        open,
    },
};
use sea_orm::{ConnectionTrait, Database as Connect, EntityTrait};
use sea_orm_migration::MigratorTrait;
use serde_json::{Value, json};

use crate::on_both_databases;

/// Migrations before the one that adds the columns.
const BEFORE: u32 = 14;

const ROWS: [&str; 3] = [
    "INSERT INTO events (version, status, slug, published_at, modified_at, title, description, search_text, excerpt, \
     starts_at, ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
     hide_from_listings, sticky, featured, ticketed) \
     VALUES (2, 'trash', 'choir', 1, 7, 'Choir', '', 'choir', '', 1800000000, 1800003600, 'UTC', '', '', '{}', \
     FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE)",
    "INSERT INTO venues (version, status, slug, published_at, modified_at, title, description, search_text, name_key, \
     address, city, country, province, state, zip, phone, website, show_map, show_map_link) \
     VALUES (2, 'trash', 'hall', 1, 7, 'Hall', '', 'hall', 'hall', '', '', '', '', '', '', '', '', TRUE, TRUE)",
    "INSERT INTO organizers (version, status, slug, published_at, modified_at, title, description, search_text, name_key, \
     phone, website, email) VALUES (2, 'trash', 'ann', 1, 7, 'Ann', '', 'ann', 'ann', '', '', '')",
];

/// The previous status of the first event, venue and organizer, and when they went to the trash.
async fn trashed(store: &Store) -> Vec<(Option<String>, Option<i64>)> {
    let database = store.reader();
    let event = event::Entity::find_by_id(1).one(database).await;
    let venue = venue::Entity::find_by_id(1).one(database).await;
    let organizer = organizer::Entity::find_by_id(1).one(database).await;
    let event = event.expect("an answer").expect("an event");
    let venue = venue.expect("an answer").expect("a venue");
    let organizer = organizer.expect("an answer").expect("an organizer");
    vec![
        (event.trashed_status, event.trashed_at),
        (venue.trashed_status, venue.trashed_at),
        (organizer.trashed_status, organizer.trashed_at),
    ]
}

/// The least that each kind of object needs.
fn kinds() -> [(&'static str, Value); 3] {
    [
        (
            "/events",
            json!({"title": "Gone", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"}),
        ),
        ("/venues", json!({"venue": "Gone"})),
        ("/organizers", json!({"organizer": "Gone"})),
    ]
}

on_both_databases! {
    async fn what_is_in_the_trash_before_the_migration_counts_as_published(on) {
        let url = on.empty_url().await;
        let database = Connect::connect(&url).await.expect("the database answers");
        Migrations::up(&database, Some(BEFORE)).await.expect("the older migrations run");
        for statement in ROWS {
            database.execute_unprepared(statement).await.expect("a row");
        }
        database.close().await.expect("the database lets go");
        let store = open(&url, true).await.expect("the other migrations run");
        let published = (Some("publish".to_owned()), Some(7));
        assert_eq!(trashed(&store).await, [published.clone(), published.clone(), published]);
    }

    async fn the_previous_status_is_stored_in_the_trash_only(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let start = chrono::Utc::now().timestamp();
        for (collection, body) in kinds() {
            let mut body = body;
            body["status"] = json!("pending");
            admin.create_id(collection, body).await;
            admin.delete(&format!("{collection}/1")).await.is(200);
        }
        let end = chrono::Utc::now().timestamp();
        for (status, at) in trashed(&server.store).await {
            assert_eq!(status.as_deref(), Some("pending"));
            assert!(at.is_some_and(|at| (start..=end).contains(&at)), "{at:?}");
        }
        for (collection, _) in kinds() {
            admin.patch(&format!("{collection}/1"), json!({"status": "publish"})).await.is(200);
        }
        assert_eq!(trashed(&server.store).await, [(None, None), (None, None), (None, None)]);
    }
}
