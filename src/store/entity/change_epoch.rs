//! The histories of the database, to which positions in the order of changes belong.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_epochs")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub uuid: String,
    /// On SQLite, the last number of `object_changes` when the history began.
    pub first_number: i64,
    /// In seconds since 1970 UTC.
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
