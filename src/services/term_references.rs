//! The categories and tags in the payload of an event: references to existing terms, or new names.

use std::{iter::zip, slice};

use super::{WriteContext, event_references::resolve_terms, linked_references::push_once};
use crate::{
    calendar::TermReference,
    error::{FieldError, Problem},
    extract::{MaybeUndefined, references::TermReferences},
    store::{
        Term,
        locks::{self, AdvisoryLock},
        term::{self, TermColumns, TermRow},
    },
};

/// Resolves references to the IDs of terms. Creates terms for unknown names.
pub(crate) async fn resolve<E: Term>(
    context: &mut WriteContext<'_>,
    requested: MaybeUndefined<TermReferences>,
) -> Result<Option<Vec<i64>>, Problem> {
    let references = match requested {
        MaybeUndefined::Undefined => return Ok(None),
        MaybeUndefined::Null => return Ok(Some(Vec::new())),
        MaybeUndefined::Value(references) => references.0,
    };
    let existing = resolve_terms::<E>(context, &references).await?;
    let mut ids = Vec::new();
    let mut has_created = false;
    for (reference, existing) in zip(references, existing) {
        // A term created for a previous reference may match this one.
        let found = if has_created {
            let again = term::resolve::<E>(context.transaction, slice::from_ref(&reference)).await?;
            again.into_iter().next().flatten()
        } else {
            existing
        };
        match found {
            Some(id) => push_once(&mut ids, id),
            None => match reference {
                TermReference::Id(_) if context.caller.leniency.skip_unknown_terms => {}
                TermReference::Id(id) => {
                    let error = FieldError::unknown_references("must exist", &[id.to_string()]);
                    context.errors.add(E::KIND.plural(), error);
                }
                TermReference::Name(name) => {
                    if let Some(id) = create_term::<E>(context, name).await? {
                        has_created = true;
                        push_once(&mut ids, id);
                    }
                }
            },
        }
    }
    Ok(Some(ids))
}

async fn create_term<E: Term>(context: &mut WriteContext<'_>, name: String) -> Result<Option<i64>, Problem> {
    if name.is_empty() || name.chars().count() > 200 {
        let error = FieldError::invalid("must have 1 to 200 characters in each new name");
        context.errors.add(E::KIND.plural(), error);
        return Ok(None);
    }
    let caller = context.caller;
    if !caller.identity.may_create(E::KIND) {
        if caller.leniency.skip_unknown_terms {
            return Ok(None);
        }
        let message = format!("has the new name {name}, which only editors may create");
        context.forbid(E::KIND.plural(), &message);
        return Ok(None);
    }
    let mut columns = TermColumns {
        version: 1,
        name,
        ..TermColumns::default()
    };
    super::term::derive(&mut columns);
    let name = AdvisoryLock::of_name(E::KIND, &columns.name_key);
    locks::take(context.transaction, [name]).await?;
    // Another writer may have created it while this one waited for the lock.
    let existing = term::find_by_name::<E>(context.transaction, &columns.name_key, None).await?;
    if let Some(existing) = existing {
        return Ok(Some(existing.common_columns().id));
    }
    let stored = super::term::insert::<E>(context, columns).await?;
    if let Some(references) = context.references.as_deref_mut() {
        references.forget_terms();
    }
    Ok(Some(stored.common_columns().id))
}
