//! Which venues, organizers, categories and tags an event has, in the order in which they were given.

use sea_orm_migration::prelude::*;

use super::{index, integer};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, target, reverse) in [
            ("event_venues", "venues", "event_venues_reverse"),
            ("event_organizers", "organizers", "event_organizers_reverse"),
            ("event_categories", "categories", "event_categories_reverse"),
            ("event_tags", "tags", "event_tags_reverse"),
        ] {
            manager
                .create_table(
                    Table::create()
                        .table(table)
                        .col(integer("event_id"))
                        .col(integer("target_id"))
                        .col(integer("position"))
                        .primary_key(Index::create().col("event_id").col("target_id"))
                        .foreign_key(
                            ForeignKey::create()
                                .from_col("event_id")
                                .to("events", "id")
                                .on_delete(ForeignKeyAction::Cascade),
                        )
                        .foreign_key(
                            ForeignKey::create()
                                .from_col("target_id")
                                .to(target, "id")
                                .on_delete(ForeignKeyAction::Cascade),
                        )
                        .to_owned(),
                )
                .await?;
            index(manager, reverse, table, &["target_id", "event_id"]).await?;
        }
        Ok(())
    }
}
