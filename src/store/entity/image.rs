//! An image, identified by its URL.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "images")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    #[sea_orm(unique, column_type = "Text")]
    pub url: String,
    /// In pixels; null if unknown.
    pub width: Option<i64>,
    /// In pixels; null if unknown.
    pub height: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
