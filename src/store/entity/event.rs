//! An event.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
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
    /// Plain text.
    #[sea_orm(column_type = "Text")]
    pub title: String,
    /// The title for comparison and sorting: see [`crate::calendar::title_key`]. Null until it is filled in
    /// ([`crate::store::event_keys`]).
    #[sea_orm(column_type = "Text", nullable)]
    pub title_key: Option<String>,
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
    #[sea_orm(column_type = "Text")]
    pub excerpt: String,
    /// The first second, in seconds since 1970 UTC. Derived from `starts_local`.
    pub starts_at: i64,
    /// The last second, in seconds since 1970 UTC. Derived from `ends_local`.
    pub ends_at: i64,
    /// The time zone of the local times: an IANA name or an offset.
    pub timezone: String,
    /// The local start, in seconds since 1970-01-01 00:00:00 local time. Does not change when the rules of the zone
    /// change.
    pub starts_local: i64,
    /// The local end, in the same unit.
    pub ends_local: i64,
    /// The offset from UTC in seconds, if the local start is ambiguous; otherwise null.
    pub starts_offset: Option<i64>,
    /// The same for the local end.
    pub ends_offset: Option<i64>,
    /// The release of the time zone rules from which the instants were derived. Empty if only the instants are known,
    /// because an older version of this program stored the event.
    pub tz_release: String,
    #[sea_orm(column_type = "Text")]
    pub cost: String,
    /// The lowest amount of the cost in hundredths, whatever the currency; null if it has none. Derived from `cost`.
    pub cost_min: Option<i64>,
    /// The highest amount.
    pub cost_max: Option<i64>,
    #[sea_orm(column_type = "Text")]
    pub website: String,
    /// A JSON object.
    #[sea_orm(column_type = "Text")]
    pub custom_fields: String,
    /// Tells to what extent the event takes place as planned: the name of an [`crate::calendar::event_status::EventStatus`].
    pub event_status: String,
    pub post_parent: Option<i64>,
    pub all_day: bool,
    pub show_map: bool,
    pub show_map_link: bool,
    pub hide_from_listings: bool,
    pub sticky: bool,
    pub featured: bool,
    pub ticketed: bool,
    /// Whether the event has a published venue with coordinates. Triggers maintain it.
    pub located: bool,
    /// The series that the event is an occurrence of.
    pub series_id: Option<i64>,
    /// The place in the rule of the series: a local time, in the unit of `starts_local`. It does not change when the
    /// event is moved. Null without a series.
    pub recurrence_id: Option<i64>,
    /// The names of the fields that the event does not share with the series, separated by commas: see
    /// [`crate::store::series::Overridden`].
    #[sea_orm(column_type = "Text")]
    pub overridden: String,
    /// The identifier in the calendar that the event was imported from; null for others.
    #[sea_orm(column_type = "Text", nullable)]
    pub uid: Option<String>,
    /// The name of another system, and the ID there; both null, or neither.
    pub external_source: Option<String>,
    pub external_id: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
