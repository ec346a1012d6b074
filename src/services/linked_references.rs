//! The venues and organizers in the payload of an event: references to existing ones, or nested objects.

use sea_orm::ActiveModelTrait;

use super::{
    Writable, WritableLinkedResource, WriteContext, event_references::replace_preliminary_id, external_id,
    inherited_publication::Inherited, publication,
};
use crate::{
    auth::Caller,
    calendar::text::fold,
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        MaybeUndefined, NestedPayload,
        linked_references::{LinkedReference, LinkedReferences, nested_errors},
    },
    store::{
        Publishable,
        batch::Batch,
        denormalised,
        entity::event,
        linked_resource::{self, LinkedResource},
        links::{self, Link, LinkedIds},
        publishable::{self, PublishableRow},
    },
};

/// Adds an ID unless the list contains it.
pub(crate) fn push_once(ids: &mut Vec<i64>, id: i64) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}

/// The venues or organizers that an event will link to.
#[derive(Debug, Default)]
pub(crate) struct LinkedResources {
    ids: Vec<i64>,
    /// True if one of them is a published venue with coordinates.
    pub is_located: bool,
    /// New venues or organizers that follow the publication of the event.
    followers: Vec<i64>,
}

impl LinkedResources {
    pub(crate) fn ids(&self) -> &[i64] {
        &self.ids
    }

    pub(super) fn into_ids(self) -> Vec<i64> {
        self.ids
    }

    /// Replaces the preliminary IDs of new ones, which are stored now.
    pub(super) fn replace_preliminary_ids(&mut self, stored: &[i64]) {
        for id in self.ids.iter_mut().chain(&mut self.followers) {
            replace_preliminary_id(id, stored);
        }
    }

    /// Adds the statements that make the new ones follow the publication of the event.
    pub(crate) fn follow<L: Link<Target: LinkedResource>>(&self, batch: &mut Batch, event: i64) {
        linked_resource::set_following::<L::Target>(batch, event, &self.followers);
    }
}

/// The folded name of a nested object.
pub(super) fn name_key(payload: &impl NestedPayload) -> String {
    fold(payload.name().unwrap_or_default())
}

/// Resolves the references of a payload, which replace the `linked` ones. Creates a venue or organizer for a nested
/// object unless one with the same fields exists. The writer holds the locks of their names.
pub(crate) async fn resolve<L>(
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
    let LinkedResources {
        ids,
        is_located,
        followers,
    } = &mut resolved;
    let mut unknown = Vec::new();
    for reference in references {
        match reference {
            LinkedReference::Id(id) => {
                let found = find::<L::Target>(context, id).await?;
                *is_located |= found.as_ref().is_some_and(L::Target::is_located);
                let is_usable = found.is_some_and(|resource| !resource.is_in_trash());
                // Existing links to objects in the trash are kept, so that an unmodified event can be sent back.
                if is_usable || linked.contains(&id) {
                    push_once(ids, id);
                } else {
                    unknown.push(id.to_string());
                }
            }
            LinkedReference::New(payload) => {
                // Like a whole write, it has a large state: see `Store::write`.
                let found = Box::pin(find_or_create::<L::Target>(context, event, *payload, followers)).await?;
                if let Some(resource) = found {
                    *is_located |= L::Target::is_located(&resource);
                    push_once(ids, resource.id());
                }
            }
        }
    }
    let kind = <L::Target as Publishable>::KIND;
    if !unknown.is_empty() {
        let error = FieldError::unknown_references("must exist", &unknown);
        context.errors.add(kind.name(), error);
    }
    retain_invisible_links::<L>(context, linked, ids).await?;
    Ok(Some(resolved))
}

/// Adds the statements that replace the links of the event if `linked` is given. Returns whether any link changes.
pub(crate) fn save<L>(
    batch: &mut Batch,
    event: &event::Model,
    before: &LinkedIds,
    linked: Option<LinkedResources>,
) -> bool
where
    L: Link<Target: LinkedResource, ActiveModel: ActiveModelTrait<Entity = L> + Send>,
{
    let Some(LinkedResources { ids, followers, .. }) = linked else {
        return false;
    };
    linked_resource::set_following::<L::Target>(batch, event.id, &followers);
    links::replace::<L>(batch, event, before, Some(ids))
}

/// Keeps links to objects that the writer may not see, each after its predecessor, so that sending back an unmodified
/// event changes nothing.
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
            let position = linked[..index]
                .iter()
                .rev()
                .find_map(|before| ids.iter().position(|id| id == before))
                .map_or(0, |position| position + 1);
            ids.insert(position, *id);
        }
    }
    Ok(())
}

/// Finds the object with this ID.
async fn find<E: WritableLinkedResource>(context: &mut WriteContext<'_>, id: i64) -> Result<Option<E::Model>, Problem> {
    let known = context.references.as_deref_mut();
    let known = known.and_then(|references| E::referenced(references).with_id(id));
    match known {
        Some(row) => Ok(Some(row.clone())),
        None => Ok(publishable::find::<E>(context.transaction, &publishable::Key::Id(id)).await?),
    }
}

async fn find_or_create<E>(
    context: &mut WriteContext<'_>,
    event: &event::Model,
    mut payload: E::Payload,
    followers: &mut Vec<i64>,
) -> Result<Option<E::Model>, Problem>
where
    E: WritableLinkedResource,
{
    if let Some(existing) = external_id::find_nested::<E>(context, &mut payload).await? {
        return Ok(Some(existing));
    }
    let caller = context.caller;
    let name_key = name_key(&payload);
    let mut nested = WriteContext::new(caller, context.transaction, ValidationErrors::default());
    let reused = E::reuse(&mut nested, &payload).await?;
    if let Some(existing) = reused.filter(|_| nested.errors.is_empty() && nested.forbidden.is_none()) {
        return Ok(Some(existing));
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
    let found;
    let candidates = match context.references.as_deref_mut() {
        Some(references) => E::referenced(references).with_name(&name_key),
        None => {
            let now = caller.timestamp();
            found = linked_resource::find_by_name::<E>(context.transaction, &name_key, author, now).await?;
            &found
        }
    };
    let mut candidates = candidates.iter();
    if let Some(same) = candidates.find(|candidate| is_same::<E>(caller, candidate, &new, &payload)) {
        return Ok(Some(same.clone()));
    }
    // Otherwise the insertion of the link would update the row again.
    E::set_last_ends_at(&mut new, denormalised::published_at(event).map(|_| event.ends_at));
    let stored = match context.references.as_deref_mut() {
        Some(references) => E::referenced(references).add(caller, new),
        None => publication::insert::<E>(context.transaction, new).await?,
    };
    let columns = stored.common_columns();
    if inherited.may_be_followed_by(&columns, caller.timestamp()) {
        followers.push(columns.id);
    }
    Ok(Some(stored))
}

/// Whether the candidate matches all given fields, ignoring the letter case of its name. `new` is the row that the
/// fields would create.
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
        && publication::matches(caller, &publication, &candidate_columns, &new_columns)
}
