//! A series of events.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "series")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Incremented by each write. The first part of the ETag.
    pub version: i64,
    /// The status of new events, or `trash`.
    pub status: String,
    /// The status before the move to the trash; null outside the trash.
    pub trashed_status: Option<String>,
    /// The time of the move to the trash, in seconds since 1970 UTC; null outside the trash.
    pub trashed_at: Option<i64>,
    /// The publication date, in seconds since 1970 UTC.
    pub published_at: i64,
    /// The last write, in seconds since 1970 UTC.
    pub modified_at: i64,
    pub author_id: Option<i64>,
    /// The identifier in the calendar that the series was imported from; null for others.
    #[sea_orm(column_type = "Text", nullable)]
    pub uid: Option<String>,
    /// The time zone of the local times: an IANA name or an offset.
    pub timezone: String,
    /// The local start of the rule, in seconds since 1970-01-01 00:00:00 local time.
    pub starts_local: i64,
    /// The duration of each event: seconds, or days if it lasts all day.
    pub duration: i64,
    pub all_day: bool,
    /// The lines RRULE, RDATE and EXDATE (RFC 5545), in local times.
    #[sea_orm(column_type = "Text")]
    pub recurrence: String,
    /// The local time up to which events exist, in the unit of `starts_local`; null if the rule has an end, and all its
    /// events exist.
    pub expanded_until: Option<i64>,
    /// The fields that the events share: [`crate::store::series::SharedFields`] as JSON.
    #[sea_orm(column_type = "Text")]
    pub fields: String,
}

impl ActiveModelBehavior for ActiveModel {}
