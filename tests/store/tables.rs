//! Every table and column is assigned to exports, to backups, or to derived data.

use std::collections::BTreeSet;

use almanac::testing::{
    store::{Store, open},
    transfer::tables::{Kept, PLAIN_TABLES, TABLES, record_columns},
};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::on_both_databases;

/// The endings of the tables in which SQLite keeps a full-text index.
const SHADOWS: [&str; 5] = ["_config", "_content", "_data", "_docsize", "_idx"];

async fn texts(store: &Store, query: String) -> BTreeSet<String> {
    let database = store.reader();
    let query = Statement::from_string(database.get_database_backend(), query);
    let rows = database.query_all_raw(query).await.expect("rows");
    rows.iter()
        .map(|row| row.try_get_by_index(0).expect("a text"))
        .collect()
}

async fn tables(store: &Store) -> BTreeSet<String> {
    let query = match store.reader().get_database_backend() {
        DbBackend::Postgres => "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()",
        _ => "SELECT name FROM sqlite_schema WHERE type = 'table'",
    };
    let mut tables = texts(store, query.to_owned()).await;
    tables.retain(|table| {
        let index = SHADOWS.iter().find_map(|ending| table.strip_suffix(ending));
        !index.is_some_and(|index| index.ends_with("_search"))
    });
    tables
}

on_both_databases! {
    async fn every_table_is_assigned(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        let is_sqlite = store.reader().get_database_backend() == DbBackend::Sqlite;
        let known: BTreeSet<String> = TABLES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(known.len(), TABLES.len(), "a table is assigned twice");
        for table in tables(&store).await {
            assert!(known.contains(&table), "assign the table {table} in src/transfer/tables.rs");
        }
        let is_here = |name: &str| is_sqlite || !(name.starts_with("sqlite_") || name == "word_search");
        let present = tables(&store).await;
        for (name, _) in TABLES.iter().filter(|(name, _)| is_here(name)) {
            assert!(present.contains(*name), "there is no table {name}");
        }
    }

    async fn tables_of_backups_have_keys(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        let in_backups_only = TABLES.iter().filter(|(_, kept)| *kept == Kept::Backup).map(|(name, _)| *name);
        let mut plain: Vec<&str> = PLAIN_TABLES.iter().map(|table| table.name).chain(["migrations"]).collect();
        plain.sort_unstable();
        assert_eq!(in_backups_only.collect::<Vec<_>>(), plain);
        for table in PLAIN_TABLES {
            let query = format!("SELECT '' || {} FROM {}", table.key.replace(", ", " || "), table.name);
            texts(&store, query).await;
        }
    }

    async fn every_column_of_records_is_known(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        for (table, columns) in record_columns() {
            let query = match store.reader().get_database_backend() {
                DbBackend::Postgres => format!(
                    "SELECT column_name::text FROM information_schema.columns \
                     WHERE table_schema = current_schema() AND table_name = '{table}'"
                ),
                _ => format!("SELECT name FROM pragma_table_info('{table}')"),
            };
            let known: BTreeSet<String> = columns.into_iter().map(str::to_owned).collect();
            assert_eq!(texts(&store, query).await, known, "{table}");
            let kept = TABLES.iter().find(|(name, _)| *name == table).map(|(_, kept)| *kept);
            assert_eq!(kept, Some(Kept::Export), "{table}");
        }
    }
}
