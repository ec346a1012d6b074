//! Several statements in one message to the database.

use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, Statement, Value,
    sea_query::{PostgresQueryBuilder, QueryStatementWriter, SqliteQueryBuilder},
};

/// Statements without results, which run in this order.
///
/// PostgreSQL does not accept parameters in a message with several statements. Their values become part of the text and
/// should be short, such as numbers. `Store::statement_count` does not include such a message.
#[derive(Debug)]
pub(crate) struct Batch {
    backend: DbBackend,
    sql: String,
    values: Vec<Value>,
}

impl Batch {
    /// An empty batch for this database.
    pub(crate) fn new(database: &impl ConnectionTrait) -> Self {
        Self {
            backend: database.get_database_backend(),
            sql: String::new(),
            values: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, statement: &impl QueryStatementWriter) {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        match self.backend {
            DbBackend::Postgres => self.sql.push_str(&statement.to_string(PostgresQueryBuilder)),
            _ => {
                let (sql, values) = statement.build(SqliteQueryBuilder);
                self.sql.push_str(&sql);
                self.values.extend(values);
            }
        }
    }

    /// Runs the statements. Those after a failed one do not run.
    pub(crate) async fn run(self, database: &impl ConnectionTrait) -> Result<(), DbErr> {
        let Self { backend, sql, values } = self;
        if sql.is_empty() {
            return Ok(());
        }
        match backend {
            DbBackend::Postgres => database.execute_unprepared(&sql).await?,
            _ => {
                let statement = Statement::from_sql_and_values(backend, sql, values);
                database.execute_raw(statement).await?
            }
        };
        Ok(())
    }
}
