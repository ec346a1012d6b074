//! The operations on categories and tags: one way for both.

use std::sync::Arc;

use super::posts;
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::Kind,
    edit::{
        Edit,
        term::{self as edit_term, TermFields},
    },
    store::{
        Transaction,
        entity::event,
        term::{self, TermFrame, TermRow},
        term_list::{self, Counted, TermFilter, TermOrder},
    },
    view::{
        list::{self, List},
        post::rest_url,
        term::{ShownTerm, show},
    },
    wire::{
        Body, Created, DeletedTerm, Described, Faults, Field, FoundTerm, Freshness, IdInPath, ListedTerms, Problem,
        UpdatedTerm,
        choice::OrderDirection,
        flag::Flag,
        numbers::{Id, Ids, Integer, Position},
        texts::{Search, Slug},
    },
};

/// The parameters of a list of terms; a list of tags has no parent.
pub struct TermQuery {
    pub page: Field<Position>,
    pub per_page: Field<Position>,
    pub search: Field<Search>,
    pub exclude: Field<Ids>,
    pub include: Field<Ids>,
    pub order: Field<OrderDirection>,
    pub orderby: Field<TermOrder>,
    pub hide_empty: Field<Flag>,
    pub parent: Field<Integer>,
    pub post: Field<Id>,
    pub event: Field<Id>,
    pub slug: Field<Slug>,
}

/// Lists terms.
pub async fn list<E, T>(reader: &Reader, query: TermQuery, mut faults: Faults) -> Result<ListedTerms<T>, Problem>
where
    E: ShownTerm,
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
        if let Some(Id(id)) = field.given() {
            let ids = [id];
            let found = posts::visible_ids::<event::Entity>(reader, database, &mut faults, name, &ids);
            events = Some(found.await?);
        }
    }
    let parent = parent.given().map(|id| id.0);
    if let Some(id) = parent.filter(|id| *id != 0)
        && term::find::<E>(database, id).await?.is_none()
    {
        let message = format!("must be the ID of a category, and {id} is none");
        faults.add("parent", crate::wire::Fault::invalid(message));
    }
    faults.into_result()?;
    let filter = TermFilter {
        search: search.given().unwrap_or_default().0,
        include: include.given().map(|ids| ids.0),
        exclude: exclude.given().map(|ids| ids.0),
        slug: slug.given().map(|slug| slug.0),
        parent,
        events,
        hide_empty: hide_empty.given().is_none_or(|flag| flag.0),
        order_by: orderby.given().unwrap_or(TermOrder::Name),
        descending: order.given() == Some(OrderDirection::Descending),
        now: reader.timestamp(),
    };
    let request = posts::page_request(reader, page, per_page);
    let found = term_list::list::<E>(database, &filter, request).await?;
    let views = found.rows.iter().map(|term| show::<E>(reader, term)).collect();
    let reply = list::reply(reader, E::KIND, &found, views)?;
    Ok(reply.with_freshness(Some(Freshness::WITHOUT_EVENTS)))
}

/// Reads one term.
pub async fn read<E: ShownTerm>(reader: &Reader, id: IdInPath) -> Result<FoundTerm<E::View>, Problem> {
    let database = &reader.almanac.store.snapshot().await?;
    let row = term::find::<E>(database, id.0)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    let version = row.frame().version;
    let view = one::<E>(reader, database, row).await?;
    Ok(FoundTerm::new(view)
        .with_version(version)
        .with_freshness(Some(Freshness::WITHOUT_EVENTS)))
}

/// Creates one term.
pub async fn create<E, T, V>(writer: &Writer, body: Body<T, V>) -> Result<Created<E::View>, Problem>
where
    E: ShownTerm,
    T: Described<V, Fields: Into<TermFields>>,
{
    check_role::<E>(writer)?;
    let (fields, faults) = body.read().await?;
    let read: (TermFields, Faults) = (fields.into(), faults);
    let insert = |transaction| insert::<E>(writer, transaction, read.clone());
    let stored = writer.almanac.store.write(insert).await?;
    let frame = stored.frame();
    let view = one::<E>(writer, &writer.almanac.store.snapshot().await?, stored).await?;
    Ok(Created::new(view)
        .with_header("location", rest_url(writer, E::KIND, frame.id))
        .with_version(frame.version))
}

async fn insert<E: ShownTerm>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    (fields, faults): (TermFields, Faults),
) -> Result<E::Model, Problem> {
    let mut edit = Edit::new(writer, &transaction, faults);
    let mut frame = TermFrame {
        version: 1,
        ..TermFrame::default()
    };
    edit_term::apply::<E>(&mut edit, &mut frame, fields).await?;
    edit.check()?;
    edit_term::insert::<E>(&edit, frame).await
}

/// Changes the fields of one term that the body gives.
pub async fn update<E, T, V>(writer: &Writer, id: IdInPath, body: Body<T, V>) -> Result<UpdatedTerm<E::View>, Problem>
where
    E: ShownTerm,
    E::Model: PartialEq,
    T: Described<V, Fields: Into<TermFields>>,
{
    check_role::<E>(writer)?;
    let read: Result<(TermFields, Faults), Problem> = body.read().await.map(|(fields, faults)| (fields.into(), faults));
    let change = |transaction| change::<E>(writer, transaction, id.0, read.clone());
    let stored = writer.almanac.store.write(change).await?;
    let version = stored.frame().version;
    let view = one::<E>(writer, &writer.almanac.store.snapshot().await?, stored).await?;
    Ok(UpdatedTerm::new(view).with_version(version))
}

/// Whether the term is there comes before what is wrong with the body.
async fn change<E>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: i64,
    read: Result<(TermFields, Faults), Problem>,
) -> Result<E::Model, Problem>
where
    E: ShownTerm<Model: PartialEq>,
{
    let before = find_to_write::<E>(writer, &*transaction, id).await?;
    let (fields, faults) = read?;
    let mut edit = Edit::new(writer, &transaction, faults);
    let mut after = before.frame();
    edit_term::apply::<E>(&mut edit, &mut after, fields).await?;
    edit.check()?;
    if E::Model::from_frame(after.clone()) == before {
        return Ok(before);
    }
    Ok(term::update::<E>(&*transaction, &before, after).await?)
}

/// Deletes one term, at once.
pub async fn delete<E: ShownTerm>(writer: &Writer, id: IdInPath) -> Result<DeletedTerm<E::View>, Problem> {
    check_role::<E>(writer)?;
    let remove = |transaction| remove::<E>(writer, transaction, id.0);
    let view = writer.almanac.store.write(remove).await?;
    Ok(DeletedTerm::new(view))
}

async fn remove<E: ShownTerm>(writer: &Writer, transaction: Arc<Transaction>, id: i64) -> Result<E::View, Problem> {
    let row = find_to_write::<E>(writer, &*transaction, id).await?;
    let frame = row.frame();
    let view = one::<E>(writer, &*transaction, row).await?;
    term::delete::<E>(&*transaction, &frame).await?;
    Ok(view)
}

fn check_role<E: ShownTerm>(writer: &Writer) -> Result<(), Problem> {
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

async fn find_to_write<E: ShownTerm>(
    writer: &Writer,
    transaction: &impl sea_orm::ConnectionTrait,
    id: i64,
) -> Result<E::Model, Problem> {
    let row = term::find_for_update::<E>(transaction, id)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    writer.check_precondition(row.frame().version)?;
    Ok(row)
}

async fn one<E: ShownTerm>(
    caller: &Caller,
    database: &impl sea_orm::ConnectionTrait,
    row: E::Model,
) -> Result<E::View, Problem> {
    let events = term_list::count::<E>(database, row.frame().id, caller.timestamp()).await?;
    Ok(show::<E>(caller, &Counted { row, events }))
}
