//! Moves one, some or all events of a series to the trash.

use std::sync::Arc;

use chrono::NaiveDateTime;

use super::{Scope, SeriesWrite, find_for_update, store, trash};
use crate::{
    auth::Writer,
    calendar::{Kind, status::Status},
    error::{Problem, ValidationErrors},
    services::{Writable, publishable},
    store::{
        Snapshot, Transaction,
        entity::{event, series as rows},
        publishable::Key,
        series::{self, Series, events_for_update, local_at, local_seconds},
    },
};

/// Moves an event to the trash, or also others of its series. `read` reads what was written.
pub(crate) async fn delete<V, R>(
    writer: &Writer,
    key: &Key,
    scope: Scope,
    errors: &ValidationErrors,
    read: impl Fn(Arc<Snapshot>, event::Model) -> R,
) -> Result<(event::Model, V), Problem>
where
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(Kind::Event) {
        return Err(Problem::role_may_not("delete", Kind::Event.plural()));
    }
    let trash = |transaction| trash_event(writer, transaction, key, scope, errors);
    writer.store().write_and_read(trash, read).await
}

async fn trash_event(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    scope: Scope,
    errors: &ValidationErrors,
) -> Result<event::Model, Problem> {
    event::Entity::lock_before(&transaction, Some(key), None).await?;
    series::lock_of_event(&transaction, key, scope != Scope::This).await?;
    let before = publishable::find_deletable::<event::Entity>(writer, &transaction, key).await?;
    trash_with_scope(writer, &transaction, before, scope, errors).await
}

/// Moves a locked event to the trash, or also others of its series.
pub(super) async fn trash_with_scope(
    writer: &Writer,
    transaction: &Transaction,
    before: event::Model,
    scope: Scope,
    errors: &ValidationErrors,
) -> Result<event::Model, Problem> {
    let now = writer.timestamp();
    let series = match before.series_id {
        Some(id) => Some(find_for_update(transaction, id).await?),
        None => None,
    };
    let version = match (&series, scope) {
        (Some(series), Scope::Following | Scope::All) => {
            check_may_delete(writer, series)?;
            series.row.version
        }
        _ => before.version,
    };
    writer.check_precondition(version)?;
    errors.clone().into_result()?;
    let Some(series) = series else {
        return publishable::move_to_trash::<event::Entity>(transaction, &before, now).await;
    };
    if scope == Scope::This {
        trash::exclude(transaction, &series, &before, now).await?;
        return publishable::move_to_trash::<event::Entity>(transaction, &before, now).await;
    }
    let slot = before.recurrence_id.map(local_at);
    trash_scope(&SeriesWrite::of(writer, transaction), &series, slot, scope).await?;
    super::stored_event(transaction, before.id).await
}

/// Moves all events of a series to the trash, or those from a place in the rule on.
pub(super) async fn trash_scope(
    write: &SeriesWrite<'_>,
    series: &Series,
    slot: Option<NaiveDateTime>,
    scope: Scope,
) -> Result<(), Problem> {
    let slot = slot.filter(|_| scope == Scope::Following);
    let Some((slot, (head, _))) = slot.and_then(|slot| Some((slot, series.shape.rule.split_at(slot)?))) else {
        return trash_all(write, series).await;
    };
    let mut events = events_for_update(write.transaction, series.row.id).await?;
    events.retain(|event| event.recurrence_id >= Some(local_seconds(slot)));
    trash::trash_events(write, &events).await?;
    let mut after = series.clone();
    after.shape.rule = head;
    after.row.expanded_until = None;
    store(write.transaction, series, after, write.timestamp()).await?;
    Ok(())
}

/// Moves a series with all its events to the trash.
pub(crate) async fn trash_all(write: &SeriesWrite<'_>, series: &Series) -> Result<(), Problem> {
    let events = events_for_update(write.transaction, series.row.id).await?;
    trash::trash_events(write, &events).await?;
    let now = write.timestamp();
    store(write.transaction, series, trash::trashed(series, now), now).await?;
    Ok(())
}

/// Moves a series with all its events to the trash. `read` reads what was written.
pub(crate) async fn delete_series<V, R>(
    writer: &Writer,
    id: i64,
    errors: &ValidationErrors,
    read: impl Fn(Arc<Snapshot>, rows::Model) -> R,
) -> Result<(rows::Model, V), Problem>
where
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(Kind::Event) {
        return Err(Problem::role_may_not("delete", "series"));
    }
    let trash = |transaction| trash_series(writer, transaction, id, errors);
    writer.store().write_and_read(trash, read).await
}

async fn trash_series(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: i64,
    errors: &ValidationErrors,
) -> Result<rows::Model, Problem> {
    event::Entity::lock_before(&transaction, None, None).await?;
    let series = find_for_update(&transaction, id).await?;
    if series.common_columns().status == Status::Trash {
        return Err(Problem::series_is_in_trash());
    }
    check_may_delete(writer, &series)?;
    writer.check_precondition(series.row.version)?;
    errors.clone().into_result()?;
    trash_all(&SeriesWrite::of(writer, &transaction), &series).await?;
    super::stored_series(&transaction, id).await
}

/// Fails without the permission to delete the series, which a deletion of several of its events needs, too.
fn check_may_delete(writer: &Writer, series: &Series) -> Result<(), Problem> {
    match writer.identity.may_delete(&series.common_columns()) {
        true => Ok(()),
        false => Err(Problem::role_may_not("delete", "this series")),
    }
}
