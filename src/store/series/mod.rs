//! Series: what their events share, and the statements that write many events at once.

mod fields;
pub(crate) mod horizon;
mod links;
mod shape;
mod stored;
mod updates;

use chrono::NaiveDateTime;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LockType, Query},
};

pub(crate) use self::{
    fields::{MAX_TEXTS, Overridden, SharedField, SharedFields},
    links::{insert_links, is_located},
    shape::{Expansion, Shape},
    stored::{Series, TEMPLATE},
    updates::{NewTargets, replace_links, touch_events, update_events},
};
pub(crate) use super::event_times::local_at;
use super::{
    Transaction,
    entity::{event, series},
    locks,
    publishable::{Key, has_key, not_in_trash},
    read_connection::ReadConnection,
    rows,
    write_connection::WriteConnection,
};
use crate::calendar::status::Status;

/// The stored form of a local time.
pub(crate) fn local_seconds(local: NaiveDateTime) -> i64 {
    local.and_utc().timestamp()
}

/// Finds a series.
pub(crate) async fn find(database: &impl ReadConnection, id: i64) -> Result<Option<series::Model>, DbErr> {
    Ok(find_all(database, &[id]).await?.pop())
}

/// Finds the series with these IDs, in no particular order.
pub(crate) async fn find_all(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<series::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = series::Entity::find().filter(series::Column::Id.is_in(ids.iter().copied()));
    database.models(found).await
}

/// Finds a series for a write. On PostgreSQL its row stays locked until the transaction ends.
pub(crate) async fn find_for_update(
    transaction: &impl ReadConnection,
    id: i64,
) -> Result<Option<series::Model>, DbErr> {
    transaction
        .model(series::Entity::find_by_id(id).lock(LockType::NoKeyUpdate))
        .await
}

/// Locks the series of an event, if it has one, before the row of the event is locked (see [`locks`]).
/// With `has_events`, locks the rows of all its events, too.
pub(crate) async fn lock_of_event(transaction: &Transaction, key: &Key, has_events: bool) -> Result<(), DbErr> {
    if !locks::is_postgres(transaction) {
        return Ok(());
    }
    let events = event::Entity::find()
        .select_only()
        .column(event::Column::SeriesId)
        .filter(has_key::<event::Entity>(key));
    let locked = transaction
        .first_selected::<i64, _>(
            series::Entity::find()
                .select_only()
                .column(series::Column::Id)
                .filter(series::Column::Id.in_subquery(events.into_query()))
                .lock(LockType::NoKeyUpdate),
        )
        .await?;
    match locked.filter(|_| has_events) {
        Some(series) => lock_events(transaction, series).await,
        None => Ok(()),
    }
}

/// Locks the rows of all events of a series, in the order of their IDs.
pub(crate) async fn lock_events(transaction: &Transaction, series: i64) -> Result<(), DbErr> {
    if !locks::is_postgres(transaction) {
        return Ok(());
    }
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::SeriesId.eq(series))
        .order_by_asc(event::Column::Id)
        .lock(LockType::NoKeyUpdate);
    transaction.selected::<i64, _>(select).await?;
    Ok(())
}

/// Finds the events of a series, in the trash or not, ordered by ID. On PostgreSQL their rows stay locked until the
/// transaction ends.
pub(crate) async fn events_for_update(
    transaction: &impl ReadConnection,
    series: i64,
) -> Result<Vec<event::Model>, DbErr> {
    let select = event::Entity::find()
        .filter(event::Column::SeriesId.eq(series))
        .order_by_asc(event::Column::Id)
        .lock(LockType::NoKeyUpdate);
    transaction.models(select).await
}

/// Finds the events of a series outside the trash that override fields, in the order of their places.
pub(crate) async fn overriding_events(database: &impl ReadConnection, series: i64) -> Result<Vec<event::Model>, DbErr> {
    let found = event::Entity::find()
        .filter(event::Column::SeriesId.eq(series))
        .filter(event::Column::Overridden.ne(""))
        .filter(not_in_trash())
        .order_by_asc(event::Column::RecurrenceId);
    database.models(found).await
}

/// Inserts a series. Returns it with its ID.
pub(crate) async fn insert(transaction: &impl WriteConnection, row: series::Model) -> Result<series::Model, DbErr> {
    use sea_orm::IntoActiveModel;
    let row = rows::new_row(row.into_active_model());
    transaction.insert_row(row).await
}

/// Writes the changed columns of a series, sets its modification time and increments its version. Without a change,
/// nothing is written.
pub(crate) async fn update(
    transaction: &impl WriteConnection,
    before: &series::Model,
    after: series::Model,
    now: i64,
) -> Result<series::Model, DbErr> {
    use sea_orm::IntoActiveModel;
    if *before == after {
        return Ok(after);
    }
    let after = series::Model {
        version: before.version + 1,
        modified_at: now,
        ..after
    };
    transaction
        .update_row(rows::difference(
            before.clone().into_active_model(),
            after.into_active_model(),
        ))
        .await
}

/// Moves the events of a series, from a place in its rule on, to another series.
pub(crate) async fn move_events(
    transaction: &impl WriteConnection,
    from: i64,
    slot: NaiveDateTime,
    to: i64,
) -> Result<(), DbErr> {
    let update = event::Entity::update_many()
        .col_expr(event::Column::SeriesId, Expr::val(to))
        .filter(event::Column::SeriesId.eq(from))
        .filter(event::Column::RecurrenceId.gte(local_seconds(slot)));
    transaction.run(update).await?;
    Ok(())
}

/// Removes events from their series, sets their modification time and increments their versions.
pub(crate) async fn detach(transaction: &impl WriteConnection, events: &[i64], now: i64) -> Result<(), DbErr> {
    if events.is_empty() {
        return Ok(());
    }
    let update = event::Entity::update_many()
        .col_expr(event::Column::SeriesId, Expr::val(None::<i64>))
        .col_expr(event::Column::RecurrenceId, Expr::val(None::<i64>))
        .col_expr(event::Column::Overridden, Expr::val(""))
        .col_expr(event::Column::Version, Expr::col(event::Column::Version).add(1))
        .col_expr(event::Column::ModifiedAt, Expr::val(now))
        .filter(event::Column::Id.is_in(events.iter().copied()));
    transaction.run(update).await?;
    Ok(())
}

/// Finds the IDs of the series outside the trash whose events do not reach the local time yet.
pub(crate) async fn expanded_before(database: &impl ReadConnection, until: i64) -> Result<Vec<i64>, DbErr> {
    let ids = Query::select()
        .column(series::Column::Id)
        .from(series::Entity)
        .and_where(Expr::col(series::Column::ExpandedUntil).lt(until))
        .and_where(Expr::col(series::Column::ExpandedUntil).is_not_null())
        // Must be a literal to match the predicate of the index.
        .and_where(not_in_trash())
        .order_by(series::Column::Id, sea_orm::Order::Asc)
        .to_owned();
    let ids: Vec<[i64; 1]> = database.rows(&ids).await?;
    Ok(ids.into_iter().flatten().collect())
}

/// Deletes those of the series in the trash that have no events any more. Returns their number.
pub(crate) async fn delete_empty(transaction: &impl WriteConnection) -> Result<u64, DbErr> {
    let events = Query::select()
        .expr(Expr::val(1))
        .from(event::Entity)
        .and_where(Expr::col((event::Entity, event::Column::SeriesId)).equals((series::Entity, series::Column::Id)))
        .to_owned();
    let delete = series::Entity::delete_many()
        .filter(series::Column::Status.eq(Status::Trash.as_str()))
        .filter(Expr::exists(events).not());
    transaction.run(delete).await
}
