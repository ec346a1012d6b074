//! An existing venue or organizer in the place of a new one with the same name.

use super::{Edit, Edited};
use crate::{
    calendar::{status::Status, text::fold},
    store::{
        hosts::{self, Host},
        post::{self, Key, PostRow},
        slugs,
    },
    wire::{Problem, references::Nested},
};

/// The one that has the name in the fields already, with the fields stored in it if the writer may edit it. Others get
/// it as it is.
pub async fn reuse<E>(edit: &mut Edit<'_>, fields: &E::Fields) -> Result<Option<E::Model>, Problem>
where
    E: Host + Edited<Fields: Nested, Model: PartialEq>,
{
    let caller = edit.caller;
    let Some(name) = fields.name().filter(|_| caller.leniency.reuse_names) else {
        return Ok(None);
    };
    if !edit.faults.is_empty() {
        return Ok(None);
    }
    let Some(existing) = find_for_update::<E>(edit, name).await? else {
        return Ok(None);
    };
    let now = caller.timestamp();
    if !caller.identity.may_edit(&existing.frame()) {
        return Ok(Some(existing));
    }
    let mut after = existing.clone();
    E::apply(edit, &mut after, fields.clone()).await?;
    let is_refused = !edit.faults.is_empty() || edit.forbidden.is_some();
    if is_refused || after == existing {
        return Ok(Some(existing));
    }
    let stored = post::update::<E>(edit.transaction, &existing, after, now).await?;
    Ok(Some(stored))
}

/// Finds and locks the one with this name, in any letter case, that has the lowest ID of those that are published or the
/// writer's own. Until the transaction ends, no other writer creates one with this name.
async fn find_for_update<E: Host>(edit: &Edit<'_>, name: &str) -> Result<Option<E::Model>, Problem> {
    let caller = edit.caller;
    let name_key = fold(name);
    slugs::take_turns(edit.transaction, E::KIND, &name_key).await?;
    let author = caller.identity.user().unwrap_or_default();
    let candidates = hosts::find_by_name::<E>(edit.transaction, &name_key, author, caller.timestamp()).await?;
    for candidate in candidates {
        let frame = candidate.frame();
        if frame.title.to_lowercase() != name.to_lowercase() {
            continue;
        }
        let locked = post::find_for_update::<E>(edit.transaction, &Key::Id(frame.id)).await?;
        // It may have gone to the trash while this writer waited for the lock.
        if let Some(row) = locked.filter(|row| row.frame().status != Status::Trash) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
