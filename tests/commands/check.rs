//! `almanac check`: derived data, foreign keys and the disk. The tests of time zones have those of their rules.

use almanac::testing::store::{open, search_index::index_queued};
use sea_orm::ConnectionTrait;

use crate::{
    on_both_databases, sample_calendar,
    support::{
        Database,
        program::{run, sqlite_url, stderr, stdout_lines},
    },
};

/// Statements that make derived data wrong, without triggers that would correct it, and what is reported.
const WRONG: [(&str, &str); 13] = [
    (
        "UPDATE event_categories SET featured = NOT featured",
        "event_categories (",
    ),
    ("UPDATE event_venues SET ends_at = ends_at + 1", "event_venues ("),
    (
        "DELETE FROM category_closure WHERE category_id <> ancestor_id",
        "category_closure (",
    ),
    ("DELETE FROM event_category_closure", "event_category_closure ("),
    (
        "UPDATE event_time_buckets SET event_count = event_count + 1",
        "event_time_buckets (",
    ),
    ("DELETE FROM category_event_counts", "category_event_counts ("),
    ("UPDATE tag_event_counts SET event_count = 7", "tag_event_counts ("),
    ("UPDATE venues SET last_ends_at = 1", "venues.last_ends_at ("),
    ("UPDATE organizers SET last_ends_at = NULL", "organizers.last_ends_at ("),
    ("UPDATE events SET search_text = 'wrong'", "columns of events ("),
    ("UPDATE tags SET name_key = 'wrong'", "columns of tags ("),
    ("DELETE FROM search_queue", "event_search ("),
    ("DELETE FROM change_epochs", "change_epochs ("),
];

async fn execute(url: &str, statements: &[&str]) {
    let database = sea_orm::Database::connect(url).await.expect("a connection");
    for statement in statements {
        database.execute_unprepared(statement).await.expect(statement);
    }
    database.close().await.expect("the connection closes");
}

on_both_databases! {
    async fn all_is_well(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let printed = stdout_lines(&["check", "--database-url", &url]);
        assert!(printed.contains(&"schema: current".to_owned()), "{printed:?}");
        assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
    }

    async fn wrong_derived_data_is_reported_and_repaired(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        // The texts are queued for the index, which the last statement prevents.
        execute(&url, &["DELETE FROM event_search"]).await;
        execute(&url, &WRONG.map(|(statement, _)| statement)).await;
        let output = run(&["check", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let errors = stderr(&output);
        for (statement, expected) in WRONG {
            assert!(errors.contains(expected), "{statement}: {errors}");
        }
        assert!(errors.contains("`almanac check --repair` computes them again"), "{errors}");

        let dry = run(&["check", "--repair", "--dry-run", "--database-url", &url]);
        assert_eq!(dry.status.code(), Some(1), "{dry:?}");
        let printed = stdout_lines(&["check", "--repair", "--database-url", &url]);
        assert!(printed.contains(&"derived data have been computed again".to_owned()), "{printed:?}");
        let printed = stdout_lines(&["check", "--database-url", &url]);
        assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
        let repaired = stdout_lines(&["check", "--repair", "--database-url", &url]);
        assert!(!repaired.iter().any(|line| line.starts_with("repairing")), "{repaired:?}");
    }

    async fn missing_schema_is_reported(database) {
        let url = database.empty_url().await;
        let output = run(&["check", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("almanac migrate"), "{output:?}");
    }
}

/// SQLite's search index has no copies of columns.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outdated_columns_in_search_index_are_repaired() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let url = database.empty_url().await;
    sample_calendar::fill(&url).await;
    let store = open(&url, false).await.expect("the database opens");
    index_queued(&store).await.expect("it is indexed");
    execute(&url, &["UPDATE event_search SET ends_at = ends_at + 1"]).await;
    let output = run(&["check", "--database-url", &url]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("event_search ("), "{output:?}");
    stdout_lines(&["check", "--repair", "--database-url", &url]);
    index_queued(&store).await.expect("it is indexed");
    let printed = stdout_lines(&["check", "--database-url", &url]);
    assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
}

#[tokio::test]
async fn rows_that_refer_to_missing_ones_are_reported() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    sample_calendar::fill(&url).await;
    let file = directory.path().join("almanac.db");
    let connection = rusqlite::Connection::open(&file).expect("the database");
    connection
        .execute_batch("PRAGMA foreign_keys = off; DELETE FROM users")
        .expect("a write");
    drop(connection);
    let output = run(&["check", "--database-url", &url]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("rows of events, which refers to users"),
        "{output:?}"
    );
}
