//! An attempt to send a message to a webhook.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub webhook_id: i64,
    /// The same for all attempts to send the same message.
    pub message_id: String,
    pub message_type: String,
    /// Null for tests.
    pub object_id: Option<i64>,
    #[sea_orm(column_type = "Text")]
    pub body: String,
    /// From 1.
    pub attempt: i64,
    pub is_success: bool,
    /// Null without a response.
    pub response_status: Option<i64>,
    /// The beginning of the response.
    #[sea_orm(column_type = "Text")]
    pub response_body: String,
    /// Why there is no response.
    pub error: Option<String>,
    pub duration_ms: i64,
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
