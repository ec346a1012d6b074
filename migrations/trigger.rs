//! Triggers in the SQL that SQLite and PostgreSQL share: what is derived from rows stays true whoever writes
//! them, in the same transaction.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

/// What runs after each row of a table that is inserted, updated or deleted.
pub struct Trigger {
    pub name: String,
    /// `INSERT`, `UPDATE OF column, …` or `DELETE`.
    pub event: String,
    pub table: &'static str,
    /// Statements, which see the row as `NEW` and as it was as `OLD`.
    pub body: Vec<String>,
}

impl Trigger {
    pub async fn create(self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let Self {
            name,
            event,
            table,
            body,
        } = self;
        let body: String = body.iter().map(|statement| format!("{statement}; ")).collect();
        let statement = match manager.get_database_backend() {
            DbBackend::Postgres => format!(
                "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ \
                 BEGIN {body}RETURN NULL; END $$; \
                 CREATE TRIGGER {name} AFTER {event} ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION {name}()"
            ),
            _ => format!(
                "CREATE TRIGGER {name} AFTER {event} ON {table} \
                 FOR EACH ROW BEGIN {body}END"
            ),
        };
        let connection = manager.get_connection();
        connection.execute_unprepared(&statement).await?;
        Ok(())
    }
}

/// Lets the rows of the table that meet the condition wait for other writers, or others for this one. SQLite has
/// one writer anyway.
pub fn lock(manager: &SchemaManager<'_>, strength: &str, table: &str, condition: &str) -> Vec<String> {
    match manager.get_database_backend() {
        DbBackend::Postgres => vec![format!("PERFORM 1 FROM {table} WHERE {condition} FOR {strength}")],
        _ => Vec::new(),
    }
}
