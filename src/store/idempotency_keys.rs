//! Requests with the header `Idempotency-Key`, whose responses are repeated.

use std::time::Duration;

use chrono::Utc;
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, sea_query::OnConflict};
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
    store
        .write(|transaction| async move {
            let expired = Entity::delete_many().filter(Column::CreatedAt.lte(now - LIFETIME));
            transaction.run(expired).await
        })
        .await
}
