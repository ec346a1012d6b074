//! Creates, updates and deletions of categories and tags, in one transaction each.

use std::sync::Arc;

use super::{Validated, WriteContext};
use crate::{
    auth::Writer,
    calendar::{
        Kind,
        slug::slugify,
        text::{fold, to_search_text},
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        ApplyTo, Create, MaybeUndefined, Payload, Update,
        number::Integer,
        text::{Html, Slug, Title},
    },
    store::{
        Term, Transaction,
        locks::{self, AdvisoryLock},
        slugs::{self, Slugs},
        term::{self, TermColumns, TermRow},
        term_list,
    },
};

/// The fields of a category or tag. Tags have no parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct TermFields {
    pub name: MaybeUndefined<Title>,
    pub description: MaybeUndefined<Html>,
    pub slug: MaybeUndefined<Slug>,
    pub parent: MaybeUndefined<Integer>,
}

/// Creates a term.
pub(crate) async fn create<E, P>(writer: &Writer, body: Create<P>) -> Result<E::Model, Problem>
where
    E: Term,
    P: Payload + Into<TermFields>,
{
    check_role::<E>(writer)?;
    let (payload, errors) = body.read().await?;
    let fields: TermFields = payload.into();
    let insert = |transaction: Arc<Transaction>| {
        let (fields, errors) = (fields.clone(), errors.clone());
        async move {
            let mut context = WriteContext::new(writer, &transaction, errors);
            let mut columns = TermColumns {
                version: 1,
                ..TermColumns::default()
            };
            apply::<E>(&mut context, &mut columns, fields).await?;
            context.check()?;
            insert::<E>(&context, columns).await
        }
    };
    writer.store().write(insert).await
}

/// Updates the given fields. Reports a missing term before validation errors.
pub(crate) async fn update<E, P>(writer: &Writer, id: i64, body: Update<P>) -> Result<E::Model, Problem>
where
    E: Term<Model: PartialEq>,
    P: Payload + Into<TermFields>,
{
    check_role::<E>(writer)?;
    let read: Result<Validated<TermFields>, Problem> =
        body.read().await.map(|(payload, errors)| (payload.into(), errors));
    let change = |transaction: Arc<Transaction>| {
        let read = read.clone();
        async move {
            let before = find_writable::<E>(writer, &transaction, id).await?;
            let (fields, errors) = read?;
            let mut context = WriteContext::new(writer, &transaction, errors);
            let mut after = before.common_columns();
            apply::<E>(&mut context, &mut after, fields).await?;
            context.check()?;
            if E::Model::from_columns(after.clone()) == before {
                return Ok(before);
            }
            Ok(term::update::<E>(&*transaction, &before, after, writer.timestamp()).await?)
        }
    };
    writer.store().write(change).await
}

/// Deletes the term. Returns it with the number of its events. Reports a missing term before the validation errors of
/// the query.
pub(crate) async fn delete<E: Term>(
    writer: &Writer,
    id: i64,
    errors: &ValidationErrors,
) -> Result<(E::Model, i64), Problem> {
    check_role::<E>(writer)?;
    let remove = |transaction: Arc<Transaction>| async move {
        let row = find_writable::<E>(writer, &transaction, id).await?;
        errors.clone().into_result()?;
        let columns = row.common_columns();
        let events = term_list::count::<E>(&*transaction, columns.id, writer.timestamp()).await?;
        term::delete::<E>(&*transaction, &columns, writer.timestamp()).await?;
        Ok((row, events))
    };
    writer.store().write(remove).await
}

fn check_role<E: Term>(writer: &Writer) -> Result<(), Problem> {
    match writer.identity.may_write(E::KIND) {
        true => Ok(()),
        false => Err(Problem::role_may_not_write_terms(E::KIND)),
    }
}

async fn find_writable<E: Term>(writer: &Writer, transaction: &Transaction, id: i64) -> Result<E::Model, Problem> {
    let row = term::find_for_update::<E>(transaction, id)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    writer.check_precondition(row.common_columns().version)?;
    Ok(row)
}

/// Computes the columns derived from name and slug.
pub(crate) fn derive(columns: &mut TermColumns) {
    columns.name_key = fold(&columns.name);
    columns.search_text = to_search_text(&[&columns.name, &columns.slug]);
}

/// Stores the given fields in the columns, and checks that name, slug and parent do not conflict with other terms.
pub(crate) async fn apply<E: Term>(
    context: &mut WriteContext<'_>,
    columns: &mut TermColumns,
    fields: TermFields,
) -> Result<(), Problem> {
    let TermFields {
        name,
        description,
        slug,
        parent,
    } = fields;
    let is_new = columns.id == 0;
    let before = columns.clone();
    if let MaybeUndefined::Value(name) = name {
        columns.name = name.0;
    }
    description.map_value(String::from).apply_to(&mut columns.description);
    apply_parent::<E>(context, columns, parent).await?;
    derive(columns);
    if is_new || columns.name_key != before.name_key || columns.parent != before.parent {
        check_name::<E>(context, columns).await?;
    }
    match slug {
        // A client that sends back an imported slug, which may have other letters than made ones, changes nothing.
        MaybeUndefined::Value(slug) if slug.0 != columns.slug && (is_new || slug.0 != slugify(&columns.slug)) => {
            let slugs = Slugs::<E>::of_terms(columns.id);
            if !is_new && slugs.is_taken(context.transaction, &slug.0).await? {
                return Err(Problem::slug_conflict(E::KIND, &slug.0));
            }
            columns.slug = slug.0;
        }
        MaybeUndefined::Null => columns.slug = slugify(&columns.name),
        MaybeUndefined::Undefined | MaybeUndefined::Value(_) => {}
    }
    if !is_new {
        columns.slug = free_slug::<E>(context, columns).await?;
    }
    derive(columns);
    Ok(())
}

/// Sets the parent of a category, which must exist and must not be the category itself or a descendant.
async fn apply_parent<E: Term>(
    context: &mut WriteContext<'_>,
    columns: &mut TermColumns,
    parent: MaybeUndefined<Integer>,
) -> Result<(), Problem> {
    let requested = match parent {
        MaybeUndefined::Undefined => return Ok(()),
        MaybeUndefined::Null => 0,
        MaybeUndefined::Value(id) => id.0,
    };
    if requested != 0 && requested != columns.parent {
        // Without the lock, two concurrent moves could form a cycle, and the parent could be deleted before this
        // category is stored.
        if columns.id == 0 {
            locks::take(context.transaction, [AdvisoryLock::CategoryTree]).await?;
        }
        let mut error = None;
        if term::find::<E>(context.transaction, requested).await?.is_none() {
            error = Some(FieldError::unknown_references("must exist", &[requested.to_string()]));
        } else if columns.id != 0
            && term::with_descendants::<E>(context.transaction, &[columns.id])
                .await?
                .contains(&requested)
        {
            error = Some(FieldError::invalid("must not be the category itself or one below it"));
        }
        if let Some(error) = error {
            context.errors.add("parent", error);
            return Ok(());
        }
    }
    columns.parent = requested;
    Ok(())
}

/// Names must be unique among the terms with the same parent.
async fn check_name<E: Term>(context: &WriteContext<'_>, columns: &TermColumns) -> Result<(), Problem> {
    if columns.name_key.is_empty() || context.errors.has("parent") {
        return Ok(());
    }
    let name = AdvisoryLock::of_name(E::KIND, &columns.name_key);
    locks::take(context.transaction, [name]).await?;
    let parent = E::PARENT.map(|_| columns.parent);
    let same_name = term::find_by_name::<E>(context.transaction, &columns.name_key, parent).await?;
    match same_name.map(|term| term.common_columns().id) {
        Some(id) if id != columns.id => Err(Problem::term_exists(E::KIND, &columns.name, id)),
        _ => Ok(()),
    }
}

async fn free_slug<E: Term>(context: &WriteContext<'_>, columns: &TermColumns) -> Result<String, Problem> {
    let base = match columns.slug.as_str() {
        "" => slug_or_fallback(E::KIND, &columns.name, columns.id),
        slug => slug.to_owned(),
    };
    slugs::lock_slug(context.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_terms(columns.id);
    Ok(slugs.find_free(context.transaction, &base).await?)
}

/// The slug of a name, or kind and number if the name yields no slug.
fn slug_or_fallback(kind: Kind, name: &str, number: i64) -> String {
    let slug = slugify(name);
    if slug.is_empty() {
        format!("{}-{number}", kind.name())
    } else {
        slug
    }
}

/// Inserts a term with a unique slug.
pub(crate) async fn insert<E: Term>(context: &WriteContext<'_>, mut columns: TermColumns) -> Result<E::Model, Problem> {
    if columns.slug.is_empty() {
        columns.slug = slugify(&columns.name);
    }
    let needs_id_slug = columns.slug.is_empty();
    columns.slug = if needs_id_slug {
        slugs::temporary()
    } else {
        free_slug::<E>(context, &columns).await?
    };
    derive(&mut columns);
    columns.modified_at = context.caller.timestamp();
    let stored = term::insert::<E>(context.transaction, columns).await?;
    if !needs_id_slug {
        return Ok(stored);
    }
    let mut named = stored.common_columns();
    let now = named.modified_at;
    named.slug = String::new();
    named.slug = free_slug::<E>(context, &named).await?;
    derive(&mut named);
    Ok(term::update::<E>(context.transaction, &stored, named, now).await?)
}
