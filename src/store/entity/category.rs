//! A category of events, in a tree.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "categories")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Raised by each write; the first part of the item's ETag.
    pub version: i64,
    /// Plain text.
    #[sea_orm(column_type = "Text")]
    pub name: String,
    /// The name as it is compared: see [`crate::calendar::text::fold`].
    #[sea_orm(column_type = "Text")]
    pub name_key: String,
    #[sea_orm(unique)]
    pub slug: String,
    /// Sanitised HTML.
    #[sea_orm(column_type = "Text")]
    pub description: String,
    /// What a search looks through, folded.
    #[sea_orm(column_type = "Text")]
    pub search_text: String,
    /// The category above it, or 0.
    pub parent: i64,
}

impl ActiveModelBehavior for ActiveModel {}
