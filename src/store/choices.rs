//! What a reader can choose from: all categories, and the venues if there are few.

use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{
    entity::{category, venue},
    read_connection::ReadConnection,
    visibility::Visibility,
};

/// All categories, sorted by name.
pub(crate) async fn categories(database: &impl ReadConnection) -> Result<Vec<category::Model>, DbErr> {
    let categories = category::Entity::find().order_by_asc(category::Column::NameKey);
    database.models(categories.order_by_asc(category::Column::Id)).await
}

/// The published venues, in no particular order. Empty if there are more than `limit`.
pub(crate) async fn venues(database: &impl ReadConnection, now: i64, limit: usize) -> Result<Vec<venue::Model>, DbErr> {
    let published = venue::Entity::find().filter(Visibility::published(now).condition::<venue::Entity>());
    // Not sorted, so that the database stops at the limit.
    let mut venues = database.models(published.limit(limit as u64 + 1)).await?;
    if venues.len() > limit {
        venues.clear();
    }
    Ok(venues)
}
