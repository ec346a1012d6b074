//! The fields of categories and tags.

use super::Edit;
use crate::{
    api::described::{CategoryFields, TagFields},
    calendar::{
        Kind,
        slug::slugify,
        text::{fold, searched},
    },
    store::{
        Term, locks,
        slugs::{self, Slugs},
        term::{self, TermFrame, TermRow},
    },
    wire::{
        Fault, Field, Problem,
        numbers::Integer,
        texts::{Html, Slug, Title},
    },
};

/// The fields of a term as they come in; a tag's have no parent.
#[derive(Clone, Debug, Default)]
pub struct TermFields {
    pub name: Field<Title>,
    pub description: Field<Html>,
    pub slug: Field<Slug>,
    pub parent: Field<Integer>,
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
            parent: Field::Absent,
        }
    }
}

/// What follows from name and slug.
pub fn derive(frame: &mut TermFrame) {
    frame.name_key = fold(&frame.name);
    frame.search_text = searched(&[&frame.name, &frame.slug]);
}

/// Puts the fields that are given into the term, and checks it against the others.
pub async fn apply<E: Term>(edit: &mut Edit<'_>, frame: &mut TermFrame, fields: TermFields) -> Result<(), Problem> {
    let TermFields {
        name,
        description,
        slug,
        parent,
    } = fields;
    let is_new = frame.id == 0;
    let before = frame.clone();
    if let Field::Given(name) = name {
        frame.name = name.0;
    }
    description.map(String::from).write_to(&mut frame.description);
    apply_parent::<E>(edit, frame, parent).await?;
    derive(frame);
    if is_new || frame.name_key != before.name_key || frame.parent != before.parent {
        check_name::<E>(edit, frame).await?;
    }
    match slug {
        Field::Given(slug) if slug.0 != frame.slug => {
            let slugs = Slugs::<E>::of_terms(frame.id);
            if !is_new && slugs.has(edit.transaction, &slug.0).await? {
                return Err(Problem::slug_conflict(E::KIND, &slug.0));
            }
            frame.slug = slug.0;
        }
        Field::Cleared => frame.slug = slugify(&frame.name),
        Field::Absent | Field::Given(_) => {}
    }
    if !is_new {
        frame.slug = free_slug::<E>(edit, frame).await?;
    }
    derive(frame);
    Ok(())
}

/// A category's parent must exist, and must not be itself or below it.
async fn apply_parent<E: Term>(
    edit: &mut Edit<'_>,
    frame: &mut TermFrame,
    parent: Field<Integer>,
) -> Result<(), Problem> {
    let wanted = match parent {
        Field::Absent => return Ok(()),
        Field::Cleared => 0,
        Field::Given(id) => id.0,
    };
    if wanted != 0 && wanted != frame.parent {
        // Two that go below each other at once would each see the other still outside, and a parent could be
        // deleted before this one is stored.
        if frame.id == 0 {
            locks::category_tree(edit.transaction).await?;
        }
        let mut fault = None;
        if term::find::<E>(edit.transaction, wanted).await?.is_none() {
            fault = Some(format!("must exist, and {wanted} does not"));
        } else if frame.id != 0
            && term::with_descendants::<E>(edit.transaction, &[frame.id])
                .await?
                .contains(&wanted)
        {
            fault = Some("must not be the category itself or one below it".to_owned());
        }
        if let Some(message) = fault {
            edit.faults.add("parent", Fault::invalid(message));
            return Ok(());
        }
    }
    frame.parent = wanted;
    Ok(())
}

/// A name is given once under one parent.
async fn check_name<E: Term>(edit: &Edit<'_>, frame: &TermFrame) -> Result<(), Problem> {
    if frame.name_key.is_empty() || edit.faults.has("parent") {
        return Ok(());
    }
    slugs::take_turns(edit.transaction, E::KIND, &frame.name_key).await?;
    let parent = E::PARENT.map(|_| frame.parent);
    let rival = term::find_by_name::<E>(edit.transaction, &frame.name_key, parent).await?;
    match rival.map(|rival| rival.frame().id) {
        Some(id) if id != frame.id => Err(Problem::term_exists(E::KIND, &frame.name, id)),
        _ => Ok(()),
    }
}

async fn free_slug<E: Term>(edit: &Edit<'_>, frame: &TermFrame) -> Result<String, Problem> {
    let base = match frame.slug.as_str() {
        "" => slug_of(E::KIND, &frame.name, frame.id),
        slug => slug.to_owned(),
    };
    slugs::take_turns_for_slug(edit.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_terms(frame.id);
    Ok(slugs.free(edit.transaction, &base).await?)
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
pub async fn insert<E: Term>(edit: &Edit<'_>, mut frame: TermFrame) -> Result<E::Model, Problem> {
    if frame.slug.is_empty() {
        frame.slug = slugify(&frame.name);
    }
    let is_nameless = frame.slug.is_empty();
    frame.slug = if is_nameless {
        // Nobody sees it: the transaction ends with another one.
        format!("{:032x}", rand::random::<u128>())
    } else {
        free_slug::<E>(edit, &frame).await?
    };
    derive(&mut frame);
    let stored = term::insert::<E>(edit.transaction, frame).await?;
    if !is_nameless {
        return Ok(stored);
    }
    let mut named = stored.frame();
    named.slug = String::new();
    named.slug = free_slug::<E>(edit, &named).await?;
    derive(&mut named);
    Ok(term::update::<E>(edit.transaction, &stored, named).await?)
}
