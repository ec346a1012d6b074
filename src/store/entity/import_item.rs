//! An object of an import source, and the object that was created for it.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_items")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub source_id: i64,
    /// The name of a [`crate::calendar::Kind`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// The identifier at the source.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    pub target_id: i64,
    /// The run that created the target; null if it existed before.
    pub created_by: Option<i64>,
    /// The last run in which the source had the object.
    pub seen_by: i64,
    /// SHA-256 of the object at the source, in hexadecimal.
    pub digest: String,
    /// SHA-256 of the target as it was stored, in hexadecimal.
    pub stored: String,
    /// Whether an import moved the target to the trash, because the object was gone.
    pub is_gone: bool,
}

impl ActiveModelBehavior for ActiveModel {}
