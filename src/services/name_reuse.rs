//! Reuse of an existing venue or organizer instead of creating one with the same name.

use super::{Writable, WriteContext};
use crate::{
    calendar::text::fold,
    error::Problem,
    extract::NestedPayload,
    store::{
        linked_resource::{self, LinkedResource},
        locks::{self, AdvisoryLock},
        publishable::{self, Key, PublishableRow},
    },
};

/// Finds the venue or organizer with the name of the payload. Updates it if the writer may edit it, and otherwise
/// returns it unchanged.
pub(crate) async fn reuse<E>(context: &mut WriteContext<'_>, payload: &E::Payload) -> Result<Option<E::Model>, Problem>
where
    E: LinkedResource + Writable<Payload: NestedPayload, Model: PartialEq>,
{
    let caller = context.caller;
    let Some(name) = payload.name().filter(|_| caller.leniency.reuse_names) else {
        return Ok(None);
    };
    if !context.errors.is_empty() {
        return Ok(None);
    }
    let Some(existing) = find_for_update::<E>(context, name).await? else {
        return Ok(None);
    };
    let now = caller.timestamp();
    if !caller.identity.may_edit(&existing.common_columns()) {
        return Ok(Some(existing));
    }
    let mut after = existing.clone();
    E::apply(context, &mut after, payload.clone()).await?;
    let is_rejected = !context.errors.is_empty() || context.forbidden.is_some();
    if is_rejected || after == existing {
        return Ok(Some(existing));
    }
    let stored = publishable::update::<E>(context.transaction, &existing, after, now).await?;
    Ok(Some(stored))
}

/// Finds and locks the published object, or object of the writer, with this name and the lowest ID. Letter case is
/// ignored. Until the transaction ends, no other writer can create one with this name.
async fn find_for_update<E: LinkedResource>(
    context: &WriteContext<'_>,
    name: &str,
) -> Result<Option<E::Model>, Problem> {
    let caller = context.caller;
    let name_key = fold(name);
    locks::take(context.transaction, [AdvisoryLock::of_name(E::KIND, &name_key)]).await?;
    let author = caller.identity.user().unwrap_or_default();
    let candidates =
        linked_resource::find_by_name::<E>(context.transaction, &name_key, author, caller.timestamp()).await?;
    for candidate in candidates {
        let columns = candidate.common_columns();
        if columns.title.to_lowercase() != name.to_lowercase() {
            continue;
        }
        let locked = publishable::find_for_update::<E>(context.transaction, &Key::Id(columns.id)).await?;
        // It may have been moved to the trash while this writer waited for the lock.
        if let Some(row) = locked.filter(|row| !row.is_in_trash()) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
