//! The number of events that start in each bucket of 2^18 seconds, for each combination of the columns that lists filter
//! by. Triggers maintain it.
//!
//! On PostgreSQL the columns are not unique: the count of a bucket is the sum of its rows.

use sea_orm::{entity::prelude::*, sea_query::Expr};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_time_buckets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub status: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub hide_from_listings: bool,
    /// The start in seconds since 1970 UTC, without its lower 18 bits.
    #[sea_orm(primary_key, auto_increment = false)]
    pub time_bucket: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub featured: bool,
    #[sea_orm(primary_key, auto_increment = false)]
    pub ticketed: bool,
    #[sea_orm(primary_key, auto_increment = false)]
    pub located: bool,
    pub event_count: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The number of lower bits of a start that its bucket omits.
pub const BITS: u32 = 18;

/// The bucket of a row of events.
pub fn of_start() -> Expr {
    Expr::cust(format!("starts_at >> {BITS}"))
}
