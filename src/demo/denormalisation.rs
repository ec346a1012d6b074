//! What the database keeps with each row of events and their links: indexes, references, and the triggers behind what
//! is derived. Made once all rows are there, it takes a fraction of the time.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::{
    migrations::{derived, fill_search, fill_statistics},
    store::Transaction,
};

/// The indexes, references and triggers, while they are away.
pub struct Denormalisation {
    /// What makes them again.
    statements: Vec<String>,
    /// What makes the index of texts again.
    search: Vec<String>,
}

impl Denormalisation {
    /// Puts it away until [`sums`](Self::sums) and [`search`](Self::search) bring it back, or the transaction ends
    /// without them. On PostgreSQL readers wait for that.
    pub async fn put_away(transaction: &Transaction) -> Result<Self, DbErr> {
        let mut upkeep = Self {
            statements: Vec::new(),
            search: Vec::new(),
        };
        let backend = transaction.get_database_backend();
        let list = match backend {
            DbBackend::Postgres => POSTGRES,
            _ => SQLITE,
        };
        let names: Vec<String> = tables().map(|table| format!("'{table}'")).collect();
        let list = list.replace("TABLES", &names.join(", "));
        let list = Statement::from_string(backend, list);
        for made in transaction.query_all_raw(list).await? {
            let away: String = made.try_get("", "away")?;
            transaction.execute_unprepared(&away).await?;
            let statements = match away.contains("event_search") {
                true => &mut upkeep.search,
                false => &mut upkeep.statements,
            };
            statements.push(made.try_get("", "back")?);
        }
        Ok(upkeep)
    }

    /// Builds all but the index of texts, and what is derived from the rows.
    pub async fn sums(&mut self, transaction: &Transaction) -> Result<(), DbErr> {
        derived::fill_sections(transaction).await?;
        for statement in std::mem::take(&mut self.statements) {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_statistics(transaction).await?;
        derived::fill_sums(transaction).await
    }

    /// Builds the index of texts.
    pub async fn search(self, transaction: &Transaction) -> Result<(), DbErr> {
        for statement in self.search {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_search(transaction, "events", "event_search").await
    }
}

/// What puts each of them away, and what brings it back. Indexes without a statement belong to their tables' keys.
const SQLITE: &str = "SELECT 'DROP ' || type || ' \"' || name || '\"' AS away, sql AS back FROM sqlite_master \
                      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN (TABLES)";

/// References are as well checked for all rows at once.
const POSTGRES: &str = "SELECT format('ALTER TABLE %I DISABLE TRIGGER USER', tablename) AS away, \
                        format('ALTER TABLE %I ENABLE TRIGGER USER', tablename) AS back FROM pg_tables \
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

/// The tables whose indexes, references and triggers are put away.
fn tables() -> impl Iterator<Item = &'static str> {
    derived::LISTINGS.into_iter().chain(["events"])
}
