//! A request with the header `Idempotency-Key`, and its response.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// The key, which the client has chosen.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// SHA-256 of the request, in hexadecimal.
    pub fingerprint: String,
    /// The HTTP status of the response.
    pub status: i64,
    /// The headers of the response: a JSON array of pairs of names and values.
    #[sea_orm(column_type = "Text")]
    pub headers: String,
    pub body: Vec<u8>,
    /// In seconds since 1970 UTC.
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
