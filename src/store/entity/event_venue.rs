//! Links from events to venues.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_venues")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_id: i64,
    /// The position among the links of the event.
    pub position: i64,
    // Copies of the event's columns that lists filter by, maintained by triggers. `published_at` is null unless the
    // event is published.
    pub starts_at: i64,
    pub ends_at: i64,
    pub published_at: Option<i64>,
    pub hide_from_listings: bool,
    pub featured: bool,
    pub ticketed: bool,
    pub located: bool,
}

impl ActiveModelBehavior for ActiveModel {}
