//! A place that calendars are imported from.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_sources")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The name of an [`crate::import::Format`].
    pub format: String,
    /// A URL, or the name of a kind of files.
    #[sea_orm(column_type = "Text")]
    pub address: String,
    /// A JSON object: how to import it.
    #[sea_orm(column_type = "Text")]
    pub options: String,
    /// The interval at which servers import it again; null if they do not.
    pub every_seconds: Option<i64>,
    /// When servers import it again, in seconds since 1970 UTC.
    pub next_at: Option<i64>,
    /// The entity tag of the last complete response.
    #[sea_orm(column_type = "Text", nullable)]
    pub etag: Option<String>,
    /// The header `Last-Modified` of the last complete response.
    #[sea_orm(column_type = "Text", nullable)]
    pub last_modified: Option<String>,
    /// The end of the last successful attempt, in seconds since 1970 UTC.
    pub succeeded_at: Option<i64>,
    /// Why the last attempt has failed; null after a success.
    #[sea_orm(column_type = "Text", nullable)]
    pub failure: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
