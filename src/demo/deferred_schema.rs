//! Drops the indexes, foreign keys and triggers of events and their links during the load, and restores them after it.
//! Building indexes and derived tables once from all rows takes a fraction of the time of maintaining them for each
//! row.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::{
    migrations::{derived, fill_search, fill_statistics},
    store::Transaction,
};

/// The dropped indexes, foreign keys and triggers.
pub struct DeferredSchema {
    /// Statements that restore them.
    statements: Vec<String>,
    /// Statements that restore the search index and its triggers.
    search_index: Vec<String>,
}

impl DeferredSchema {
    /// Drops the schema objects until [`rebuild`](Self::rebuild) and
    /// [`rebuild_search_index`](Self::rebuild_search_index) restore them, or the transaction is rolled back. On
    /// PostgreSQL, readers wait for the end of the transaction.
    pub async fn drop_for_load(transaction: &Transaction) -> Result<Self, DbErr> {
        let mut deferred_schema = Self {
            statements: Vec::new(),
            search_index: Vec::new(),
        };
        let backend = transaction.get_database_backend();
        let query = match backend {
            DbBackend::Postgres => POSTGRES,
            _ => SQLITE,
        };
        let names: Vec<String> = tables().map(|table| format!("'{table}'")).collect();
        let query = query.replace("TABLES", &names.join(", "));
        let query = Statement::from_string(backend, query);
        for row in transaction.query_all_raw(query).await? {
            let drop_statement: String = row.try_get("", "drop_statement")?;
            transaction.execute_unprepared(&drop_statement).await?;
            let statements = match drop_statement.contains("event_search") {
                true => &mut deferred_schema.search_index,
                false => &mut deferred_schema.statements,
            };
            statements.push(row.try_get("", "create_statement")?);
        }
        Ok(deferred_schema)
    }

    /// Restores everything but the search index, and fills the derived tables.
    pub async fn rebuild(&mut self, transaction: &Transaction) -> Result<(), DbErr> {
        derived::fill_sections(transaction).await?;
        for statement in std::mem::take(&mut self.statements) {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_statistics(transaction).await?;
        derived::fill_sums(transaction).await
    }

    /// Restores and fills the search index.
    pub async fn rebuild_search_index(self, transaction: &Transaction) -> Result<(), DbErr> {
        for statement in self.search_index {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_search(transaction, "events", "event_search").await
    }
}

/// For each schema object, the statement that drops it and the one that restores it. Indexes without SQL belong to
/// keys.
const SQLITE: &str = "SELECT 'DROP ' || type || ' \"' || name || '\"' AS drop_statement, \
                      sql AS create_statement FROM sqlite_master \
                      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN (TABLES)";

/// Restoring a foreign key checks all rows at once.
const POSTGRES: &str = "SELECT format('ALTER TABLE %I DISABLE TRIGGER USER', tablename) AS drop_statement, \
                        format('ALTER TABLE %I ENABLE TRIGGER USER', tablename) AS create_statement FROM pg_tables \
                        WHERE schemaname = current_schema() AND tablename IN (TABLES) \
                        UNION ALL \
                        SELECT format('DROP INDEX %I', indexname), indexdef FROM pg_indexes \
                        WHERE schemaname = current_schema() AND tablename IN (TABLES) \
                        AND NOT EXISTS (SELECT 1 FROM pg_constraint \
                        WHERE conindid = format('%I.%I', schemaname, indexname)::regclass AND contype <> 'f') \
                        UNION ALL \
                        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname), \
                        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, \
                        pg_get_constraintdef(pg_constraint.oid)) FROM pg_constraint \
                        JOIN pg_class ON pg_class.oid = conrelid \
                        WHERE contype = 'f' AND relnamespace = current_schema()::regnamespace \
                        AND relname IN (TABLES)";

/// The tables whose indexes, foreign keys and triggers are dropped.
fn tables() -> impl Iterator<Item = &'static str> {
    derived::LISTINGS.into_iter().chain(["events"])
}
