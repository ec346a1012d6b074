//! Images are known by their address; their bytes stay where they are.

use sea_orm_migration::prelude::*;

use super::{id, text};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("images")
                    .col(id("id"))
                    .col(text("url").unique_key())
                    .to_owned(),
            )
            .await
    }
}
