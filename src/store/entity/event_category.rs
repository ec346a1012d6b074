//! Which categories an event has.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_categories")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_id: i64,
    /// Its place in the order in which they were given.
    pub position: i64,
    // What decides which lists the event is in, kept by the database as the event has it. Only what is published
    // has a publication here.
    pub starts_at: i64,
    pub ends_at: i64,
    pub published_at: Option<i64>,
    pub hide_from_listings: bool,
    pub featured: bool,
    pub ticketed: bool,
    pub located: bool,
}

impl ActiveModelBehavior for ActiveModel {}
