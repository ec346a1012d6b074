//! A tag of events.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tags")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Incremented by each write. The first part of the ETag.
    pub version: i64,
    /// The last write, in seconds since 1970 UTC; 0 if that was before this column existed.
    pub modified_at: i64,
    /// Plain text.
    #[sea_orm(column_type = "Text")]
    pub name: String,
    /// The folded name, for comparison: see [`crate::calendar::text::fold`].
    #[sea_orm(column_type = "Text")]
    pub name_key: String,
    #[sea_orm(unique)]
    pub slug: String,
    /// Sanitised HTML.
    #[sea_orm(column_type = "Text")]
    pub description: String,
    /// The text that searches match, folded.
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
}

impl ActiveModelBehavior for ActiveModel {}
