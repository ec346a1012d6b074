//! What an event links to: objects that are there, or that are made with it.

use std::collections::HashSet;

use poem::http::StatusCode;
use sea_orm::{ActiveModelTrait, EntityTrait};

use super::{Writable, WriteContext, inherited_publication::Inherited, publication};
use crate::{
    calendar::{Kind, status::Status, text::fold},
    error::{FieldError, Problem},
    extract::{
        MaybeUndefined,
        references::{LinkedReference, LinkedReferences, Nested, Reference, TermReferences},
    },
    store::{
        Term, Transaction,
        entity::event,
        linked_resource::{self, LinkedResource},
        links::{self, Link, LinkedIds},
        publishable::{self, PublishableRow},
        slugs,
        term::{self, TermColumns, TermRow},
    },
};

/// The name of the field that links events to this kind.
fn field(kind: Kind) -> &'static str {
    if kind.is_term() { kind.plural() } else { kind.name() }
}

fn push_once(ids: &mut Vec<i64>, id: i64) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}

/// The IDs of the terms that the event is to have. Names that nobody has become new terms.
pub async fn terms<E: Term>(
    context: &mut WriteContext<'_>,
    wanted: MaybeUndefined<TermReferences>,
) -> Result<Option<Vec<i64>>, Problem> {
    let references = match wanted {
        MaybeUndefined::Undefined => return Ok(None),
        MaybeUndefined::Null => return Ok(Some(Vec::new())),
        MaybeUndefined::Value(references) => references.0,
    };
    let known = known_terms::<E>(context, &references).await?;
    let mut ids = Vec::new();
    for reference in references {
        let found = match reference {
            Reference::Id(id) if known.contains(&id) => Some(id),
            _ => find_term::<E>(context.transaction, &reference).await?,
        };
        match found {
            Some(id) => push_once(&mut ids, id),
            None => match reference {
                Reference::Id(_) if context.caller.leniency.skip_unknown_terms => {}
                Reference::Id(id) => {
                    let error = FieldError::invalid(format!("must exist, and {id} does not"));
                    context.errors.add(field(E::KIND), error);
                }
                Reference::Name(name) => {
                    if let Some(id) = new_term::<E>(context, name).await? {
                        push_once(&mut ids, id);
                    }
                }
            },
        }
    }
    Ok(Some(ids))
}

/// Those of the IDs among the references that terms have.
async fn known_terms<E: Term>(context: &WriteContext<'_>, references: &[Reference]) -> Result<HashSet<i64>, Problem> {
    let ids: Vec<i64> = references
        .iter()
        .filter_map(|reference| match reference {
            Reference::Id(id) => Some(*id),
            Reference::Name(_) => None,
        })
        .collect();
    let terms = term::find_all::<E>(context.transaction, &ids).await?;
    Ok(terms.iter().map(|term| term.common_columns().id).collect())
}

/// The term that is meant: digits are an ID first; text is a slug first.
pub async fn find_term<E: Term>(
    database: &impl sea_orm::ConnectionTrait,
    reference: &Reference,
) -> Result<Option<i64>, Problem> {
    let name = match reference {
        Reference::Id(id) => {
            if term::find::<E>(database, *id).await?.is_some() {
                return Ok(Some(*id));
            }
            id.to_string()
        }
        Reference::Name(name) => name.clone(),
    };
    let found = match term::find_by_slug::<E>(database, &name.to_lowercase()).await? {
        Some(found) => Some(found),
        None => term::find_by_name::<E>(database, &fold(&name), None).await?,
    };
    Ok(found.map(|term| term.common_columns().id))
}

async fn new_term<E: Term>(context: &mut WriteContext<'_>, name: String) -> Result<Option<i64>, Problem> {
    if name.is_empty() || name.chars().count() > 200 {
        let error = FieldError::invalid("must be names of 1 to 200 characters, where they are new");
        context.errors.add(field(E::KIND), error);
        return Ok(None);
    }
    let caller = context.caller;
    if !caller.identity.may_create(E::KIND) {
        if caller.leniency.skip_unknown_terms {
            return Ok(None);
        }
        let message = format!("has the new name {name}, which editors only may make");
        context.forbid(field(E::KIND), &message);
        return Ok(None);
    }
    let mut columns = TermColumns {
        version: 1,
        name,
        ..TermColumns::default()
    };
    super::term::derive(&mut columns);
    slugs::lock_name(context.transaction, E::KIND, &columns.name_key).await?;
    // Somebody may have made it while this one waited.
    let made = term::find_by_name::<E>(context.transaction, &columns.name_key, None).await?;
    if let Some(made) = made {
        return Ok(Some(made.common_columns().id));
    }
    let stored = super::term::insert::<E>(context, columns).await?;
    Ok(Some(stored.common_columns().id))
}

/// The venues or organizers that an event is to have.
#[derive(Debug, Default)]
pub struct LinkedResources {
    ids: Vec<i64>,
    /// Those of them that are new and follow the event.
    followers: Vec<i64>,
}

impl LinkedResources {
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }
}

/// The venues or organizers that the event is to have instead of those that are `linked`. What is described becomes a
/// new one, unless there is one just like it.
pub async fn hosts<L>(
    context: &mut WriteContext<'_>,
    event: &event::Model,
    linked: &[i64],
    wanted: MaybeUndefined<LinkedReferences<<L::Target as Writable>::Fields>>,
) -> Result<Option<LinkedResources>, Problem>
where
    L: Link<Target: LinkedResource + Writable<Fields: Nested + Clone + Default>>,
    <L::Target as EntityTrait>::Model: PartialEq,
{
    let references = match wanted {
        MaybeUndefined::Undefined => return Ok(None),
        MaybeUndefined::Null => Vec::new(),
        MaybeUndefined::Value(references) => references.0,
    };
    let mut hosts = LinkedResources::default();
    let LinkedResources { ids, followers } = &mut hosts;
    let mut unknown = Vec::new();
    for reference in references {
        match reference {
            LinkedReference::Id(id) => {
                let found = publishable::find::<L::Target>(context.transaction, &publishable::Key::Id(id)).await?;
                let usable = found.is_some_and(|host| host.common_columns().status != Status::Trash);
                // A link survives the trash, also when the event is sent back as it was read.
                if usable || linked.contains(&id) {
                    push_once(ids, id);
                } else {
                    unknown.push(id.to_string());
                }
            }
            LinkedReference::New(fields) => {
                let found = find_or_create::<L::Target>(context, event, *fields, followers).await?;
                if let Some(id) = found {
                    push_once(ids, id);
                }
            }
        }
    }
    let kind = <L::Target as crate::store::Publishable>::KIND;
    if !unknown.is_empty() {
        let message = format!("must exist, and {} does not", unknown.join(", "));
        context.errors.add(field(kind), FieldError::invalid(message));
    }
    keep_unseen::<L>(context, linked, ids).await?;
    Ok(Some(hosts))
}

/// Makes the event link to exactly these, if any are told. Says whether that changed anything.
pub async fn save_hosts<L>(
    transaction: &Transaction,
    event: i64,
    before: &LinkedIds,
    hosts: Option<LinkedResources>,
) -> Result<bool, Problem>
where
    L: Link<Target: LinkedResource, ActiveModel: ActiveModelTrait<Entity = L> + Send>,
{
    let Some(LinkedResources { ids, followers }) = hosts else {
        return Ok(false);
    };
    linked_resource::set_following::<L::Target>(transaction, event, &followers).await?;
    Ok(links::replace::<L>(transaction, event, before, Some(ids)).await?)
}

/// What the writer can't see was not in what the writer read, and is not the writer's to unlink. It stays behind
/// what it stood behind, so that an event that is sent back as it was read stays as it is.
async fn keep_unseen<L: Link<Target: LinkedResource>>(
    context: &WriteContext<'_>,
    linked: &[i64],
    ids: &mut Vec<i64>,
) -> Result<(), Problem> {
    let (identity, now) = (context.caller.identity, context.caller.timestamp());
    let hosts = publishable::find_all::<L::Target>(context.transaction, linked).await?;
    let unseen: Vec<i64> = hosts
        .iter()
        .map(PublishableRow::common_columns)
        .filter(|columns| !identity.may_see(columns, now))
        .map(|columns| columns.id)
        .collect();
    for (index, id) in linked.iter().enumerate() {
        if unseen.contains(id) && !ids.contains(id) {
            let place = linked[..index]
                .iter()
                .rev()
                .find_map(|before| ids.iter().position(|id| id == before))
                .map_or(0, |position| position + 1);
            ids.insert(place, *id);
        }
    }
    Ok(())
}

async fn find_or_create<E>(
    context: &mut WriteContext<'_>,
    event: &event::Model,
    fields: E::Fields,
    followers: &mut Vec<i64>,
) -> Result<Option<i64>, Problem>
where
    E: LinkedResource + Writable<Fields: Nested + Clone + Default, Model: PartialEq>,
{
    let caller = context.caller;
    let name_key = fold(fields.name().unwrap_or_default());
    // Before any slug is locked: all who look for a name lock in this order.
    slugs::lock_name(context.transaction, E::KIND, &name_key).await?;
    let mut nested = WriteContext::new(caller, context.transaction, crate::error::ValidationErrors::default());
    let reused = E::reuse(&mut nested, &fields).await?;
    if let Some(existing) = reused.filter(|_| nested.errors.is_empty() && nested.forbidden.is_none()) {
        return Ok(Some(existing.common_columns().id));
    }
    let mut new = E::blank(caller);
    let mut columns = new.common_columns();
    let inherited = Inherited::from_event(&event.common_columns());
    inherited.give_to(&mut columns);
    new.set_common_columns(columns);
    let links = E::apply(&mut nested, &mut new, fields.clone()).await?;
    if !nested.errors.is_empty() {
        let told: Vec<String> = nested
            .errors
            .iter()
            .map(|(name, error)| format!("its {name} {}", error.message))
            .collect();
        let error = FieldError {
            code: E::KIND.could_not_create(),
            message: told.join("; "),
        };
        context.errors.add(field(E::KIND), error);
        return Ok(None);
    }
    if let Some(problem) = nested.forbidden.take() {
        context.forbidden.get_or_insert(problem);
        return Ok(None);
    }
    let author = caller.identity.user().unwrap_or_default();
    let candidates =
        linked_resource::find_by_name::<E>(context.transaction, &name_key, author, caller.timestamp()).await?;
    for candidate in candidates {
        if is_same::<E>(context, &candidate, &new, fields.clone()).await? {
            return Ok(Some(candidate.common_columns().id));
        }
    }
    let stored = publication::insert::<E>(context, new).await?.common_columns();
    E::save_links(context, stored.id, links).await?;
    if inherited.is_planned_for(&stored, caller.timestamp()) {
        followers.push(stored.id);
    }
    Ok(Some(stored.id))
}

/// Whether the fields that are given would change nothing of the candidate, the case of its name aside.
async fn is_same<E>(
    context: &WriteContext<'_>,
    candidate: &E::Model,
    new: &E::Model,
    fields: E::Fields,
) -> Result<bool, Problem>
where
    E: LinkedResource + Writable<Fields: Default, Model: PartialEq>,
{
    let same_name = candidate.common_columns().title.to_lowercase() == new.common_columns().title.to_lowercase();
    if !same_name {
        return Ok(false);
    }
    let mut trial = WriteContext::new(
        context.caller,
        context.transaction,
        crate::error::ValidationErrors::default(),
    );
    // Both with one name, so that its case does not count.
    let mut before = candidate.clone();
    let mut columns = before.common_columns();
    columns.title = new.common_columns().title;
    before.set_common_columns(columns);
    E::apply(&mut trial, &mut before, E::Fields::default()).await?;
    let mut after = before.clone();
    match E::apply(&mut trial, &mut after, fields).await {
        Ok(_) => Ok(before == after),
        // It asks for a slug that a third one has, and not for the candidate.
        Err(problem) if problem.status() == StatusCode::CONFLICT => Ok(false),
        Err(problem) => Err(problem),
    }
}
