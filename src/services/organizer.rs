//! Columns of an organizer that follow from others.

use crate::{
    calendar::text::{fold, to_search_text},
    store::{entity::organizer, publishable::PublishableRow},
};

/// What follows from the other fields, and is stored beside them: what searches compare.
pub fn derive(row: &mut organizer::Model) {
    row.name_key = fold(&row.title);
    row.search_text = to_search_text(&[
        row.title.as_str(),
        &row.phone,
        &row.website,
        &row.email,
        // Last, because the index may cut off its end.
        &row.description_text(),
    ]);
}
