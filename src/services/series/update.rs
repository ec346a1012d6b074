//! Updates one, some or all events of a series, by an event or by the series.

use std::sync::Arc;

use super::{
    EventPayload, RecurringPayload, Scope,
    change::change_series,
    create::{NewSeries, written_start},
    find_for_update, occurrence, stored_event, stored_series,
};
use crate::{
    auth::Writer,
    calendar::{Kind, status::Status},
    error::{FieldError, Problem, ValidationErrors},
    extract::{Payload, Update},
    services::{Validated, Writable, WriteContext, publication, publishable},
    store::{
        Snapshot, Transaction,
        entity::{event, series as rows},
        publishable::{Key, PublishableRow},
        series::{self, Series},
    },
};

/// Updates the given fields of an event, or also of others of its series. `read` reads what was written.
pub(crate) async fn update<V, R>(
    writer: &Writer,
    key: &Key,
    scope: Scope,
    query_errors: &ValidationErrors,
    body: Update<EventPayload>,
    read: impl Fn(Arc<Snapshot>, event::Model) -> R,
) -> Result<(event::Model, V), Problem>
where
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(Kind::Event) {
        return Err(Problem::role_may_not("change", Kind::Event.plural()));
    }
    let mut payload = body.read().await;
    if let Ok((_, errors)) = &mut payload {
        errors.extend(query_errors);
    }
    let change = |transaction| change(writer, transaction, key, scope, payload.clone());
    writer.store().write_and_read(change, read).await
}

/// Reports a missing object or permission before validation errors.
pub(crate) async fn change(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    scope: Scope,
    mut payload: Result<Validated<EventPayload>, Problem>,
) -> Result<event::Model, Problem> {
    if let Ok((payload, _)) = &mut payload {
        event::Entity::lock_before(&transaction, Some(key), Some(&*payload)).await?;
        // Other changes of one event do not concern its series.
        let parts = event::Entity::parts(payload);
        let concerns_series = parts.status.value().is_some() || !parts.recurrence.is_undefined();
        if scope != Scope::This || concerns_series {
            series::lock_of_event(&transaction, key, scope != Scope::This).await?;
        }
    }
    let before = publishable::find_writable::<event::Entity>(writer, &transaction, key).await?;
    let series = match (before.series_id, scope) {
        (Some(id), Scope::Following | Scope::All) => Some(find_editable(writer, &transaction, id).await?),
        _ => None,
    };
    let version = series.as_ref().map_or(before.version, |series| series.row.version);
    writer.check_precondition(version)?;
    let (payload, errors) = payload?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    let id = before.id;
    match series {
        Some(series) => {
            // In a box, like the others below: the futures of all three would not fit on the stack of a thread.
            Box::pin(change_series(&mut context, series, Some(before), scope, payload)).await?;
            stored_event(&transaction, id).await
        }
        None if before.series_id.is_some() => Box::pin(occurrence::change(&mut context, before, payload)).await,
        None => Box::pin(change_single(&mut context, before, payload)).await,
    }
}

/// Changes an event without a series, which a rule turns into the first one of a series.
pub(super) async fn change_single(
    context: &mut WriteContext<'_>,
    before: event::Model,
    mut payload: EventPayload,
) -> Result<event::Model, Problem> {
    let parts = event::Entity::parts(&mut payload);
    let lines = std::mem::take(parts.recurrence);
    let written = written_start(parts.start_date);
    let mut after = before.clone();
    let links = event::Entity::apply(context, &mut after, payload).await?;
    let new = match lines.value() {
        Some(_) if after.is_in_trash() => {
            let message = "can't be set for an event in the trash; restore it by its status";
            context.errors.add("recurrence", FieldError::invalid(message));
            None
        }
        Some(lines) => NewSeries::of(context, &after, &links, written, lines).await?,
        None => None,
    };
    context.check()?;
    let has_new_links = event::Entity::save_links(context, &before, links).await?;
    if let Some(new) = new {
        new.store(context.transaction, &mut after).await?;
    }
    if !has_new_links && before == after {
        return Ok(before);
    }
    publication::update::<event::Entity>(context.transaction, &before, after, context.caller.timestamp()).await
}

/// Updates the given fields of a series, and of its events. `read` reads what was written.
pub(crate) async fn update_series<P, V, R>(
    writer: &Writer,
    id: i64,
    body: Update<P>,
    into_event: impl Fn(P) -> EventPayload,
    read: impl Fn(Arc<Snapshot>, rows::Model) -> R,
) -> Result<(rows::Model, V), Problem>
where
    P: Payload,
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(Kind::Event) {
        return Err(Problem::role_may_not("change", "series"));
    }
    let payload = body.read().await.map(|(payload, errors)| (into_event(payload), errors));
    let change = |transaction| change_by_id(writer, transaction, id, payload.clone());
    writer.store().write_and_read(change, read).await
}

async fn change_by_id(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: i64,
    payload: Result<Validated<EventPayload>, Problem>,
) -> Result<rows::Model, Problem> {
    if let Ok((payload, _)) = &payload {
        event::Entity::lock_before(&transaction, None, Some(payload)).await?;
    }
    let series = find_editable(writer, &transaction, id).await?;
    series::lock_events(&transaction, id).await?;
    writer.check_precondition(series.row.version)?;
    let (payload, errors) = payload?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    Box::pin(change_series(&mut context, series, None, Scope::All, payload)).await?;
    stored_series(&transaction, id).await
}

/// Finds and locks a series, and checks the writer's permission. The permission for its events is not enough: an event
/// may have another author or status than those that are added to the series.
async fn find_editable(writer: &Writer, transaction: &Transaction, id: i64) -> Result<Series, Problem> {
    let series = find_for_update(transaction, id).await?;
    let columns = series.common_columns();
    if !writer.identity.may_edit(&columns) {
        return Err(match columns.status {
            Status::Trash => Problem::series_no_longer_available(),
            _ => Problem::role_may_not("change", "this series"),
        });
    }
    Ok(series)
}
