//! A place where events happen.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "venues")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Incremented by each write. The first part of the ETag.
    pub version: i64,
    /// One of `publish`, `draft`, `pending`, `private`, `trash`. Scheduled objects are `publish` with a publication date
    /// in the future.
    pub status: String,
    /// The status before the move to the trash; null outside the trash.
    pub trashed_status: Option<String>,
    /// The time of the move to the trash, in seconds since 1970 UTC; null outside the trash.
    pub trashed_at: Option<i64>,
    pub slug: String,
    /// The publication date, in seconds since 1970 UTC.
    pub published_at: i64,
    /// The last write, in seconds since 1970 UTC.
    pub modified_at: i64,
    /// The name, plain text.
    #[sea_orm(column_type = "Text")]
    pub title: String,
    /// Sanitised HTML.
    #[sea_orm(column_type = "Text")]
    pub description: String,
    /// The plain text of the description: see [`crate::calendar::html::text_content`]. Null until it is filled in
    /// ([`crate::store::description_texts`]).
    #[sea_orm(column_type = "Text", nullable)]
    pub description_text: Option<String>,
    /// The text that searches match, folded: see [`crate::calendar::text::fold`].
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    pub author_id: Option<i64>,
    pub image_id: Option<i64>,
    /// The folded name, for comparison: see [`crate::calendar::text::fold`].
    #[sea_orm(column_type = "Text")]
    pub name_key: String,
    #[sea_orm(column_type = "Text")]
    pub address: String,
    #[sea_orm(column_type = "Text")]
    pub city: String,
    #[sea_orm(column_type = "Text")]
    pub country: String,
    #[sea_orm(column_type = "Text")]
    pub province: String,
    #[sea_orm(column_type = "Text")]
    pub state: String,
    #[sea_orm(column_type = "Text")]
    pub zip: String,
    #[sea_orm(column_type = "Text")]
    pub phone: String,
    #[sea_orm(column_type = "Text")]
    pub website: String,
    /// Degrees north.
    pub geo_lat: Option<f64>,
    /// Degrees east.
    pub geo_lng: Option<f64>,
    /// The same place as a [`crate::calendar::geo::UnitVector`].
    pub globe_x: Option<f64>,
    pub globe_y: Option<f64>,
    pub globe_z: Option<f64>,
    pub show_map: bool,
    pub show_map_link: bool,
    /// The event from which it inherits status and publication date: see [`crate::services::inherited_publication`].
    pub follows_event_id: Option<i64>,
    /// The latest end of its published events, in seconds since 1970 UTC. Triggers maintain it.
    pub last_ends_at: Option<i64>,
    /// The name of another system, and the ID there; both null, or neither.
    pub external_source: Option<String>,
    pub external_id: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
