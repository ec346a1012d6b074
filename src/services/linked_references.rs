//! The venues and organizers in the body of an event: objects that exist, or that are created with it.

use sea_orm::ActiveModelTrait;

use super::{Writable, WritableLinkedResource, WriteContext, inherited_publication::Inherited, publication};
use crate::{
    auth::Caller,
    calendar::{status::Status, text::fold},
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        MaybeUndefined, NestedPayload,
        linked_references::{LinkedReference, LinkedReferences, nested_errors},
    },
    store::{
        Publishable, Transaction,
        entity::event,
        linked_resource::{self, LinkedResource},
        links::{self, Link, LinkedIds},
        publishable::{self, PublishableRow},
        slugs,
    },
};

/// Adds an ID that is not in the list yet.
pub fn push_once(ids: &mut Vec<i64>, id: i64) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}

/// The venues or organizers that an event will link to.
#[derive(Debug, Default)]
pub struct LinkedResources {
    ids: Vec<i64>,
    /// Those that are new and take over the event's publication.
    followers: Vec<i64>,
}

impl LinkedResources {
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }
}

/// Resolves the references of a body, which replace the `linked` ones. A nested object becomes a new venue or organizer,
/// unless one exists that agrees with it.
pub async fn resolve<L>(
    context: &mut WriteContext<'_>,
    event: &event::Model,
    linked: &[i64],
    requested: MaybeUndefined<LinkedReferences<<L::Target as Writable>::Payload>>,
) -> Result<Option<LinkedResources>, Problem>
where
    L: Link<Target: WritableLinkedResource>,
{
    let references = match requested {
        MaybeUndefined::Undefined => return Ok(None),
        MaybeUndefined::Null => Vec::new(),
        MaybeUndefined::Value(references) => references.0,
    };
    let mut resolved = LinkedResources::default();
    let LinkedResources { ids, followers } = &mut resolved;
    let mut unknown = Vec::new();
    for reference in references {
        match reference {
            LinkedReference::Id(id) => {
                let found = publishable::find::<L::Target>(context.transaction, &publishable::Key::Id(id)).await?;
                let usable = found.is_some_and(|resource| resource.common_columns().status != Status::Trash);
                // A link survives the trash, also when the event is sent back as it was read.
                if usable || linked.contains(&id) {
                    push_once(ids, id);
                } else {
                    unknown.push(id.to_string());
                }
            }
            LinkedReference::New(payload) => {
                let found = find_or_create::<L::Target>(context, event, *payload, followers).await?;
                if let Some(id) = found {
                    push_once(ids, id);
                }
            }
        }
    }
    let kind = <L::Target as Publishable>::KIND;
    if !unknown.is_empty() {
        let message = format!("must exist, and {} does not", unknown.join(", "));
        context.errors.add(kind.name(), FieldError::invalid(message));
    }
    retain_invisible_links::<L>(context, linked, ids).await?;
    Ok(Some(resolved))
}

/// Replaces the links of the event, if any are given. Returns whether that changed anything.
pub async fn save<L>(
    transaction: &Transaction,
    event: i64,
    before: &LinkedIds,
    linked: Option<LinkedResources>,
) -> Result<bool, Problem>
where
    L: Link<Target: LinkedResource, ActiveModel: ActiveModelTrait<Entity = L> + Send>,
{
    let Some(LinkedResources { ids, followers }) = linked else {
        return Ok(false);
    };
    linked_resource::set_following::<L::Target>(transaction, event, &followers).await?;
    Ok(links::replace::<L>(transaction, event, before, Some(ids)).await?)
}

/// Keeps the links that the writer can't see, each behind its predecessor: an event that is sent back as it was read
/// does not change.
async fn retain_invisible_links<L: Link<Target: LinkedResource>>(
    context: &WriteContext<'_>,
    linked: &[i64],
    ids: &mut Vec<i64>,
) -> Result<(), Problem> {
    let (identity, now) = (context.caller.identity, context.caller.timestamp());
    let rows = publishable::find_all::<L::Target>(context.transaction, linked).await?;
    let invisible: Vec<i64> = rows
        .iter()
        .map(PublishableRow::common_columns)
        .filter(|columns| !identity.may_see(columns, now))
        .map(|columns| columns.id)
        .collect();
    for (index, id) in linked.iter().enumerate() {
        if invisible.contains(id) && !ids.contains(id) {
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
    payload: E::Payload,
    followers: &mut Vec<i64>,
) -> Result<Option<i64>, Problem>
where
    E: WritableLinkedResource,
{
    let caller = context.caller;
    let name_key = fold(payload.name().unwrap_or_default());
    // Names are locked before slugs, by all writers.
    slugs::lock_name(context.transaction, E::KIND, &name_key).await?;
    let mut nested = WriteContext::new(caller, context.transaction, ValidationErrors::default());
    let reused = E::reuse(&mut nested, &payload).await?;
    if let Some(existing) = reused.filter(|_| nested.errors.is_empty() && nested.forbidden.is_none()) {
        return Ok(Some(existing.common_columns().id));
    }
    let mut new = E::blank(caller);
    let mut columns = new.common_columns();
    let inherited = Inherited::from_event(&event.common_columns());
    inherited.apply_to(&mut columns);
    new.set_common_columns(columns);
    E::apply(&mut nested, &mut new, payload.clone()).await?;
    if !nested.errors.is_empty() {
        let error = FieldError {
            code: E::KIND.could_not_create(),
            message: nested_errors(&nested.errors),
        };
        context.errors.add(E::KIND.name(), error);
        return Ok(None);
    }
    if let Some(problem) = nested.forbidden.take() {
        context.forbidden.get_or_insert(problem);
        return Ok(None);
    }
    let author = caller.identity.user().unwrap_or_default();
    let candidates =
        linked_resource::find_by_name::<E>(context.transaction, &name_key, author, caller.timestamp()).await?;
    if let Some(same) = candidates
        .iter()
        .find(|candidate| is_same::<E>(caller, candidate, &new, &payload))
    {
        return Ok(Some(same.common_columns().id));
    }
    let stored = publication::insert::<E>(context, new).await?.common_columns();
    if inherited.may_be_followed_by(&stored, caller.timestamp()) {
        followers.push(stored.id);
    }
    Ok(Some(stored.id))
}

/// Whether the candidate agrees with all given fields, the case of its name aside. `new` is the row that the fields
/// would make.
fn is_same<E: WritableLinkedResource>(
    caller: &Caller,
    candidate: &E::Model,
    new: &E::Model,
    payload: &E::Payload,
) -> bool {
    let mut changed = candidate.clone();
    let publication = E::set_columns(&mut changed, payload.clone());
    let (candidate_columns, new_columns) = (candidate.common_columns(), new.common_columns());
    candidate_columns.title.to_lowercase() == new_columns.title.to_lowercase()
        && changed == *candidate
        && publication::agrees(caller, &publication, &candidate_columns, &new_columns)
}
