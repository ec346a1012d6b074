//! The record of a category or a tag.

use serde::Serialize;

use crate::{services, store::term::TermColumns};

/// A category or a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(in crate::import) struct TermRecord {
    pub name: String,
    /// Empty if it is to be derived from the name.
    pub slug: String,
    pub description: String,
    /// The ID of the parent in this calendar; 0 if there is none.
    pub parent: i64,
}

impl TermRecord {
    /// The record of a stored term.
    pub(in crate::import) fn stored(columns: &TermColumns, source: Option<&Self>) -> Self {
        let has_slug = source.is_none_or(|source| !source.slug.is_empty());
        Self {
            name: columns.name.clone(),
            slug: if has_slug { columns.slug.clone() } else { String::new() },
            description: columns.description.clone(),
            parent: columns.parent,
        }
    }

    /// Stores the values, except the slug.
    pub(in crate::import) fn store(&self, columns: &mut TermColumns) {
        let Self {
            name,
            slug: _,
            description,
            parent,
        } = self;
        columns.name.clone_from(name);
        columns.description.clone_from(description);
        columns.parent = *parent;
        services::term::derive(columns);
    }
}
