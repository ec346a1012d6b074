//! Who may write, and with what secret.

use sea_orm_migration::prelude::*;

use super::{id, index, integer, text};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("users")
                    .col(id("id"))
                    .col(text("name").unique_key())
                    .col(text("role"))
                    .col(text("password_hash"))
                    .col(integer("created_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("tokens")
                    .col(id("id"))
                    .col(integer("user_id"))
                    .col(text("name"))
                    .col(text("hash").unique_key())
                    .col(integer("created_at"))
                    .col(ColumnDef::new("expires_at").big_integer().null())
                    .foreign_key(
                        ForeignKey::create()
                            .from_col("user_id")
                            .to("users", "id")
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .to_owned(),
            )
            .await?;
        index(manager, "tokens_user", "tokens", &["user_id"]).await
    }
}
