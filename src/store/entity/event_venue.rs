//! Which venues an event has.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_venues")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_id: i64,
    /// Its place in the order in which they were given.
    pub position: i64,
}

impl ActiveModelBehavior for ActiveModel {}
