//! Where events happen, and who holds them.

use sea_orm_migration::prelude::*;

use super::{flag, index, post, text, unique_slug_outside_the_trash};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut venues = post("venues");
        for column in [
            "name_key", "address", "city", "country", "province", "state", "zip", "phone", "website",
        ] {
            venues.col(text(column));
        }
        venues
            .col(ColumnDef::new("geo_lat").double().null())
            .col(ColumnDef::new("geo_lng").double().null())
            // The same place on the unit sphere: distances are compared by products and sums.
            .col(ColumnDef::new("globe_x").double().null())
            .col(ColumnDef::new("globe_y").double().null())
            .col(ColumnDef::new("globe_z").double().null())
            .col(flag("show_map"))
            .col(flag("show_map_link"));
        manager.create_table(venues).await?;

        let mut organizers = post("organizers");
        for column in ["name_key", "phone", "website", "email"] {
            organizers.col(text(column));
        }
        manager.create_table(organizers).await?;

        for (table, order, name, image) in [
            ("venues", "venues_order", "venues_name", "venues_image"),
            ("organizers", "organizers_order", "organizers_name", "organizers_image"),
        ] {
            index(manager, name, table, &["name_key", "id"]).await?;
            unique_slug_outside_the_trash(manager, table).await?;
            index(manager, order, table, &["status", "published_at", "id"]).await?;
            index(manager, image, table, &["image_id"]).await?;
        }
        index(manager, "venues_position", "venues", &["geo_lat", "geo_lng"]).await
    }
}
