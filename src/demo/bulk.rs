//! Inserts many rows with few statements.

use std::ops::Range;

use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, Iterable, PrimaryKeyTrait,
};

use crate::store::{Store, Transaction, rows};

/// The maximum number of parameters per statement. SQLite allows 32,766, PostgreSQL 65,535.
pub(super) const MAX_PARAMETERS: usize = 32_000;

/// Begins a transaction that prevents concurrent inserts, so that the IDs of inserted rows are consecutive. SQLite has
/// only one writer anyway.
pub(super) async fn begin(store: &Store) -> Result<Transaction, DbErr> {
    let transaction = store.begin().await?;
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(
                // A concurrent load may hold the locks for long.
                "SET LOCAL lock_timeout = 0; \
                 LOCK TABLE images, categories, tags, venues, organizers, events \
                 IN SHARE ROW EXCLUSIVE MODE",
            )
            .await?;
    }
    Ok(transaction)
}

/// Inserts the rows and returns their IDs, in the order of the rows. The transaction must be from [`begin`].
pub(super) async fn insert<E>(transaction: &Transaction, rows: Vec<E::Model>) -> Result<Range<i64>, DbErr>
where
    E: EntityTrait<
            PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
            Model: IntoActiveModel<E::ActiveModel>,
            ActiveModel: ActiveModelTrait<Entity = E>,
        >,
{
    let mut ids = 0..0;
    for chunk in split_by_parameter_limit::<E, _>(rows) {
        let count = chunk.len() as i64;
        let rows = chunk.into_iter().map(|row| rows::new_row(row.into_active_model()));
        let inserted = E::insert_many(rows).exec(transaction).await?;
        let last = inserted.last_insert_id.ok_or(DbErr::RecordNotInserted)?;
        if ids.is_empty() {
            ids.start = last + 1 - count;
        }
        ids.end = last + 1;
    }
    Ok(ids)
}

/// Splits the rows into chunks within [`MAX_PARAMETERS`].
fn split_by_parameter_limit<E: EntityTrait, R>(rows: Vec<R>) -> impl Iterator<Item = Vec<R>> {
    let max_rows = MAX_PARAMETERS / E::Column::iter().count();
    let mut rows = rows.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<R> = rows.by_ref().take(max_rows).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}
