//! The segments of SQLite's full-text indexes.

use std::collections::HashSet;

use almanac::testing::{
    calendar::zone::Zone,
    demo::{self, Size},
    store::{Store, open_to_load, segment_merges, write_connection::WriteConnection},
};
use chrono::Utc;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::support::Database;

/// More writes than two levels of 16 segments, FTS5's default limit, have room for.
const WRITES: usize = 20 * 16;
/// Fewer writes than those after which FTS5 merges segments by itself.
const FEW_WRITES: usize = 40;
/// The maximum number of pages that one write may merge.
const MAX_PAGES: usize = 300;
/// The size of a page in bytes, far below the default, so that few events have many pages.
const PAGE_SIZE: &str = "INSERT INTO event_search (event_search, rank) VALUES ('pgsz', 128)";

async fn loaded(events: u64) -> (Database, Store) {
    let database = Database::sqlite();
    let store = open_to_load(&database.url().await, false).await;
    let store = store.expect("the database opens");
    let transaction = store.begin().await.expect("a transaction");
    transaction.execute_unprepared(PAGE_SIZE).await.expect("a setting");
    transaction.commit().await.expect("a commit");
    let size = Size {
        events,
        ..Size::DEFAULT
    };
    let filled = demo::fill(&store, &size, None, Utc::now(), &Zone::UTC, |_| ()).await;
    assert!(filled.expect("it is filled").is_some());
    (database, store)
}

/// Indexes an event.
async fn write(store: &Store, number: usize) {
    let id = 10_000 + number;
    let row = format!("INSERT INTO event_search (rowid, word_ids) VALUES ({id}, '0')");
    let transaction = store.begin().await.expect("a transaction");
    transaction.execute_unprepared(&row).await.expect("a write");
    transaction.commit().await.expect("a commit");
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
async fn writes_after_bulk_load_merge_few_pages() {
    // Enough for thousands of pages, which FTS5 can't merge bit by bit during these writes.
    let (_database, store) = loaded(8_000).await;
    let pages = "SELECT id FROM event_search_data";
    let mut before = distinct(&store, pages).await;
    assert!(before.len() > 2 * MAX_PAGES, "{} pages", before.len());
    for number in 0..WRITES {
        write(&store, number).await;
        let after = distinct(&store, pages).await;
        let merged = before.difference(&after).count();
        assert!(merged < MAX_PAGES, "write {number} merged {merged} pages");
        before = after;
    }
}

#[tokio::test]
async fn segments_are_merged_in_steps() {
    let (_database, store) = loaded(400).await;
    for number in 0..FEW_WRITES {
        write(&store, number).await;
    }
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
    let found = distinct(&store, "SELECT rowid FROM event_search('0') WHERE rowid >= 10000").await;
    assert_eq!(found.len(), FEW_WRITES);
}
