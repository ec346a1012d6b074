//! The categories and tags in the body of an event: terms that exist, or new names.

use std::collections::HashSet;

use super::{WriteContext, linked_references::push_once};
use crate::{
    calendar::text::fold,
    error::{FieldError, Problem},
    extract::{
        MaybeUndefined,
        references::{Reference, TermReferences},
    },
    store::{
        Term, slugs,
        term::{self, TermColumns, TermRow},
    },
};

/// The IDs of the terms that the event is to have. Names that nobody has become new terms.
pub async fn resolve<E: Term>(
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
                    context.errors.add(E::KIND.plural(), error);
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
        context.errors.add(E::KIND.plural(), error);
        return Ok(None);
    }
    let caller = context.caller;
    if !caller.identity.may_create(E::KIND) {
        if caller.leniency.skip_unknown_terms {
            return Ok(None);
        }
        let message = format!("has the new name {name}, which editors only may make");
        context.forbid(E::KIND.plural(), &message);
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
