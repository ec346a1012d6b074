//! The plain text of each description, stored beside it: what is shown of a description without its markup, and what
//! searches look through, is made of it.
//!
//! The rows that are there get theirs after the start, in batches ([`crate::store::description_texts`]): a first start
//! does not wait for it. Until then the column is null. The indexes find the rows that are left.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for table in ["events", "venues", "organizers"] {
            for statement in [
                format!("ALTER TABLE {table} ADD COLUMN description_text text"),
                format!(
                    "CREATE INDEX {table}_without_description_text ON {table} (id) \
                     WHERE description_text IS NULL"
                ),
            ] {
                connection.execute_unprepared(&statement).await?;
            }
        }
        Ok(())
    }
}
