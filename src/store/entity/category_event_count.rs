//! The number of published, listed events of each category. Triggers maintain it.
//!
//! On PostgreSQL the ID is not unique: the count of a category is the sum of its rows.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "category_event_counts")]
pub struct Model {
    /// The category.
    #[sea_orm(primary_key, auto_increment = false)]
    pub target_id: i64,
    pub event_count: i64,
}

impl ActiveModelBehavior for ActiveModel {}
