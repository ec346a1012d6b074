//! The operations on events, venues and organizers: one way for all three.

use std::sync::Arc;

use sea_orm::ConnectionTrait;

use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{Kind, status::Status},
    error::{Problem, ValidationErrors},
    extract::{Body, Described, MaybeUndefined, choice::StatusList, number::Position},
    response::{CachePolicy, Created, Reply, ResponseKind},
    services::{Writable, WriteContext, publication},
    store::{
        EventDependencies, PageRequest, Transaction,
        publishable::{self, CommonColumns, Key, PublishableRow},
        visibility::Visibility,
    },
    views::{self, Represented, publishable::rest_url},
};

/// Reads one object.
pub async fn read<E: Represented, K: ResponseKind>(reader: &Reader, key: Key) -> Result<Reply<E::View, K>, Problem> {
    let database = &reader.almanac.store.snapshot().await?;
    let row = publishable::find::<E>(database, &key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let columns = row.common_columns();
    check_readable::<E>(reader, &columns)?;
    let texts = match E::KIND {
        Kind::Event => EventDependencies::Of(vec![columns.id]),
        _ => EventDependencies::NONE,
    };
    let view = views::one::<E>(reader, database, row).await?;
    Ok(Reply::new(view)
        .with_version(columns.version)
        .with_cache_policy(Some(CachePolicy::LASTING.telling(texts))))
}

/// Creates one object, with everything that is nested in it.
pub async fn create<E, T, V>(writer: &Writer, body: Body<T, V>) -> Result<Created<E::View>, Problem>
where
    E: Represented + Writable,
    T: Described<V, Fields = E::Fields>,
{
    if !writer.identity.may_create(E::KIND) {
        return Err(may_not("create", E::KIND.plural()));
    }
    let read = body.read().await?;
    let insert = |transaction| insert::<E>(writer, transaction, read.clone());
    let stored = writer.almanac.store.write(insert).await?;
    let columns = stored.common_columns();
    let view = written::<E>(writer, stored).await?;
    Ok(Created::new(view)
        .with_header("location", rest_url(writer, E::KIND, columns.id))
        .with_version(columns.version))
}

async fn insert<E: Writable>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    (fields, errors): (E::Fields, ValidationErrors),
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, None, Some(&fields)).await?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    if let Some(existing) = E::reuse(&mut context, &fields).await? {
        context.check()?;
        return Ok(existing);
    }
    let mut row = E::blank(writer);
    let links = E::apply(&mut context, &mut row, fields).await?;
    context.check()?;
    let stored = publication::insert::<E>(&context, row).await?;
    E::save_links(&context, stored.common_columns().id, links).await?;
    Ok(stored)
}

/// Changes the fields of one object that the body gives. With a status it comes back from the trash, or goes.
pub async fn update<E, T, V, K>(writer: &Writer, key: Key, body: Body<T, V>) -> Result<Reply<E::View, K>, Problem>
where
    E: Represented + Writable,
    T: Described<V, Fields = E::Fields>,
    E::Model: PartialEq,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(may_not("change", E::KIND.plural()));
    }
    let read = body.read().await;
    let change = |transaction| change::<E>(writer, transaction, &key, read.clone());
    let stored = writer.almanac.store.write(change).await?;
    let version = stored.common_columns().version;
    let view = written::<E>(writer, stored).await?;
    Ok(Reply::new(view).with_version(version))
}

/// Whether the object is there and may be written comes before what is wrong with the body.
async fn change<E>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    read: Result<(E::Fields, ValidationErrors), Problem>,
) -> Result<E::Model, Problem>
where
    E: Represented + Writable<Model: PartialEq>,
{
    if let Ok((fields, _)) = &read {
        E::lock_before(&transaction, Some(key), Some(fields)).await?;
    }
    let before = find_to_context::<E>(writer, &*transaction, key).await?;
    let (fields, errors) = read?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    let mut after = before.clone();
    let links = E::apply(&mut context, &mut after, fields).await?;
    context.check()?;
    let linked = E::save_links(&context, before.common_columns().id, links).await?;
    if !linked && before == after {
        return Ok(before);
    }
    publication::update::<E>(&transaction, &before, after, writer.timestamp()).await
}

/// Moves one object to the trash.
pub async fn delete<E, K>(writer: &Writer, key: Key) -> Result<Reply<E::View, K>, Problem>
where
    E: Represented + Writable,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(may_not("delete", E::KIND.plural()));
    }
    let trash = |transaction| trash::<E>(writer, transaction, &key);
    let stored = writer.almanac.store.write(trash).await?;
    let view = written::<E>(writer, stored).await?;
    Ok(Reply::new(view))
}

async fn trash<E: Represented + Writable>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, Some(key), None).await?;
    let before = publishable::find_for_update::<E>(&*transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let mut columns = before.common_columns();
    let now = writer.timestamp();
    if columns.status == Status::Trash {
        return Err(Problem::is_in_trash(E::KIND));
    }
    if !writer.identity.may_delete(&columns) {
        return Err(may_not("delete", "this one"));
    }
    writer.check_precondition(columns.version)?;
    let mut after = before.clone();
    columns.set_status(Status::Trash, now);
    after.set_common_columns(columns);
    publication::update::<E>(&transaction, &before, after, now).await
}

/// The representation of what has been written. Others may write again while it is made.
async fn written<E: Represented>(writer: &Writer, row: E::Model) -> Result<E::View, Problem> {
    views::one::<E>(writer, &writer.almanac.store.snapshot().await?, row).await
}

/// 403: the role lacks the right.
pub fn may_not(verb: &str, what: &str) -> Problem {
    Problem::forbidden(format!("Your role may not {verb} {what}."))
}

fn check_readable<E: Represented>(caller: &Caller, columns: &CommonColumns) -> Result<(), Problem> {
    let now = caller.timestamp();
    let identity = caller.identity;
    if columns.status == Status::Trash && !identity.may_see(columns, now) {
        Err(Problem::no_longer_available(E::KIND))
    } else if !identity.may_see(columns, now) {
        Err(Problem::not_accessible(E::KIND))
    } else {
        Ok(())
    }
}

/// The object as it is before an update, once the writer's rights to it are sure.
async fn find_to_context<E: Represented>(
    writer: &Writer,
    transaction: &impl ConnectionTrait,
    key: &Key,
) -> Result<E::Model, Problem> {
    let row = publishable::find_for_update::<E>(transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let columns = row.common_columns();
    if !writer.identity.may_edit(&columns) {
        return Err(match columns.status {
            Status::Trash => Problem::no_longer_available(E::KIND),
            _ => may_not("change", "this one"),
        });
    }
    writer.check_precondition(columns.version)?;
    Ok(row)
}

/// Which objects a list may show: what is asked for, as far as the reader may see it.
pub fn visibility(reader: &Caller, status: MaybeUndefined<StatusList>) -> Result<Visibility, Problem> {
    let statuses = status.take().map_or(vec![Status::Publish], |list| list.0);
    let identity = reader.identity;
    let asks_for_published = statuses.iter().all(|status| *status == Status::Publish);
    if !asks_for_published && !identity.may_list_unpublished() {
        return Err(only_published());
    }
    Ok(Visibility {
        statuses,
        unpublished_of: match identity.reads_everything() {
            true => None,
            false => identity.user(),
        },
        now: reader.timestamp(),
    })
}

/// 403: a list is asked for more than this reader may see.
pub fn only_published() -> Problem {
    Problem::forbidden_value("status", "may be publish only, for those who can't write")
}

/// The page that is asked for, of at most the size that the server allows.
pub fn page_request(
    caller: &Caller,
    page: MaybeUndefined<Position>,
    per_page: MaybeUndefined<Position>,
) -> PageRequest {
    let most = caller.almanac.settings.max_per_page;
    PageRequest {
        page: page.take().map_or(1, |page| page.0),
        per_page: per_page.take().map_or(most, |size| size.0.min(most)),
    }
}

/// The IDs in a filter that may match something. IDs that do not exist are a fault. Those that the reader may not see
/// match nothing: what is linked to a draft is told only to those who may read the draft.
pub async fn visible_ids<E: crate::store::Publishable>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    errors: &mut ValidationErrors,
    parameter: &str,
    ids: &[i64],
) -> Result<Vec<i64>, Problem> {
    let found: Vec<CommonColumns> = publishable::find_all::<E>(database, ids)
        .await?
        .iter()
        .map(PublishableRow::common_columns)
        .collect();
    let frame_of = |id: &i64| found.iter().find(|columns| columns.id == *id);
    let unknown: Vec<String> = ids
        .iter()
        .filter(|id| frame_of(id).is_none())
        .map(ToString::to_string)
        .collect();
    if !unknown.is_empty() {
        let message = format!(
            "must be IDs of {} that exist, and {} does not",
            E::KIND.plural(),
            unknown.join(", ")
        );
        errors.add(parameter, crate::error::FieldError::invalid(message));
    }
    let may_see = |columns: &CommonColumns| caller.identity.may_see(columns, caller.timestamp());
    Ok(ids
        .iter()
        .copied()
        .filter(|id| frame_of(id).is_some_and(may_see))
        .collect())
}
