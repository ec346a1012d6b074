//! Several statements in one message to the database.

use sea_orm::{
    DbBackend, DbErr, Statement,
    sea_query::{PostgresQueryBuilder, QueryStatementWriter, SqliteQueryBuilder},
};

use super::{read_connection::ReadConnection, write_connection::WriteConnection};

/// Statements without results, which run in this order.
///
/// PostgreSQL does not accept parameters in a message with several statements. Their values become part of the text and
/// should be short, such as numbers. `Store::statement_count` does not include such a message. SQLite runs each statement
/// on its own.
#[derive(Debug)]
pub(crate) enum Batch {
    Postgres(String),
    Sqlite(Vec<Statement>),
}

impl Batch {
    /// An empty batch for this database.
    pub(crate) fn new(database: &impl ReadConnection) -> Self {
        match database.backend() {
            DbBackend::Postgres => Self::Postgres(String::new()),
            _ => Self::Sqlite(Vec::new()),
        }
    }

    pub(crate) fn add(&mut self, statement: &impl QueryStatementWriter) {
        match self {
            Self::Postgres(text) => {
                if !text.is_empty() {
                    text.push_str("; ");
                }
                text.push_str(&statement.to_string(PostgresQueryBuilder));
            }
            Self::Sqlite(statements) => {
                let (sql, values) = statement.build(SqliteQueryBuilder);
                statements.push(Statement::from_sql_and_values(DbBackend::Sqlite, sql, values));
            }
        }
    }

    /// Runs the statements. Those after a failed one do not run.
    pub(crate) async fn run(self, database: &impl WriteConnection) -> Result<(), DbErr> {
        match self {
            Self::Postgres(text) if text.is_empty() => {}
            Self::Postgres(text) => {
                database.execute_unprepared(&text).await?;
            }
            Self::Sqlite(statements) => {
                for statement in statements {
                    database.execute_raw(statement).await?;
                }
            }
        }
        Ok(())
    }
}
