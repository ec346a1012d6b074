//! Each category with itself and all its ancestors. Triggers maintain it.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "category_closure")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub category_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub ancestor_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
