//! An endpoint of another program that learns of changes.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhooks")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub version: i64,
    pub url: String,
    pub description: String,
    /// Names of kinds of objects, separated by commas.
    pub kinds: String,
    pub include_unpublished: bool,
    pub secret: String,
    /// Signs, too, until it expires.
    pub previous_secret: Option<String>,
    pub previous_secret_expires_at: Option<i64>,
    /// Null for an endpoint that receives messages.
    pub disabled_reason: Option<String>,
    /// The token up to which the endpoint has received changes.
    pub cursor: String,
    /// The number of failures since the last success.
    pub failures: i64,
    pub failing_since: Option<i64>,
    pub next_attempt_at: i64,
    /// Until when a server is the only one that sends, in milliseconds since 1970 UTC.
    pub leased_until: i64,
    pub created_at: i64,
    pub modified_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
