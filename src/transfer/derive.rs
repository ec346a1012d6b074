//! The columns that records leave out, computed from the others.

use super::{
    batch::{Batch, Line},
    errors::LineErrors,
};
use crate::{
    calendar::{
        Kind,
        html::{TooComplex, sanitize, text_content},
    },
    services,
    store::{
        series::SharedFields,
        term::{TermColumns, TermRow},
    },
};

/// Whether descriptions and excerpts may have any markup. A backup has what the server has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    Trusted,
    Untrusted,
}

/// Computes the derived columns. Returns the number of texts whose markup had to be changed, or the errors.
pub(super) fn derive(batch: &mut Batch, markup: Markup) -> Result<u64, LineErrors> {
    let mut cleaner = Cleaner {
        markup,
        changed: 0,
        errors: LineErrors::default(),
    };
    for category in &mut batch.categories {
        cleaner.clean_term(Kind::Category, category.id, &mut category.description);
        *category = derived_term(&*category);
    }
    for tag in &mut batch.tags {
        cleaner.clean_term(Kind::Tag, tag.id, &mut tag.description);
        *tag = derived_term(&*tag);
    }
    for Line { number, row } in &mut batch.venues {
        cleaner.clean(*number, &mut row.description);
        row.description_text = Some(text_content(&row.description));
        services::venue::derive(row);
    }
    for Line { number, row } in &mut batch.organizers {
        cleaner.clean(*number, &mut row.description);
        row.description_text = Some(text_content(&row.description));
        services::organizer::derive(row);
    }
    for Line { number, row } in &mut batch.series {
        cleaner.clean_shared_fields(*number, &mut row.fields);
    }
    for Line { number, row: (row, _) } in &mut batch.events {
        cleaner.clean(*number, &mut row.description);
        cleaner.clean(*number, &mut row.excerpt);
        row.description_text = Some(text_content(&row.description));
        row.derive_search_text();
        row.derive_keys();
    }
    match cleaner.errors.is_empty() {
        true => Ok(cleaner.changed),
        false => Err(cleaner.errors),
    }
}

/// The term with its derived columns computed.
pub(super) fn derived_term<R: TermRow>(row: &R) -> R {
    let mut columns: TermColumns = row.common_columns();
    services::term::derive(&mut columns);
    R::from_columns(columns)
}

struct Cleaner {
    markup: Markup,
    changed: u64,
    errors: LineErrors,
}

impl Cleaner {
    /// Cleans a text of a line.
    fn clean(&mut self, line: u64, html: &mut String) {
        if let Err(error) = self.sanitize(html) {
            self.errors.add(line, &format!("the markup {error}"));
        }
    }

    /// Cleans the description of a term. Its line is not known: parents have been moved before their children.
    fn clean_term(&mut self, kind: Kind, id: i64, html: &mut String) {
        if let Err(error) = self.sanitize(html) {
            let name = kind.name();
            self.errors.add_general(&format!("{name} {id}: the markup {error}"));
        }
    }

    /// Cleans the texts that the events of a series share. Fields without them stay as they are.
    fn clean_shared_fields(&mut self, line: u64, stored: &mut String) {
        let changed = self.changed;
        let Ok(mut fields) = serde_json::from_str::<SharedFields>(stored) else {
            return;
        };
        self.clean(line, &mut fields.description);
        self.clean(line, &mut fields.excerpt);
        if self.changed == changed {
            return;
        }
        match serde_json::to_string(&fields) {
            Ok(clean) => *stored = clean,
            Err(error) => self.errors.add(line, &format!("the member fields: {error}")),
        }
    }

    fn sanitize(&mut self, html: &mut String) -> Result<(), TooComplex> {
        if self.markup == Markup::Untrusted {
            let clean = sanitize(html)?;
            self.changed += u64::from(clean != *html);
            *html = clean;
        }
        Ok(())
    }
}
