//! What the database keeps with each row of events and their links: indexes, and the triggers behind what is
//! derived. Made once all rows are there, it takes a fraction of the time.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};

use crate::migrations::{derived, fill_search, fill_statistics};

/// The indexes and triggers, while they are away.
pub struct Upkeep {
    /// What makes them again.
    statements: Vec<String>,
    /// What makes the index of texts again.
    search: Vec<String>,
}

impl Upkeep {
    /// Puts it away until [`sums`](Self::sums) and [`search`](Self::search) bring it back, or the transaction ends
    /// without them. On PostgreSQL readers wait for that.
    pub async fn put_away(transaction: &DatabaseTransaction) -> Result<Self, DbErr> {
        let backend = transaction.get_database_backend();
        let mut upkeep = Self {
            statements: Vec::new(),
            search: Vec::new(),
        };
        if backend == DbBackend::Postgres {
            for table in tables() {
                let switch = |verb: &str| format!("ALTER TABLE {table} {verb} TRIGGER USER");
                transaction.execute_unprepared(&switch("DISABLE")).await?;
                upkeep.statements.push(switch("ENABLE"));
            }
        }
        let list = match backend {
            DbBackend::Postgres => POSTGRES,
            _ => SQLITE,
        };
        let names: Vec<String> = tables().map(|table| format!("'{table}'")).collect();
        let list = list.replace("TABLES", &names.join(", "));
        let list = Statement::from_string(backend, list);
        for made in transaction.query_all_raw(list).await? {
            let (kind, name): (String, String) =
                (made.try_get("", "kind")?, made.try_get("", "name")?);
            transaction
                .execute_unprepared(&format!("DROP {kind} \"{name}\""))
                .await?;
            let statements = match name.starts_with("event_search") {
                true => &mut upkeep.search,
                false => &mut upkeep.statements,
            };
            statements.push(made.try_get("", "sql")?);
        }
        Ok(upkeep)
    }

    /// Builds all but the index of texts, and what is derived from the rows.
    pub async fn sums(&mut self, transaction: &DatabaseTransaction) -> Result<(), DbErr> {
        derived::fill_sections(transaction).await?;
        for statement in std::mem::take(&mut self.statements) {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_statistics(transaction).await?;
        derived::fill_sums(transaction).await
    }

    /// Builds the index of texts.
    pub async fn search(self, transaction: &DatabaseTransaction) -> Result<(), DbErr> {
        for statement in self.search {
            transaction.execute_unprepared(&statement).await?;
        }
        fill_search(transaction, "events", "event_search").await
    }
}

/// Those without a statement belong to their tables' keys.
const SQLITE: &str = "SELECT type AS kind, name, sql FROM sqlite_master \
                      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name IN (TABLES)";

const POSTGRES: &str = "SELECT 'index' AS kind, indexname::text AS name, indexdef AS sql FROM pg_indexes \
                        WHERE schemaname = current_schema() AND tablename IN (TABLES) \
                        AND NOT EXISTS (SELECT 1 FROM pg_constraint \
                        WHERE conindid = format('%I.%I', schemaname, indexname)::regclass)";

/// The tables whose indexes and triggers are put away.
fn tables() -> impl Iterator<Item = &'static str> {
    derived::LISTINGS.into_iter().chain(["events"])
}
