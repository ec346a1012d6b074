//! On PostgreSQL the index of long events has their IDs too, as every index has on SQLite: lists are read from it
//! alone.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use super::LONG;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() != DbBackend::Postgres {
            return Ok(());
        }
        let create = format!(
            "CREATE INDEX events_long ON events (status, ends_at, starts_at, published_at, \
             hide_from_listings, featured, ticketed, located) INCLUDE (id) \
             WHERE ends_at - starts_at > {LONG}"
        );
        for statement in ["DROP INDEX events_long", &create] {
            let connection = manager.get_connection();
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
