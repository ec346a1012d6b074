//! An event.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
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
    /// Plain text.
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
    #[sea_orm(column_type = "Text")]
    pub excerpt: String,
    /// First second, in seconds since 1970 UTC. Derived from `starts_local`.
    pub starts_at: i64,
    /// Last second, in seconds since 1970 UTC. Derived from `ends_local`.
    pub ends_at: i64,
    /// The name of the zone in which its local times are told.
    pub timezone: String,
    /// The local start, in seconds since 1970-01-01 00:00:00 on the same clock. It stays what it is when the rules of
    /// the zone change.
    pub starts_local: i64,
    /// The local end, likewise.
    pub ends_local: i64,
    /// Seconds east of UTC, where clocks show the local start twice.
    pub starts_offset: Option<i64>,
    /// The same for the local end.
    pub ends_offset: Option<i64>,
    /// The release of the time zone rules by which the instants were derived; empty where only the instants are known,
    /// as an older version of this program has written them.
    pub tz_release: String,
    #[sea_orm(column_type = "Text")]
    pub cost: String,
    #[sea_orm(column_type = "Text")]
    pub website: String,
    /// A JSON object.
    #[sea_orm(column_type = "Text")]
    pub custom_fields: String,
    pub post_parent: Option<i64>,
    pub all_day: bool,
    pub show_map: bool,
    pub show_map_link: bool,
    pub hide_from_listings: bool,
    pub sticky: bool,
    pub featured: bool,
    pub ticketed: bool,
    /// Whether it has a published venue on the map. Kept by the database.
    pub located: bool,
}

impl ActiveModelBehavior for ActiveModel {}
