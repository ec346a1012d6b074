//! The options of filters on pages: all categories, and the venues if there are few.

use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};

use super::{
    entity::{category, venue},
    read_connection::ReadConnection,
    row::{FromRow, Row},
    visibility::Visibility,
};

/// A category in the tree.
#[derive(Clone, Debug)]
pub(crate) struct CategoryNode {
    pub id: i64,
    /// The ID of the parent; 0 without one.
    pub parent: i64,
    pub slug: String,
    pub name: String,
}

impl FromRow for CategoryNode {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            id: row.integer(0)?,
            parent: row.integer(1)?,
            slug: row.text(2)?.unwrap_or_default(),
            name: row.text(3)?.unwrap_or_default(),
        })
    }
}

/// The name of a venue.
#[derive(Clone, Debug)]
pub(crate) struct VenueName {
    pub id: i64,
    pub name: String,
    /// The folded name, for comparison.
    pub name_key: String,
}

impl FromRow for VenueName {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            id: row.integer(0)?,
            name: row.text(1)?.unwrap_or_default(),
            name_key: row.text(2)?.unwrap_or_default(),
        })
    }
}

/// All categories, sorted by name.
pub(crate) async fn categories(database: &impl ReadConnection) -> Result<Vec<CategoryNode>, DbErr> {
    use category::Column::{Id, Name, NameKey, Parent, Slug};
    let categories = category::Entity::find()
        .select_only()
        .columns([Id, Parent, Slug, Name])
        .order_by_asc(NameKey)
        .order_by_asc(Id);
    database.rows(&categories.into_query()).await
}

/// The published venues, in no particular order. Empty if there are more than `limit`.
pub(crate) async fn venues(database: &impl ReadConnection, now: i64, limit: usize) -> Result<Vec<VenueName>, DbErr> {
    use venue::Column::{Id, NameKey, Title};
    let published = venue::Entity::find()
        .filter(Visibility::published(now).condition::<venue::Entity>())
        .select_only()
        .columns([Id, Title, NameKey])
        // Not sorted, so that the database stops at the limit.
        .limit(limit as u64 + 1);
    let mut venues: Vec<VenueName> = database.rows(&published.into_query()).await?;
    if venues.len() > limit {
        venues.clear();
    }
    Ok(venues)
}
