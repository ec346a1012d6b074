//! The segments of SQLite's full-text index.

use std::collections::HashSet;

use almanac::testing::store::{Store, open, segment_merges};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::support::Database;

/// As many writes as two levels of 16 segments, FTS5's default limit, have room for.
const WRITES: usize = 16 * 16;

/// A store with an index of thousands of pages in one segment, as after a bulk load.
async fn loaded() -> (Database, Store) {
    let database = Database::sqlite();
    let store = open(&database.url().await, true).await.expect("the database opens");
    let rows = "WITH RECURSIVE rows (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM rows WHERE id < 10000)
        INSERT INTO event_search (rowid, search_text) SELECT id, lower(hex(randomblob(200))) FROM rows";
    write(&store, rows).await;
    write(&store, "INSERT INTO event_search (event_search) VALUES ('optimize')").await;
    (database, store)
}

async fn write(store: &Store, statement: &str) {
    let transaction = store.begin().await.expect("a transaction");
    transaction.execute_unprepared(statement).await.expect("a write");
    transaction.commit().await.expect("a commit");
}

async fn write_often(store: &Store) {
    for number in 0..WRITES {
        let rowid = 20_000 + number;
        let row = format!("INSERT INTO event_search (rowid, search_text) VALUES ({rowid}, 'choir')");
        write(store, &row).await;
    }
}

/// The distinct values of a column.
async fn distinct(store: &Store, sql: &str) -> HashSet<i64> {
    let statement = Statement::from_string(DbBackend::Sqlite, sql);
    let rows = store.reader().query_all_raw(statement).await.expect("the rows");
    rows.iter()
        .map(|row| row.try_get_by_index(0).expect("a number"))
        .collect()
}

#[tokio::test]
async fn writes_keep_segment_of_bulk_load() {
    let (_database, store) = loaded().await;
    let pages = "SELECT id FROM event_search_data";
    let before = distinct(&store, pages).await;
    write_often(&store).await;
    let kept = distinct(&store, pages).await.intersection(&before).count();
    assert!(kept > before.len() / 2, "{kept} of {} pages", before.len());
}

#[tokio::test]
async fn segments_are_merged_in_steps() {
    let (_database, store) = loaded().await;
    write_often(&store).await;
    let segments = "SELECT segid FROM event_search_idx";
    let before = distinct(&store, segments).await.len();
    let mut steps = 0;
    while segment_merges::merge(&store).await.expect("a step") {
        steps += 1;
    }
    let after = distinct(&store, segments).await.len();
    assert!(
        steps > 0 && after < 16 && after < before,
        "{before} segments, {after} after {steps} steps"
    );
    let found = distinct(&store, "SELECT rowid FROM event_search('choir') WHERE rowid >= 20000").await;
    assert_eq!(found.len(), WRITES);
}
