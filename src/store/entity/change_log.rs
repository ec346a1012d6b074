//! Changes of rows that responses show, written by triggers. Only the latest are kept.
//!
//! On PostgreSQL a row also has `transaction_id`, of a type that SeaORM lacks (`xid8`), with a default.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_log")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    /// The event, if only its texts have changed; otherwise null.
    pub event_id: Option<i64>,
    /// When it was written, in seconds since 1970 UTC. It becomes visible a little later, with its transaction.
    pub changed_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
