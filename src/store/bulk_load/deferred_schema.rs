//! Drops the indexes, foreign keys and triggers of events and their links during the load, and restores them after it.
//! Building indexes and derived tables once from all rows takes a fraction of the time of maintaining them for each
//! row.

use sea_orm::{
    DbBackend, DbErr, Statement,
    sea_query::{Expr, Query},
};
use tokio::task::yield_now;

use crate::store::{
    Publishable, Transaction, denormalised, entity::event, read_connection::ReadConnection, search_index,
    write_connection::WriteConnection,
};

/// The index of searches, which is a table on PostgreSQL.
const SEARCH_INDEX: &str = event::Entity::SEARCH_INDEX;

/// The tables whose indexes, foreign keys and triggers are dropped.
const TABLES: [&str; 7] = [
    SEARCH_INDEX,
    "events",
    "event_venues",
    "event_organizers",
    "event_categories",
    "event_tags",
    "event_category_closure",
];

/// The indexes that are maintained during the load: those of few events, and those of a column that has the same value in
/// most events, so that entries are appended. Building an index reads all events again.
const KEPT: [&str; 7] = [
    "events_long",
    "events_parent",
    "events_trashed",
    "events_tz_release",
    "events_very_long",
    "events_without_description_text",
    "events_without_title_key",
];

/// The dropped indexes, foreign keys and triggers.
pub(crate) struct DeferredSchema {
    /// Statements that restore them.
    statements: Vec<String>,
    /// Statements that restore the indexes of the search index.
    search_index: Vec<String>,
    /// Rows of `sqlite_stat1`. Those of an index are deleted with it.
    statistics: Vec<[String; 3]>,
}

impl DeferredSchema {
    /// Drops the schema objects until [`rebuild`](Self::rebuild) and
    /// [`rebuild_search_index`](Self::rebuild_search_index) restore them, or the transaction is rolled back. On
    /// PostgreSQL, readers wait for the end of the transaction.
    ///
    /// `empty_indexes` are the names of indexes in which none of the loaded events has an entry. They are not dropped.
    pub(crate) async fn drop_for_load(transaction: &Transaction, empty_indexes: &[&str]) -> Result<Self, DbErr> {
        let mut deferred_schema = Self {
            statements: Vec::new(),
            search_index: Vec::new(),
            statistics: statistics(transaction).await?,
        };
        let droppable: Vec<[String; 2]> = transaction.rows_of(droppable(transaction, empty_indexes)).await?;
        for [drop_statement, create] in droppable {
            transaction.execute_unprepared(&drop_statement).await?;
            match create.contains(SEARCH_INDEX) {
                true => deferred_schema.search_index.push(create),
                false => deferred_schema.statements.push(create),
            }
        }
        Ok(deferred_schema)
    }

    /// Restores everything but the search index, and fills the tables of counts.
    pub(crate) async fn rebuild(&mut self, transaction: &Transaction) -> Result<(), DbErr> {
        let cache_size = begin_index_builds(transaction).await?;
        for statement in std::mem::take(&mut self.statements) {
            transaction.execute_unprepared(&statement).await?;
            yield_now().await;
        }
        end_index_builds(transaction, cache_size).await?;
        restore_statistics(transaction, std::mem::take(&mut self.statistics)).await?;
        denormalised::fill_counts(transaction).await
    }

    /// Fills and restores the search index.
    pub(crate) async fn rebuild_search_index(self, transaction: &Transaction) -> Result<(), DbErr> {
        search_index::fill(transaction).await?;
        for statement in self.search_index {
            transaction.execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}

/// Selects the statement that drops and the one that restores each index, foreign key and trigger.
fn droppable(transaction: &Transaction, empty_indexes: &[&str]) -> Statement {
    let backend = transaction.backend();
    let select = match backend {
        DbBackend::Postgres => POSTGRES,
        _ => SQLITE,
    };
    let quoted = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        names.join(", ")
    };
    let kept = [&KEPT, empty_indexes].concat();
    let select = select.replace("TABLES", &quoted(&TABLES));
    Statement::from_string(backend, select.replace("KEPT", &quoted(&kept)))
}

/// Indexes without SQL belong to keys.
const SQLITE: &str = "SELECT 'DROP ' || type || ' \"' || name || '\"' AS drop_statement, sql AS create_statement FROM sqlite_master \
                      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN (TABLES) \
                      AND name NOT IN (KEPT)";

/// Restoring a foreign key checks all rows at once.
const POSTGRES: &str = "SELECT format('ALTER TABLE %I DISABLE TRIGGER USER', tablename) AS drop_statement, \
                        format('ALTER TABLE %I ENABLE TRIGGER USER', tablename) AS create_statement FROM pg_tables \
                        WHERE schemaname = current_schema() AND tablename IN (TABLES) \
                        UNION ALL \
                        SELECT format('DROP INDEX %I', indexname), indexdef FROM pg_indexes \
                        WHERE schemaname = current_schema() AND tablename IN (TABLES) \
                        AND indexname NOT IN (KEPT) \
                        AND NOT EXISTS (SELECT 1 FROM pg_constraint \
                        WHERE conindid = format('%I.%I', schemaname, indexname)::regclass AND contype <> 'f') \
                        UNION ALL \
                        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname), \
                        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, \
                        pg_get_constraintdef(pg_constraint.oid)) FROM pg_constraint \
                        JOIN pg_class ON pg_class.oid = conrelid \
                        WHERE contype = 'f' AND relnamespace = current_schema()::regnamespace \
                        AND relname IN (TABLES)";

/// Settings of SQLite while it builds indexes. The page cache also limits how many entries of an index are sorted at once:
/// as many as fit into the processor cache, since sorting them in the page cache of a load takes twice as long. A second
/// thread sorts while the table is read.
const INDEX_BUILD_SETTINGS: &str = "PRAGMA cache_size = -4096; PRAGMA threads = 2";

/// Applies the settings. Returns the size of the page cache before.
async fn begin_index_builds(transaction: &Transaction) -> Result<Option<i64>, DbErr> {
    if transaction.backend() != DbBackend::Sqlite {
        return Ok(None);
    }
    let cache_size = Statement::from_string(DbBackend::Sqlite, "SELECT cache_size FROM pragma_cache_size");
    let cache_size: Vec<i64> = transaction.rows_of(cache_size).await?;
    transaction.execute_unprepared(INDEX_BUILD_SETTINGS).await?;
    Ok(cache_size.into_iter().next())
}

/// Restores the settings.
async fn end_index_builds(transaction: &Transaction, cache_size: Option<i64>) -> Result<(), DbErr> {
    let Some(size) = cache_size else {
        return Ok(());
    };
    let settings = format!("PRAGMA cache_size = {size}; PRAGMA threads = 0");
    transaction.execute_unprepared(&settings).await
}

const STATISTICS: [&str; 3] = ["tbl", "idx", "stat"];

/// SQLite's statistics for the query planner, which the migrations have written.
async fn statistics(transaction: &Transaction) -> Result<Vec<[String; 3]>, DbErr> {
    if transaction.backend() != DbBackend::Sqlite {
        return Ok(Vec::new());
    }
    let all = Query::select().columns(STATISTICS).from("sqlite_stat1").to_owned();
    transaction.rows(&all).await
}

async fn restore_statistics(transaction: &Transaction, rows: Vec<[String; 3]>) -> Result<(), DbErr> {
    if transaction.backend() != DbBackend::Sqlite {
        return Ok(());
    }
    transaction.execute_unprepared("DELETE FROM sqlite_stat1").await?;
    let mut insert = Query::insert();
    insert.into_table("sqlite_stat1").columns(STATISTICS);
    for row in rows {
        insert.values_panic(row.map(Expr::val));
    }
    transaction.execute(&insert).await?;
    // This connection reads them now; others do so when they notice the new schema.
    transaction.execute_unprepared("ANALYZE sqlite_schema").await?;
    Ok(())
}
