//! A place where events happen.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "venues")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Raised by each write; the first part of the item's ETag.
    pub version: i64,
    /// One of `publish`, `draft`, `pending`, `private`, `trash`. What is planned for later is `publish`
    /// with a publication that lies ahead.
    pub status: String,
    /// The status before it went to the trash; absent outside the trash.
    pub trashed_status: Option<String>,
    /// When it went to the trash, in seconds since 1970 UTC; absent outside the trash.
    pub trashed_at: Option<i64>,
    pub slug: String,
    /// Publication, in seconds since 1970 UTC.
    pub published_at: i64,
    /// Last write, in seconds since 1970 UTC.
    pub modified_at: i64,
    /// The name, plain text.
    #[sea_orm(column_type = "Text")]
    pub title: String,
    /// Sanitised HTML.
    #[sea_orm(column_type = "Text")]
    pub description: String,
    /// Its plain text: see [`crate::calendar::html::text_content`]. Null until it is filled in
    /// ([`crate::store::description_texts`]).
    #[sea_orm(column_type = "Text", nullable)]
    pub description_text: Option<String>,
    /// What a search looks through, folded: see [`crate::calendar::text::fold`].
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    pub author_id: Option<i64>,
    pub image_id: Option<i64>,
    /// The name as it is compared: see [`crate::calendar::text::fold`].
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
    /// The event whose status and publication date it takes over: see [`crate::services::inherited_publication`].
    pub follows_event_id: Option<i64>,
    /// When the last of its published events ends, in seconds since 1970 UTC. Kept by the database.
    pub last_ends_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
