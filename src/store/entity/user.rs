//! A user account.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    #[sea_orm(unique)]
    pub name: String,
    /// The name of an [`crate::auth::Role`].
    pub role: String,
    /// SHA-256 of the application password, in hexadecimal.
    pub password_hash: String,
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
