//! Brings the schema of a database up to date, or checks it.

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};

use super::OpenError;
use crate::{
    migrations::{self, SchemaState},
    store::{
        Store,
        schema::{self, SchemaError},
    },
};

/// The advisory lock of migrations on PostgreSQL: "alma" in ASCII.
const MIGRATION_LOCK: i64 = 0x616c_6d61;

/// Migrates the store or checks its schema.
pub(super) async fn with_current_schema(store: Store, migrate: bool) -> Result<Store, OpenError> {
    let database = store.writer.database();
    match schema::state(database).await.map_err(OpenError::Connect)? {
        SchemaState::Empty | SchemaState::Outdated if migrate => migrate_to_current(database).await?,
        state => check_current(&state)?,
    }
    Ok(store)
}

pub(super) fn check_current(state: &SchemaState) -> Result<(), OpenError> {
    schema::check(state)?;
    match state {
        SchemaState::Current => Ok(()),
        SchemaState::Empty => Err(OpenError::NoSchema),
        _ => Err(OpenError::OldSchema),
    }
}

/// Whether all migrations have run, and no others.
pub(crate) async fn is_schema_current(database: &DatabaseConnection) -> Result<bool, DbErr> {
    Ok(schema::state(database).await? == SchemaState::Current)
}

/// The names of the steps that were applied to a database.
pub(crate) async fn applied_steps(database: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    schema::applied(database).await
}

/// Whether this version can use a schema to which these steps were applied, or upgrade it.
pub(crate) fn check_steps(steps: &[String]) -> Result<(), SchemaError> {
    schema::check(&SchemaState::of(steps))
}

/// Applies the pending steps in one transaction. Another server may have applied them in the meantime.
async fn migrate_to_current(database: &DatabaseConnection) -> Result<(), OpenError> {
    let transaction = begin_migration(database).await.map_err(OpenError::Migrate)?;
    let state = schema::state(&transaction).await.map_err(OpenError::Migrate)?;
    schema::check(&state)?;
    if state == SchemaState::Current {
        return Ok(());
    }
    migrations::migrate(&transaction).await.map_err(OpenError::Migrate)?;
    transaction.commit().await.map_err(OpenError::Migrate)
}

/// Begins a transaction that excludes other migrations.
async fn begin_migration(database: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        // A deferred transaction that has read can't write any more once another one has written.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = database.begin_with_options(options).await?;
    if database.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(&format!(
                "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"
            ))
            .await?;
    }
    Ok(transaction)
}
