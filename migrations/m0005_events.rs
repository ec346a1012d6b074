//! What happens when.

use sea_orm_migration::prelude::*;

use super::{flag, index, integer, post, text, unique_slug_outside_the_trash};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut events = post("events");
        events
            .col(text("excerpt"))
            .col(integer("starts_at"))
            .col(integer("ends_at"))
            .col(text("timezone"))
            .col(text("cost"))
            .col(text("website"))
            .col(text("custom_fields"))
            .col(ColumnDef::new("post_parent").big_integer().null());
        for column in [
            "all_day",
            "show_map",
            "show_map_link",
            "hide_from_listings",
            "sticky",
            "featured",
            "ticketed",
        ] {
            events.col(flag(column));
        }
        manager.create_table(events).await?;
        unique_slug_outside_the_trash(manager, "events").await?;
        index(manager, "events_start", "events", &["status", "starts_at", "id"]).await?;
        index(manager, "events_end", "events", &["status", "ends_at", "id"]).await?;
        index(manager, "events_published", "events", &["status", "published_at"]).await?;
        index(manager, "events_author", "events", &["author_id"]).await?;
        index(manager, "events_parent", "events", &["post_parent"]).await?;
        index(manager, "events_image", "events", &["image_id"]).await
    }
}
