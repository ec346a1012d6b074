//! A run of an import.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_runs")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub source_id: i64,
    /// One of `running`, `complete`, `undone`. A running one continues at its checkpoint.
    pub state: String,
    /// A JSON object: how far the run has come.
    #[sea_orm(column_type = "Text")]
    pub checkpoint: String,
    /// Seconds since 1970 UTC.
    pub started_at: i64,
    /// Seconds since 1970 UTC.
    pub finished_at: Option<i64>,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    /// The number of objects that were changed here, and were therefore not updated.
    pub kept: i64,
}

impl ActiveModelBehavior for ActiveModel {}
