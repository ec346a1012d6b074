//! What calendars are imported from.

use sea_orm::{
    ActiveValue::{NotSet, Set, Unchanged},
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, OnConflict},
};

use crate::store::{entity::import_source, read_connection::ReadConnection, write_connection::WriteConnection};

/// Finds the source with this address, or creates it, and sets its options.
pub(crate) async fn save_source(
    transaction: &impl WriteConnection,
    format: &str,
    address: &str,
    options: &str,
) -> Result<import_source::Model, DbErr> {
    let new = import_source::ActiveModel {
        id: NotSet,
        format: Set(format.to_owned()),
        address: Set(address.to_owned()),
        options: Set(options.to_owned()),
        every_seconds: NotSet,
        next_at: NotSet,
        etag: NotSet,
        last_modified: NotSet,
        succeeded_at: NotSet,
        failure: NotSet,
    };
    let same_address = OnConflict::columns([import_source::Column::Format, import_source::Column::Address])
        .update_column(import_source::Column::Options)
        .to_owned();
    let stored = transaction
        .insert_all(import_source::Entity::insert(new).on_conflict(same_address))
        .await?;
    let stored = stored.into_iter().next();
    stored.ok_or_else(|| DbErr::RecordNotFound(format!("import source {address}")))
}

/// Finds the source with this ID.
pub(crate) async fn source(database: &impl ReadConnection, id: i64) -> Result<Option<import_source::Model>, DbErr> {
    database.model(import_source::Entity::find_by_id(id)).await
}

/// Reads all sources, sorted by ID.
pub(crate) async fn sources(database: &impl ReadConnection) -> Result<Vec<import_source::Model>, DbErr> {
    database
        .models(import_source::Entity::find().order_by_asc(import_source::Column::Id))
        .await
}

/// Sets the interval at which servers import the source again.
pub(crate) async fn set_interval(
    transaction: &impl WriteConnection,
    id: i64,
    every_seconds: Option<i64>,
    next_at: Option<i64>,
) -> Result<(), DbErr> {
    transaction
        .update_row(import_source::ActiveModel {
            id: Unchanged(id),
            every_seconds: Set(every_seconds),
            next_at: Set(next_at),
            ..Default::default()
        })
        .await?;
    Ok(())
}

/// Lets servers import no source again.
pub(crate) async fn remove_intervals(transaction: &impl WriteConnection) -> Result<(), DbErr> {
    let update = import_source::Entity::update_many()
        .col_expr(import_source::Column::EverySeconds, Expr::value(None::<i64>))
        .col_expr(import_source::Column::NextAt, Expr::value(None::<i64>))
        .filter(import_source::Column::EverySeconds.is_not_null());
    transaction.run(update).await?;
    Ok(())
}

/// The sources that are due.
pub(crate) async fn due(database: &impl ReadConnection, now: i64) -> Result<Vec<import_source::Model>, DbErr> {
    let select = import_source::Entity::find()
        .filter(import_source::Column::EverySeconds.is_not_null())
        .filter(import_source::Column::NextAt.lte(now))
        .order_by_asc(import_source::Column::NextAt);
    database.models(select).await
}

/// Postpones a source that is due, so that only one of several servers imports it. Returns whether this one does.
pub(crate) async fn claim(
    transaction: &impl WriteConnection,
    source: &import_source::Model,
    next_at: i64,
) -> Result<bool, DbErr> {
    let update = import_source::Entity::update_many()
        .col_expr(import_source::Column::NextAt, Expr::value(next_at))
        .filter(import_source::Column::Id.eq(source.id))
        .filter(import_source::Column::NextAt.eq(source.next_at));
    let claimed = transaction.run(update).await?;
    Ok(claimed > 0)
}

/// The outcome of an attempt to import a source.
#[derive(Clone, Debug)]
pub(crate) enum Attempt {
    /// The response had these validators.
    Response {
        etag: Option<String>,
        last_modified: Option<String>,
    },
    /// All was read, or nothing has changed since the last success.
    Complete,
    /// The reason.
    Failure(String),
}

/// Stores the outcome of an attempt.
pub(crate) async fn note_attempt(
    transaction: &impl WriteConnection,
    id: i64,
    attempt: Attempt,
    now: i64,
) -> Result<(), DbErr> {
    let mut row = import_source::ActiveModel {
        id: Unchanged(id),
        ..Default::default()
    };
    match attempt {
        Attempt::Response { etag, last_modified } => {
            row.etag = Set(etag);
            row.last_modified = Set(last_modified);
            row.succeeded_at = Set(Some(now));
            row.failure = Set(None);
        }
        Attempt::Complete => {
            row.succeeded_at = Set(Some(now));
            row.failure = Set(None);
        }
        Attempt::Failure(reason) => row.failure = Set(Some(reason)),
    }
    transaction.update_row(row).await?;
    Ok(())
}

/// Removes a source with its runs and items. The imported objects stay.
pub(crate) async fn remove_source(transaction: &impl WriteConnection, id: i64) -> Result<bool, DbErr> {
    let deleted = transaction.run(import_source::Entity::delete_by_id(id)).await?;
    Ok(deleted > 0)
}
