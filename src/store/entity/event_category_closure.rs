//! The categories of events with all their ancestors, once each. Triggers maintain it.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_category_closure")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    /// The category.
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_id: i64,
    // Copies of the event's columns, as in event_category.
    pub starts_at: i64,
    pub ends_at: i64,
    pub published_at: Option<i64>,
    pub hide_from_listings: bool,
    pub featured: bool,
    pub ticketed: bool,
    pub located: bool,
}

impl ActiveModelBehavior for ActiveModel {}
