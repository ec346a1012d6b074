//! The operations on categories and tags: one way for both.

use std::sync::Arc;

use super::publishable;
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::Kind,
    error::{Problem, ValidationErrors},
    extract::{
        Body, Described, IdInPath, MaybeUndefined,
        choice::OrderDirection,
        lenient_bool::LenientBool,
        number::{Id, Ids, Integer, Position},
        text::{Search, Slug},
    },
    response::{CachePolicy, Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    services::{
        WriteContext,
        term::{self as edit_term, TermFields},
    },
    store::{
        Transaction,
        entity::event,
        term::{self, TermColumns, TermRow},
        term_list::{self, Counted, TermFilter, TermOrder},
    },
    views::{
        list::{self, List},
        publishable::rest_url,
        term::{RepresentedTerm, show},
    },
};

/// The parameters of a list of terms; a list of tags has no parent.
pub struct TermQuery {
    pub page: MaybeUndefined<Position>,
    pub per_page: MaybeUndefined<Position>,
    pub search: MaybeUndefined<Search>,
    pub exclude: MaybeUndefined<Ids>,
    pub include: MaybeUndefined<Ids>,
    pub order: MaybeUndefined<OrderDirection>,
    pub orderby: MaybeUndefined<TermOrder>,
    pub hide_empty: MaybeUndefined<LenientBool>,
    pub parent: MaybeUndefined<Integer>,
    pub post: MaybeUndefined<Id>,
    pub event: MaybeUndefined<Id>,
    pub slug: MaybeUndefined<Slug>,
}

/// Lists terms.
pub async fn list<E, T>(
    reader: &Reader,
    query: TermQuery,
    mut errors: ValidationErrors,
) -> Result<ListedTerms<T>, Problem>
where
    E: RepresentedTerm,
    T: List<Item = E::View>,
{
    let TermQuery {
        page,
        per_page,
        search,
        exclude,
        include,
        order,
        orderby,
        hide_empty,
        parent,
        post,
        event,
        slug,
    } = query;
    let database = &reader.almanac.store.snapshot().await?;
    let mut events = None;
    // Two names for one filter. Where both are given, the last one counts.
    for (name, field) in [("post", post), ("event", event)] {
        if let Some(Id(id)) = field.take() {
            let ids = [id];
            let found = publishable::visible_ids::<event::Entity>(reader, database, &mut errors, name, &ids);
            events = Some(found.await?);
        }
    }
    let parent = parent.take().map(|id| id.0);
    if let Some(id) = parent.filter(|id| *id != 0)
        && term::find::<E>(database, id).await?.is_none()
    {
        let message = format!("must be the ID of a category, and {id} is none");
        errors.add("parent", crate::error::FieldError::invalid(message));
    }
    errors.into_result()?;
    let filter = TermFilter {
        search: search.take().unwrap_or_default().0,
        include: include.take().map(|ids| ids.0),
        exclude: exclude.take().map(|ids| ids.0),
        slug: slug.take().map(|slug| slug.0),
        parent,
        events,
        hide_empty: hide_empty.take().is_none_or(|flag| flag.0),
        order_by: orderby.take().unwrap_or(TermOrder::Name),
        descending: order.take() == Some(OrderDirection::Descending),
        now: reader.timestamp(),
    };
    let request = publishable::page_request(reader, page, per_page);
    let found = term_list::list::<E>(database, &filter, request).await?;
    let views = found.rows.iter().map(|term| show::<E>(reader, term)).collect();
    let reply = list::reply(reader, E::KIND, &found, views)?;
    Ok(reply.with_cache_policy(Some(CachePolicy::WITHOUT_EVENTS)))
}

/// Reads one term.
pub async fn read<E: RepresentedTerm>(reader: &Reader, id: IdInPath) -> Result<FoundTerm<E::View>, Problem> {
    let database = &reader.almanac.store.snapshot().await?;
    let row = term::find::<E>(database, id.0)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let version = row.common_columns().version;
    let view = one::<E>(reader, database, row).await?;
    Ok(FoundTerm::new(view)
        .with_version(version)
        .with_cache_policy(Some(CachePolicy::WITHOUT_EVENTS)))
}

/// Creates one term.
pub async fn create<E, T, V>(writer: &Writer, body: Body<T, V>) -> Result<Created<E::View>, Problem>
where
    E: RepresentedTerm,
    T: Described<V, Fields: Into<TermFields>>,
{
    check_role::<E>(writer)?;
    let (fields, errors) = body.read().await?;
    let read: (TermFields, ValidationErrors) = (fields.into(), errors);
    let insert = |transaction| insert::<E>(writer, transaction, read.clone());
    let stored = writer.almanac.store.write(insert).await?;
    let columns = stored.common_columns();
    let view = one::<E>(writer, &writer.almanac.store.snapshot().await?, stored).await?;
    Ok(Created::new(view)
        .with_header("location", rest_url(writer, E::KIND, columns.id))
        .with_version(columns.version))
}

async fn insert<E: RepresentedTerm>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    (fields, errors): (TermFields, ValidationErrors),
) -> Result<E::Model, Problem> {
    let mut context = WriteContext::new(writer, &transaction, errors);
    let mut columns = TermColumns {
        version: 1,
        ..TermColumns::default()
    };
    edit_term::apply::<E>(&mut context, &mut columns, fields).await?;
    context.check()?;
    edit_term::insert::<E>(&context, columns).await
}

/// Changes the fields of one term that the body gives.
pub async fn update<E, T, V>(writer: &Writer, id: IdInPath, body: Body<T, V>) -> Result<UpdatedTerm<E::View>, Problem>
where
    E: RepresentedTerm,
    E::Model: PartialEq,
    T: Described<V, Fields: Into<TermFields>>,
{
    check_role::<E>(writer)?;
    let read: Result<(TermFields, ValidationErrors), Problem> =
        body.read().await.map(|(fields, errors)| (fields.into(), errors));
    let change = |transaction| change::<E>(writer, transaction, id.0, read.clone());
    let stored = writer.almanac.store.write(change).await?;
    let version = stored.common_columns().version;
    let view = one::<E>(writer, &writer.almanac.store.snapshot().await?, stored).await?;
    Ok(UpdatedTerm::new(view).with_version(version))
}

/// Whether the term is there comes before what is wrong with the body.
async fn change<E>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: i64,
    read: Result<(TermFields, ValidationErrors), Problem>,
) -> Result<E::Model, Problem>
where
    E: RepresentedTerm<Model: PartialEq>,
{
    let before = find_to_write::<E>(writer, &*transaction, id).await?;
    let (fields, errors) = read?;
    let mut context = WriteContext::new(writer, &transaction, errors);
    let mut after = before.common_columns();
    edit_term::apply::<E>(&mut context, &mut after, fields).await?;
    context.check()?;
    if E::Model::from_columns(after.clone()) == before {
        return Ok(before);
    }
    Ok(term::update::<E>(&*transaction, &before, after).await?)
}

/// Deletes one term, at once.
pub async fn delete<E: RepresentedTerm>(writer: &Writer, id: IdInPath) -> Result<DeletedTerm<E::View>, Problem> {
    check_role::<E>(writer)?;
    let remove = |transaction| remove::<E>(writer, transaction, id.0);
    let view = writer.almanac.store.write(remove).await?;
    Ok(DeletedTerm::new(view))
}

async fn remove<E: RepresentedTerm>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: i64,
) -> Result<E::View, Problem> {
    let row = find_to_write::<E>(writer, &*transaction, id).await?;
    let columns = row.common_columns();
    let view = one::<E>(writer, &*transaction, row).await?;
    term::delete::<E>(&*transaction, &columns).await?;
    Ok(view)
}

fn check_role<E: RepresentedTerm>(writer: &Writer) -> Result<(), Problem> {
    if writer.identity.may_write(E::KIND) {
        Ok(())
    } else {
        Err(may_not_write(E::KIND))
    }
}

/// 403: the role lacks the right.
pub fn may_not_write(kind: Kind) -> Problem {
    let plural = kind.plural();
    Problem::forbidden(format!("Only editors and administrators may write {plural}."))
}

async fn find_to_write<E: RepresentedTerm>(
    writer: &Writer,
    transaction: &impl sea_orm::ConnectionTrait,
    id: i64,
) -> Result<E::Model, Problem> {
    let row = term::find_for_update::<E>(transaction, id)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    writer.check_precondition(row.common_columns().version)?;
    Ok(row)
}

async fn one<E: RepresentedTerm>(
    caller: &Caller,
    database: &impl sea_orm::ConnectionTrait,
    row: E::Model,
) -> Result<E::View, Problem> {
    let events = term_list::count::<E>(database, row.common_columns().id, caller.timestamp()).await?;
    Ok(show::<E>(caller, &Counted { row, events }))
}
