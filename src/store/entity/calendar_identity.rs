//! The identity of the calendar: one row, which never changes.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "calendar_identity")]
pub struct Model {
    /// Always 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Generated with the table. Part of the identifiers of events in feeds, which therefore survive a new host name.
    pub uuid: String,
}

impl ActiveModelBehavior for ActiveModel {}
