//! An API token of a user.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tokens")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub user_id: i64,
    /// Chosen by the user.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal.
    #[sea_orm(unique)]
    pub hash: String,
    pub created_at: i64,
    /// The expiry, in seconds since 1970 UTC; null if the token does not expire.
    pub expires_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
