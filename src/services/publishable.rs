//! Updates and deletions of events, venues and organizers, and creates of venues and organizers, in one transaction each.

use std::sync::Arc;

use super::{Validated, Writable, WriteContext, publication};
use crate::{
    auth::Writer,
    calendar::status::Status,
    error::{Problem, ValidationErrors},
    extract::{Create, Update},
    store::{
        Publishable, Snapshot, Transaction,
        publishable::{Key, PublishableRow, find_for_update},
    },
};

/// Creates one venue or organizer. `read` reads what was written.
pub(crate) async fn create<E, V, R>(
    writer: &Writer,
    body: Create<E::Payload>,
    read: impl Fn(Arc<Snapshot>, E::Model) -> R,
) -> Result<(E::Model, V), Problem>
where
    E: Writable<Links = ()>,
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_create(E::KIND) {
        return Err(Problem::role_may_not("create", E::KIND.plural()));
    }
    let payload = body.read().await?;
    let insert = |transaction| insert::<E>(writer, transaction, payload.clone());
    writer.store().write_and_read(insert, read).await
}

pub(super) async fn insert<E: Writable<Links = ()>>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    (payload, errors): Validated<E::Payload>,
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, None, Some(&payload)).await?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    if let Some(existing) = E::reuse(&mut context, &payload).await? {
        context.check()?;
        return Ok(existing);
    }
    let mut row = E::blank(writer);
    E::apply(&mut context, &mut row, payload).await?;
    context.check()?;
    publication::insert::<E>(&transaction, row).await
}

/// Updates the given fields. `read` reads what was written.
pub(crate) async fn update<E, V, R>(
    writer: &Writer,
    key: &Key,
    body: Update<E::Payload>,
    read: impl Fn(Arc<Snapshot>, E::Model) -> R,
) -> Result<(E::Model, V), Problem>
where
    E: Writable<Model: PartialEq>,
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(Problem::role_may_not("change", E::KIND.plural()));
    }
    let payload = body.read().await;
    let change = |transaction| change::<E>(writer, transaction, key, payload.clone());
    writer.store().write_and_read(change, read).await
}

/// Reports a missing object or permission before validation errors.
pub(super) async fn change<E>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    payload: Result<Validated<E::Payload>, Problem>,
) -> Result<E::Model, Problem>
where
    E: Writable<Model: PartialEq>,
{
    if let Ok((payload, _)) = &payload {
        E::lock_before(&transaction, Some(key), Some(payload)).await?;
    }
    let before = find_writable::<E>(writer, &transaction, key).await?;
    writer.check_precondition(before.common_columns().version)?;
    let (payload, errors) = payload?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    let mut after = before.clone();
    let links = E::apply(&mut context, &mut after, payload).await?;
    context.check()?;
    let has_new_links = E::save_links(&context, &before, links).await?;
    if !has_new_links && before == after {
        return Ok(before);
    }
    publication::update::<E>(&transaction, &before, after, writer.timestamp()).await
}

/// Finds and locks the object, and checks the writer's permission.
pub(super) async fn find_writable<E: Publishable>(
    writer: &Writer,
    transaction: &Transaction,
    key: &Key,
) -> Result<E::Model, Problem> {
    let row = find_for_update::<E>(transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let columns = row.common_columns();
    if !writer.identity.may_edit(&columns) {
        return Err(match columns.status {
            Status::Trash => Problem::no_longer_available(E::KIND),
            _ => Problem::role_may_not("change", &format!("this {}", E::KIND.name())),
        });
    }
    Ok(row)
}

/// Moves the object to the trash. Reports a missing object or permission before the validation errors of the query.
/// `read` reads what was written.
pub(crate) async fn delete<E, V, R>(
    writer: &Writer,
    key: &Key,
    errors: &ValidationErrors,
    read: impl Fn(Arc<Snapshot>, E::Model) -> R,
) -> Result<(E::Model, V), Problem>
where
    E: Writable,
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(Problem::role_may_not("delete", E::KIND.plural()));
    }
    let trash = |transaction| trash::<E>(writer, transaction, key, errors);
    writer.store().write_and_read(trash, read).await
}

async fn trash<E: Writable>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    errors: &ValidationErrors,
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, Some(key), None).await?;
    let before = find_deletable::<E>(writer, &transaction, key).await?;
    writer.check_precondition(before.common_columns().version)?;
    errors.clone().into_result()?;
    move_to_trash::<E>(&transaction, &before, writer.timestamp()).await
}

/// Finds and locks the object, and checks the writer's permission to move it to the trash.
pub(super) async fn find_deletable<E: Publishable>(
    writer: &Writer,
    transaction: &Transaction,
    key: &Key,
) -> Result<E::Model, Problem> {
    let row = find_for_update::<E>(transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let columns = row.common_columns();
    if columns.status == Status::Trash {
        return Err(Problem::is_in_trash(E::KIND));
    }
    if !writer.identity.may_delete(&columns) {
        return Err(Problem::role_may_not("delete", &format!("this {}", E::KIND.name())));
    }
    Ok(row)
}

/// Moves a stored object to the trash.
pub(super) async fn move_to_trash<E: Writable>(
    transaction: &Transaction,
    before: &E::Model,
    now: i64,
) -> Result<E::Model, Problem> {
    let mut after = before.clone();
    let mut columns = before.common_columns();
    columns.set_status(Status::Trash, now);
    after.set_common_columns(columns);
    publication::update::<E>(transaction, before, after, now).await
}
