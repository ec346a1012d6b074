//! The operations on events, venues and organizers: one way for all three.

use std::sync::Arc;

use sea_orm::ConnectionTrait;

use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{Kind, status::Status},
    edit::{Edit, Edited, publication},
    store::{
        EventTexts, PageRequest, Transaction,
        post::{self, Frame, Key, PostRow},
        visibility::Visibility,
    },
    view::{self, Shown, post::rest_url},
    wire::{
        Body, Created, Described, Faults, Field, Freshness, Outcome, Problem, Reply, choice::StatusList,
        numbers::Position,
    },
};

/// Reads one object.
pub async fn read<E: Shown, K: Outcome>(reader: &Reader, key: Key) -> Result<Reply<E::View, K>, Problem> {
    let database = &reader.almanac.store.snapshot().await?;
    let row = post::find::<E>(database, &key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let frame = row.frame();
    check_readable::<E>(reader, &frame)?;
    let texts = match E::KIND {
        Kind::Event => EventTexts::Of(vec![frame.id]),
        _ => EventTexts::NONE,
    };
    let view = view::one::<E>(reader, database, row).await?;
    Ok(Reply::new(view)
        .with_version(frame.version)
        .with_freshness(Some(Freshness::LASTING.telling(texts))))
}

/// Creates one object, with everything that is nested in it.
pub async fn create<E, T, V>(writer: &Writer, body: Body<T, V>) -> Result<Created<E::View>, Problem>
where
    E: Shown + Edited,
    T: Described<V, Fields = E::Fields>,
{
    if !writer.identity.may_create(E::KIND) {
        return Err(may_not("create", E::KIND.plural()));
    }
    let read = body.read().await?;
    let insert = |transaction| insert::<E>(writer, transaction, read.clone());
    let stored = writer.almanac.store.write(insert).await?;
    let frame = stored.frame();
    let view = written::<E>(writer, stored).await?;
    Ok(Created::new(view)
        .with_header("location", rest_url(writer, E::KIND, frame.id))
        .with_version(frame.version))
}

async fn insert<E: Edited>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    (fields, faults): (E::Fields, Faults),
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, None, Some(&fields)).await?;
    let mut edit = Edit::new(writer, &transaction, faults);
    if let Some(existing) = E::reuse(&mut edit, &fields).await? {
        edit.check()?;
        return Ok(existing);
    }
    let mut row = E::blank(writer);
    let links = E::apply(&mut edit, &mut row, fields).await?;
    edit.check()?;
    let stored = publication::insert::<E>(&edit, row).await?;
    E::save_links(&edit, stored.frame().id, links).await?;
    Ok(stored)
}

/// Changes the fields of one object that the body gives. With a status it comes back from the trash, or goes.
pub async fn update<E, T, V, K>(writer: &Writer, key: Key, body: Body<T, V>) -> Result<Reply<E::View, K>, Problem>
where
    E: Shown + Edited,
    T: Described<V, Fields = E::Fields>,
    E::Model: PartialEq,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(may_not("change", E::KIND.plural()));
    }
    let read = body.read().await;
    let change = |transaction| change::<E>(writer, transaction, &key, read.clone());
    let stored = writer.almanac.store.write(change).await?;
    let version = stored.frame().version;
    let view = written::<E>(writer, stored).await?;
    Ok(Reply::new(view).with_version(version))
}

/// Whether the object is there and may be written comes before what is wrong with the body.
async fn change<E>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
    read: Result<(E::Fields, Faults), Problem>,
) -> Result<E::Model, Problem>
where
    E: Shown + Edited<Model: PartialEq>,
{
    if let Ok((fields, _)) = &read {
        E::lock_before(&transaction, Some(key), Some(fields)).await?;
    }
    let before = find_to_edit::<E>(writer, &*transaction, key).await?;
    let (fields, faults) = read?;
    let mut edit = Edit::new(writer, &transaction, faults);
    let mut after = before.clone();
    let links = E::apply(&mut edit, &mut after, fields).await?;
    edit.check()?;
    let linked = E::save_links(&edit, before.frame().id, links).await?;
    if !linked && before == after {
        return Ok(before);
    }
    publication::update::<E>(&transaction, &before, after, writer.timestamp()).await
}

/// Moves one object to the trash.
pub async fn delete<E, K>(writer: &Writer, key: Key) -> Result<Reply<E::View, K>, Problem>
where
    E: Shown + Edited,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(may_not("delete", E::KIND.plural()));
    }
    let trash = |transaction| trash::<E>(writer, transaction, &key);
    let stored = writer.almanac.store.write(trash).await?;
    let view = written::<E>(writer, stored).await?;
    Ok(Reply::new(view))
}

async fn trash<E: Shown + Edited>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    key: &Key,
) -> Result<E::Model, Problem> {
    E::lock_before(&transaction, Some(key), None).await?;
    let before = post::find_for_update::<E>(&*transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let mut frame = before.frame();
    let now = writer.timestamp();
    if frame.status == Status::Trash {
        return Err(Problem::is_in_trash(E::KIND));
    }
    if !writer.identity.may_delete(&frame) {
        return Err(may_not("delete", "this one"));
    }
    writer.check_precondition(frame.version)?;
    let mut after = before.clone();
    frame.set_status(Status::Trash, now);
    after.set_frame(frame);
    publication::update::<E>(&transaction, &before, after, now).await
}

/// The representation of what has been written. Others may write again while it is made.
async fn written<E: Shown>(writer: &Writer, row: E::Model) -> Result<E::View, Problem> {
    view::one::<E>(writer, &writer.almanac.store.snapshot().await?, row).await
}

/// 403: the role lacks the right.
pub fn may_not(verb: &str, what: &str) -> Problem {
    Problem::forbidden(format!("Your role may not {verb} {what}."))
}

fn check_readable<E: Shown>(caller: &Caller, frame: &Frame) -> Result<(), Problem> {
    let now = caller.timestamp();
    let identity = caller.identity;
    if frame.status == Status::Trash && !identity.may_see(frame, now) {
        Err(Problem::no_longer_available(E::KIND))
    } else if !identity.may_see(frame, now) {
        Err(Problem::not_accessible(E::KIND))
    } else {
        Ok(())
    }
}

/// The object as it is before an update, once the writer's rights to it are sure.
async fn find_to_edit<E: Shown>(
    writer: &Writer,
    transaction: &impl ConnectionTrait,
    key: &Key,
) -> Result<E::Model, Problem> {
    let row = post::find_for_update::<E>(transaction, key)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let frame = row.frame();
    if !writer.identity.may_edit(&frame) {
        return Err(match frame.status {
            Status::Trash => Problem::no_longer_available(E::KIND),
            _ => may_not("change", "this one"),
        });
    }
    writer.check_precondition(frame.version)?;
    Ok(row)
}

/// Which objects a list may show: what is asked for, as far as the reader may see it.
pub fn visibility(reader: &Caller, status: Field<StatusList>) -> Result<Visibility, Problem> {
    let statuses = status.given().map_or(vec![Status::Publish], |list| list.0);
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
pub fn page_request(caller: &Caller, page: Field<Position>, per_page: Field<Position>) -> PageRequest {
    let most = caller.almanac.settings.max_per_page;
    PageRequest {
        page: page.given().map_or(1, |page| page.0),
        per_page: per_page.given().map_or(most, |size| size.0.min(most)),
    }
}

/// The IDs in a filter that may match something. IDs that do not exist are a fault. Those that the reader may not see
/// match nothing: what is linked to a draft is told only to those who may read the draft.
pub async fn visible_ids<E: crate::store::Post>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    faults: &mut Faults,
    parameter: &str,
    ids: &[i64],
) -> Result<Vec<i64>, Problem> {
    let found: Vec<Frame> = post::find_all::<E>(database, ids)
        .await?
        .iter()
        .map(PostRow::frame)
        .collect();
    let frame_of = |id: &i64| found.iter().find(|frame| frame.id == *id);
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
        faults.add(parameter, crate::wire::Fault::invalid(message));
    }
    let may_see = |frame: &Frame| caller.identity.may_see(frame, caller.timestamp());
    Ok(ids
        .iter()
        .copied()
        .filter(|id| frame_of(id).is_some_and(may_see))
        .collect())
}
