//! Upgrades of databases of the last version before the baseline.

use std::collections::BTreeSet;

use almanac::testing::store::{OpenError, Store, event_keys, open, search_index::index_queued};
use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement};
use serde_json::json;

use crate::{denormalisation::assert_denormalised, on_both_databases, support::Server};

const SQLITE: &str = include_str!("upgrade/sqlite.sql");
const POSTGRES: &str = include_str!("upgrade/postgres.sql");

/// The tables that were renamed since that version, with their old and new names.
const RENAMED: [(&str, &str); 3] = [
    ("category_paths", "category_closure"),
    ("event_sections", "event_category_closure"),
    ("changes", "change_log"),
];

/// The tables of counts, by their old names. An upgrade merges their rows.
const COUNTS: [&str; 3] = ["event_slots", "category_events", "tag_events"];

/// Loads the database of that version into an empty one.
async fn load(url: &str) -> DatabaseConnection {
    let database = Connect::connect(url).await.expect("the database opens");
    let dump = match database.get_database_backend() {
        DbBackend::Postgres => POSTGRES,
        _ => SQLITE,
    };
    database.execute_unprepared(dump).await.expect("the dump is loaded");
    database.close().await.expect("the database closes");
    Connect::connect(url).await.expect("the database opens")
}

async fn texts(database: &impl ConnectionTrait, query: &str) -> Vec<String> {
    let query = Statement::from_string(database.get_database_backend(), query);
    let rows = database.query_all_raw(query).await.expect("rows");
    rows.iter()
        .map(|row| row.try_get_by_index(0).expect("a text"))
        .collect()
}

/// All tables but that of the migrations and the full-text indexes.
async fn tables(database: &impl ConnectionTrait) -> Vec<String> {
    let tables = match database.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'"
        }
        _ => {
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
             AND name NOT LIKE '%_search%' AND name <> 'migrations'"
        }
    };
    texts(database, tables).await
}

/// The columns of a table, in their order.
async fn columns(database: &impl ConnectionTrait, table: &str) -> Vec<String> {
    let columns = match database.get_database_backend() {
        DbBackend::Postgres => format!(
            "SELECT quote_ident(column_name) FROM information_schema.columns \
             WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY ordinal_position"
        ),
        _ => format!("SELECT '\"' || name || '\"' FROM pragma_table_info('{table}') ORDER BY cid"),
    };
    texts(database, &columns).await
}

/// The rows of a table, as JSON arrays of these columns.
async fn rows(database: &impl ConnectionTrait, table: &str, columns: &[String]) -> Vec<String> {
    let array = match database.get_database_backend() {
        DbBackend::Postgres => "json_build_array",
        _ => "json_array",
    };
    let columns = columns.join(", ");
    let mut rows = texts(
        database,
        &format!("SELECT CAST({array}({columns}) AS text) FROM {table}"),
    )
    .await;
    rows.sort();
    rows
}

/// All elements of the schema, without quotes and whitespace, which databases keep as written.
async fn schema(store: &Store) -> BTreeSet<String> {
    let database = store.reader();
    let query = match database.get_database_backend() {
        DbBackend::Postgres => POSTGRES_SCHEMA,
        _ => SQLITE_SCHEMA,
    };
    let lines = texts(database, query).await;
    lines
        .into_iter()
        .map(|mut line| {
            line.retain(|letter| !letter.is_whitespace() && letter != '"');
            line
        })
        .collect()
}

const SQLITE_SCHEMA: &str = "\
    SELECT 'column ' || t.name || json_array(c.cid, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk) \
    FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' \
    UNION ALL SELECT 'key ' || t.name || json_array(k.\"from\", k.\"table\", k.\"to\", k.on_update, k.on_delete) \
    FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS k WHERE t.type = 'table' \
    UNION ALL SELECT 'index ' || t.name || json_array(i.name, i.\"unique\", i.origin, i.partial, c.seqno, c.name, c.\"desc\", c.coll) \
    FROM sqlite_schema AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c WHERE t.type = 'table' \
    UNION ALL SELECT type || tbl_name || sql FROM sqlite_schema \
    WHERE type <> 'table' AND sql IS NOT NULL OR sql LIKE 'CREATE VIRTUAL%' \
    UNION ALL SELECT 'autoincrement ' || name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' \
    UNION ALL SELECT 'statistics ' || json_array(tbl, idx, stat) FROM sqlite_stat1 \
    UNION ALL SELECT 'migration ' || version FROM migrations";

const POSTGRES_SCHEMA: &str = "\
    SELECT json_build_array('column', table_name, column_name, ordinal_position, data_type, collation_name, \
    column_default, is_nullable, identity_generation)::text \
    FROM information_schema.columns WHERE table_schema = 'public' \
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
    UNION ALL SELECT json_build_array(conrelid::regclass, conname, pg_get_constraintdef(oid))::text \
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace \
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal \
    UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang \
    WHERE pronamespace = 'public'::regnamespace AND lanname = 'plpgsql' \
    UNION ALL SELECT json_build_array('sequence', sequencename, start_value, increment_by, cycle)::text \
    FROM pg_sequences WHERE schemaname = 'public' \
    UNION ALL SELECT 'migration ' || version FROM migrations";

on_both_databases! {
    async fn every_row_is_kept(on) {
        let url = on.empty_url().await;
        let database = load(&url).await;
        let mut before = Vec::new();
        for table in tables(&database).await {
            let columns = columns(&database, &table).await;
            let rows = rows(&database, &table, &columns).await;
            assert!(!rows.is_empty(), "the table {table} is empty");
            if !COUNTS.contains(&table.as_str()) {
                before.push((table, columns.len(), rows));
            }
        }
        let store = open(&url, true).await.expect("it is upgraded");
        for (table, old_columns, old_rows) in before {
            let renamed = RENAMED.iter().find(|(old, _)| *old == table);
            let table = renamed.map_or(table.as_str(), |(_, new)| new);
            // Columns that were added later come last.
            let columns = columns(store.reader(), table).await;
            assert_eq!(rows(store.reader(), table, &columns[..old_columns]).await, old_rows, "{table}");
        }
        assert_denormalised(&store).await;
    }

    async fn upgraded_schema_equals_new_schema(on) {
        let url = on.empty_url().await;
        load(&url).await;
        let upgraded = open(&url, true).await.expect("it is upgraded");
        let new = open(&on.url().await, false).await.expect("it is new");
        let (upgraded, new) = (schema(&upgraded).await, schema(&new).await);
        let [missing, extra] = [(&new, &upgraded), (&upgraded, &new)].map(|(all, others)| all.difference(others).collect::<Vec<_>>());
        assert!(missing.is_empty() && extra.is_empty(), "missing: {missing:#?}, extra: {extra:#?}");
    }

    async fn upgraded_database_is_served(on) {
        let url = on.empty_url().await;
        load(&url).await;
        open(&url, true).await.expect("it is upgraded").close().await.expect("the database closes");
        let server = Server::start(&url, &[]).await;
        let reader = server.anonymous();
        let found = reader.get("/events?search=noon&start_date=2026-01-01").await.is(200);
        assert_eq!(found.texts("events", "title"), ["Noon concert"]);
        assert_eq!(found.body["events"][0]["start_date"], "2026-12-15 12:00:00");
        // Texts are indexed after the upgrade. Until then, searches read them.
        assert!(index_queued(&server.store).await.expect("texts are indexed") > 0);
        let found = reader.get("/events?search=noon&start_date=2026-01-01&indexed").await.is(200);
        assert_eq!(found.texts("events", "title"), ["Noon concert"]);
        let in_category = reader.get("/events?categories=music&start_date=2026-01-01&end_date=2100-01-01").await.is(200);
        assert_eq!(in_category.texts("events", "title"), ["Noon concert", "Festival", "Late set"]);
        // Keys of titles and prices are filled in after the upgrade.
        assert!(event_keys::fill(&server.store).await.expect("the keys") > 0);
        assert_eq!(event_keys::fill(&server.store).await.expect("the keys"), 0);
        let all = "start_date=2026-01-01&end_date=2100-01-01";
        let sorted = reader.get(&format!("/events?orderby=title&{all}")).await.is(200).texts("events", "title");
        assert!(sorted.is_sorted() && sorted.contains(&"Noon concert".to_owned()), "{sorted:?}");
        let named = reader.get(&format!("/events?title=noon%20concert&{all}")).await.is(200);
        assert_eq!(named.texts("events", "title"), ["Noon concert"]);
        let editor = server.user("editor", almanac::testing::auth::Role::Editor).await;
        editor.patch("/events/2", json!({"title": "Early set", "categories": ["Stage"]})).await.is(200);
        let renamed = reader.get(&format!("/events?search=early&{all}")).await.is(200);
        assert_eq!(renamed.texts("events", "title"), ["Early set"]);
        assert_denormalised(&server.store).await;
    }

    async fn partly_migrated_database_is_refused(on) {
        let url = on.empty_url().await;
        let database = load(&url).await;
        database.execute_unprepared("DELETE FROM migrations WHERE version = 'm0019_lock_order'").await.expect("the step is deleted");
        let error = open(&url, true).await.expect_err("it is refused").to_string();
        assert!(error.contains("lacks the step m0019_lock_order"), "{error}");
        assert!(error.contains("run `almanac migrate` of the previous release first"), "{error}");
    }

    async fn database_of_unreleased_version_is_refused(on) {
        let url = on.empty_url().await;
        let database = load(&url).await;
        database.execute_unprepared("INSERT INTO migrations VALUES ('m0018_trial', 0)").await.expect("another step");
        let error = open(&url, true).await.expect_err("it is refused").to_string();
        assert!(error.contains("unreleased version of Almanac (its schema has the step m0018_trial)"), "{error}");
    }

    async fn outdated_database_is_not_migrated_unless_allowed(on) {
        let url = on.empty_url().await;
        let database = load(&url).await;
        let steps = "SELECT version FROM migrations ORDER BY version";
        let before = texts(&database, steps).await;
        let refused = open(&url, false).await;
        assert!(matches!(refused, Err(OpenError::OldSchema)), "{refused:?}");
        assert_eq!(texts(&database, steps).await, before);
    }
}
