//! The state of a database's schema.

use sea_orm::{ConnectionTrait, DbErr, Statement};
use sea_orm_migration::{IntoSchemaManagerConnection, SchemaManager};
use thiserror::Error;

use crate::migrations::SchemaState;

/// The names of the steps that were applied.
pub(super) const APPLIED_STEPS: &str = "SELECT version FROM migrations ORDER BY version";

/// Why this version can't use a database's schema, and what to do.
#[derive(Debug, Error)]
pub enum SchemaError {
    #[error(
        "was written by a newer version of Almanac (its schema has the step {0}); start that version, or restore a \
         backup from before the upgrade"
    )]
    Newer(String),
    #[error(
        "has a schema that is too old for this version of Almanac (it lacks the step {0}); run `almanac migrate` of \
         the previous release first"
    )]
    TooOld(&'static str),
    #[error(
        "was written by an unreleased version of Almanac (its schema has the step {0}); start that version, or restore \
         a backup of a release"
    )]
    Diverged(String),
    #[error("belongs to another program (its schema has the step {0}); name another one with --database-url")]
    Foreign(String),
}

/// Whether this version can use a schema or upgrade it.
pub(super) fn check(state: &SchemaState) -> Result<(), SchemaError> {
    match state {
        SchemaState::Empty | SchemaState::Current | SchemaState::Outdated => Ok(()),
        SchemaState::Squashed(step) => Err(SchemaError::TooOld(step)),
        SchemaState::Newer(step) => Err(SchemaError::Newer(step.clone())),
        SchemaState::Diverged(step) => Err(SchemaError::Diverged(step.clone())),
        SchemaState::Foreign(step) => Err(SchemaError::Foreign(step.clone())),
    }
}

/// The state of a database's schema.
pub(super) async fn state<'c>(database: impl IntoSchemaManagerConnection<'c>) -> Result<SchemaState, DbErr> {
    let manager = SchemaManager::new(database);
    if !manager.has_table("migrations").await? {
        return Ok(SchemaState::Empty);
    }
    Ok(SchemaState::of(&applied(manager.get_connection()).await?))
}

/// The names of the steps that were applied to a database that has the table of migrations.
pub(super) async fn applied(database: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let applied = Statement::from_string(database.get_database_backend(), APPLIED_STEPS);
    let rows = database.query_all_raw(applied).await?;
    rows.iter().map(|row| row.try_get_by(0)).collect()
}
