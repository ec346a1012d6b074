//! On PostgreSQL, who moves a category and who files events under categories wait for each other: each derives the
//! sections of events from what the other one changes. SQLite has one writer anyway.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// PostgreSQL's advisory lock of the tree of categories: the letters "tree".
const TREE: i64 = 0x7472_6565;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() != DbBackend::Postgres {
            return Ok(());
        }
        for (name, event, table, lock) in [
            (
                "categories_alone",
                "UPDATE OF parent",
                "categories",
                "pg_advisory_xact_lock",
            ),
            (
                "event_categories_together",
                "INSERT OR DELETE",
                "event_categories",
                "pg_advisory_xact_lock_shared",
            ),
        ] {
            // Before the statement: what it derives afterwards is derived from what the others have committed.
            let trigger = format!(
                "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ \
                 BEGIN PERFORM {lock}({TREE}); RETURN NULL; END $$; \
                 CREATE TRIGGER {name} BEFORE {event} ON {table} \
                 FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
            );
            let connection = manager.get_connection();
            connection.execute_unprepared(&trigger).await?;
        }
        Ok(())
    }
}
