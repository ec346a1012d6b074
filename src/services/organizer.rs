//! Derived columns of an organizer.

use crate::{
    calendar::text::{fold, to_search_text},
    store::{entity::organizer, publishable::PublishableRow},
};

/// Computes the columns that searches and name comparisons use.
pub(crate) fn derive(row: &mut organizer::Model) {
    row.name_key = fold(&row.title);
    row.search_text = to_search_text(&[
        row.title.as_str(),
        &row.phone,
        &row.website,
        &row.email,
        // Last, because the search index may truncate the text.
        &row.description_text(),
    ]);
}
