//! Indexes that are built once all rows are there, which takes a fraction of the time that keeping them up to
//! date with each row would.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};

/// The indexes of events and their links, while they are away.
pub struct Indexes {
    /// What makes them.
    statements: Vec<String>,
}

impl Indexes {
    /// Drops them, until the transaction ends or [`build`](Self::build) brings them back. Nobody else notices.
    ///
    /// On PostgreSQL, where all readers would have to wait for the end of the transaction, they stay.
    pub async fn drop(transaction: &DatabaseTransaction) -> Result<Self, DbErr> {
        let mut statements = Vec::new();
        if transaction.get_database_backend() == DbBackend::Sqlite {
            // Those without a statement belong to their tables' keys.
            let indexes = Statement::from_string(
                DbBackend::Sqlite,
                "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL \
                 AND (tbl_name = 'events' OR tbl_name GLOB 'event_*')",
            );
            for index in transaction.query_all_raw(indexes).await? {
                let name: String = index.try_get("", "name")?;
                statements.push(index.try_get("", "sql")?);
                transaction
                    .execute_unprepared(&format!("DROP INDEX \"{name}\""))
                    .await?;
            }
        }
        Ok(Self { statements })
    }

    /// Builds them as they were.
    pub async fn build(self, transaction: &DatabaseTransaction) -> Result<(), DbErr> {
        for statement in self.statements {
            transaction.execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
