//! Requests with the header `Idempotency-Key`, whose responses are repeated.

use std::time::Duration;

use chrono::Utc;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, Statement, sea_query::OnConflict,
};
use tokio::time::sleep;

use super::{
    Store,
    entity::idempotency_key::{ActiveModel, Column, Entity, Model},
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};

/// How long responses are kept, in seconds.
pub const LIFETIME: i64 = 24 * 60 * 60;
/// How often to delete expired ones.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Rows per transaction, to limit how long other writers wait.
const BATCH: i64 = 200;

/// Finds the request of this user with this key, unless it has expired. `now` is in seconds since 1970 UTC.
pub async fn find(database: &impl ReadConnection, user: i64, name: &str, now: i64) -> Result<Option<Model>, DbErr> {
    database
        .model(Entity::find_by_id((user, name.to_owned())).filter(Column::CreatedAt.gt(now - LIFETIME)))
        .await
}

/// Stores a request with its response, in place of an expired one with the same key.
pub async fn insert(transaction: &impl WriteConnection, row: Model) -> Result<(), DbErr> {
    let replace = OnConflict::columns([Column::UserId, Column::Name])
        .update_columns([
            Column::Fingerprint,
            Column::Status,
            Column::Headers,
            Column::Body,
            Column::CreatedAt,
        ])
        .to_owned();
    let row: ActiveModel = row.into_active_model().reset_all();
    transaction.run(Entity::insert(row).on_conflict(replace)).await?;
    Ok(())
}

/// Deletes expired requests at intervals, until it is aborted.
pub(crate) async fn run(store: Store) {
    loop {
        if let Err(error) = remove_expired(&store, Utc::now().timestamp()).await {
            tracing::warn!(%error, "can't delete expired idempotency keys; retrying in an hour");
        }
        sleep(INTERVAL).await;
    }
}

/// Deletes the requests that have expired at `now`, in seconds since 1970 UTC. Returns their number.
pub async fn remove_expired(store: &Store, now: i64) -> Result<u64, DbErr> {
    // A key may have been used again since the subquery has found it.
    let delete = "DELETE FROM idempotency_keys WHERE (user_id, name) IN (\
        SELECT user_id, name FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2\
        ) AND created_at <= $1";
    let values = [(now - LIFETIME).into(), BATCH.into()];
    let delete = Statement::from_sql_and_values(store.reader().backend(), delete, values);
    let mut removed = 0;
    loop {
        let batch = store
            .write(|transaction| {
                let delete = delete.clone();
                async move { transaction.execute_raw(delete).await }
            })
            .await?;
        removed += batch;
        if batch < BATCH.unsigned_abs() {
            return Ok(removed);
        }
    }
}
