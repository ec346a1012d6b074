//! Permanent deletion of the objects in the trash.

use almanac::testing::store::{
    entity::{event, venue},
    trash::{self, Removed},
    write_connection::WriteConnection,
};
use serde_json::json;

use crate::{on_both_databases, support::Server};

/// More objects than one transaction deletes.
const MANY: u64 = 450;

async fn execute(server: &Server, statement: &str) {
    let transaction = server.store.begin().await.expect("a transaction");
    let executed = transaction.execute_unprepared(statement).await;
    executed.expect("a write");
    transaction.commit().await.expect("a commit");
}

on_both_databases! {
    async fn purge_respects_age_limit(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for name in ["Old", "Older release", "Young", "Kept"] {
            let id = admin.create_id("/venues", json!({"venue": name})).await;
            if name != "Kept" {
                admin.delete(&format!("/venues/{id}")).await.is(200);
            }
        }
        execute(&server, "UPDATE venues SET trashed_at = 100, modified_at = 900 WHERE id = 1").await;
        // As a server of an older release stores it, which sets `modified_at` but not `trashed_at`.
        execute(&server, "UPDATE venues SET trashed_at = NULL, modified_at = 100 WHERE id = 2").await;
        execute(&server, "UPDATE venues SET trashed_at = 101, modified_at = 50 WHERE id = 3").await;
        let found = trash::find::<venue::Entity>(&server.store, Some(100)).await;
        assert_eq!(found.expect("IDs"), [1, 2]);
        let removed = trash::empty(&server.store, Some(100)).await.expect("it is emptied");
        assert_eq!(removed, Removed { venues: 2, ..Removed::default() });
        let left = trash::find::<venue::Entity>(&server.store, None).await;
        assert_eq!(left.expect("IDs"), [3]);
        admin.get("/venues/4").await.is(200);
    }

    async fn purge_skips_restored_objects(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = format!("/venues/{id}");
        admin.delete(&path).await.is(200);
        let found = trash::find::<venue::Entity>(&server.store, None).await.expect("IDs");
        assert_eq!(found, [id]);
        admin.patch(&path, json!({"status": "publish"})).await.is(200);
        let removed = trash::remove::<venue::Entity>(&server.store, &found, None).await;
        assert_eq!(removed.expect("it runs"), 0);
        admin.get(&path).await.is(200);
    }

    async fn concurrent_purges_delete_each_object_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let body = json!({"title": "Gone", "start_date": "tomorrow", "end_date": "tomorrow", "status": "draft"});
        admin.create_id("/events", body).await;
        execute(&server, "UPDATE events SET status = 'trash', trashed_status = 'draft', trashed_at = 1").await;
        let columns = "version, status, trashed_status, trashed_at, slug, published_at, modified_at, title, description, \
            search_text";
        for (table, more) in [("organizers", "name_key, phone, website, email"), ("venues", "name_key, address, city, \
            country, province, state, zip, phone, website, show_map, show_map_link")] {
            let path = format!("/{table}");
            admin.create_id(&path, json!({table.trim_end_matches('s'): "Gone"})).await;
            let last = MANY + 1;
            let numbers = format!("WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})");
            let values = columns.replace("slug", "'s' || n") + ", " + more;
            execute(&server, &format!(
                "INSERT INTO {table} ({columns}, {more}) {numbers} SELECT {values} FROM {table}, numbers"
            )).await;
            execute(&server, &format!("UPDATE {table} SET status = 'trash', trashed_status = 'draft', trashed_at = 1")).await;
        }
        let (one, other) = tokio::join!(trash::empty(&server.store, None), trash::empty(&server.store, None));
        let (one, other) = (one.expect("it is emptied"), other.expect("it is emptied"));
        assert_eq!(one.events + other.events, 1);
        assert_eq!(one.venues + other.venues, MANY + 1);
        assert_eq!(one.organizers + other.organizers, MANY + 1);
        let left = trash::find::<event::Entity>(&server.store, None).await;
        assert!(left.expect("IDs").is_empty());
    }
}
