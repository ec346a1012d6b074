//! The fields of categories and tags.

use super::WriteContext;
use crate::{
    api::described::{CategoryFields, TagFields},
    calendar::{
        Kind,
        slug::slugify,
        text::{fold, searched},
    },
    error::{FieldError, Problem},
    extract::{
        ApplyTo, MaybeUndefined,
        number::Integer,
        text::{Html, Slug, Title},
    },
    store::{
        Term, locks,
        slugs::{self, Slugs},
        term::{self, TermColumns, TermRow},
    },
};

/// The fields of a term as they come in; a tag's have no parent.
#[derive(Clone, Debug, Default)]
pub struct TermFields {
    pub name: MaybeUndefined<Title>,
    pub description: MaybeUndefined<Html>,
    pub slug: MaybeUndefined<Slug>,
    pub parent: MaybeUndefined<Integer>,
}

impl From<CategoryFields> for TermFields {
    fn from(fields: CategoryFields) -> Self {
        let CategoryFields {
            name,
            description,
            slug,
            parent,
        } = fields;
        Self {
            name,
            description,
            slug,
            parent,
        }
    }
}

impl From<TagFields> for TermFields {
    fn from(fields: TagFields) -> Self {
        let TagFields {
            name,
            description,
            slug,
        } = fields;
        Self {
            name,
            description,
            slug,
            parent: MaybeUndefined::Undefined,
        }
    }
}

/// What follows from name and slug.
pub fn derive(columns: &mut TermColumns) {
    columns.name_key = fold(&columns.name);
    columns.search_text = searched(&[&columns.name, &columns.slug]);
}

/// Puts the fields that are given into the term, and checks it against the others.
pub async fn apply<E: Term>(
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
        MaybeUndefined::Value(slug) if slug.0 != columns.slug => {
            let slugs = Slugs::<E>::of_terms(columns.id);
            if !is_new && slugs.has(context.transaction, &slug.0).await? {
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

/// A category's parent must exist, and must not be itself or below it.
async fn apply_parent<E: Term>(
    context: &mut WriteContext<'_>,
    columns: &mut TermColumns,
    parent: MaybeUndefined<Integer>,
) -> Result<(), Problem> {
    let wanted = match parent {
        MaybeUndefined::Undefined => return Ok(()),
        MaybeUndefined::Null => 0,
        MaybeUndefined::Value(id) => id.0,
    };
    if wanted != 0 && wanted != columns.parent {
        // Two that go below each other at once would each see the other still outside, and a parent could be
        // deleted before this one is stored.
        if columns.id == 0 {
            locks::category_tree(context.transaction).await?;
        }
        let mut error = None;
        if term::find::<E>(context.transaction, wanted).await?.is_none() {
            error = Some(format!("must exist, and {wanted} does not"));
        } else if columns.id != 0
            && term::with_descendants::<E>(context.transaction, &[columns.id])
                .await?
                .contains(&wanted)
        {
            error = Some("must not be the category itself or one below it".to_owned());
        }
        if let Some(message) = error {
            context.errors.add("parent", FieldError::invalid(message));
            return Ok(());
        }
    }
    columns.parent = wanted;
    Ok(())
}

/// A name is given once under one parent.
async fn check_name<E: Term>(context: &WriteContext<'_>, columns: &TermColumns) -> Result<(), Problem> {
    if columns.name_key.is_empty() || context.errors.has("parent") {
        return Ok(());
    }
    slugs::lock_name(context.transaction, E::KIND, &columns.name_key).await?;
    let parent = E::PARENT.map(|_| columns.parent);
    let rival = term::find_by_name::<E>(context.transaction, &columns.name_key, parent).await?;
    match rival.map(|rival| rival.common_columns().id) {
        Some(id) if id != columns.id => Err(Problem::term_exists(E::KIND, &columns.name, id)),
        _ => Ok(()),
    }
}

async fn free_slug<E: Term>(context: &WriteContext<'_>, columns: &TermColumns) -> Result<String, Problem> {
    let base = match columns.slug.as_str() {
        "" => slug_of(E::KIND, &columns.name, columns.id),
        slug => slug.to_owned(),
    };
    slugs::lock_slug(context.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_terms(columns.id);
    Ok(slugs.free(context.transaction, &base).await?)
}

/// The slug that a name would have, or the kind and a number where nothing is left.
fn slug_of(kind: Kind, name: &str, number: i64) -> String {
    let slug = slugify(name);
    if slug.is_empty() {
        format!("{}-{number}", kind.name())
    } else {
        slug
    }
}

/// Stores a new term with a slug that nobody has.
pub async fn insert<E: Term>(context: &WriteContext<'_>, mut columns: TermColumns) -> Result<E::Model, Problem> {
    if columns.slug.is_empty() {
        columns.slug = slugify(&columns.name);
    }
    let is_nameless = columns.slug.is_empty();
    columns.slug = if is_nameless {
        // Nobody sees it: the transaction ends with another one.
        format!("{:032x}", rand::random::<u128>())
    } else {
        free_slug::<E>(context, &columns).await?
    };
    derive(&mut columns);
    let stored = term::insert::<E>(context.transaction, columns).await?;
    if !is_nameless {
        return Ok(stored);
    }
    let mut named = stored.common_columns();
    named.slug = String::new();
    named.slug = free_slug::<E>(context, &named).await?;
    derive(&mut named);
    Ok(term::update::<E>(context.transaction, &stored, named).await?)
}
