//! Derived columns of a venue.

use crate::{
    calendar::{
        geo::unit_vector,
        text::{fold, to_search_text},
    },
    extract::{ApplyTo, MaybeUndefined, text::Line},
    store::{entity::venue, publishable::PublishableRow},
};

/// The names, in lower case, of countries with states instead of provinces. An empty name counts as one.
const COUNTRIES_WITH_STATES: [&str; 5] = ["", "us", "usa", "united states", "united states of america"];

/// Computes the unit vector of the coordinates, and the columns that searches and name comparisons use.
pub(crate) fn derive(row: &mut venue::Model) {
    derive_unit_vector(row);
    row.name_key = fold(&row.title);
    row.search_text = to_search_text(&[
        row.title.as_str(),
        &row.address,
        &row.city,
        &row.country,
        &row.province,
        &row.state,
        &row.zip,
        &row.phone,
        &row.website,
        // Last, because the search index may truncate the text.
        &row.description_text(),
    ]);
}

fn derive_unit_vector(row: &mut venue::Model) {
    let vector = row
        .geo_lat
        .zip(row.geo_lng)
        .map(|(latitude, longitude)| unit_vector(latitude, longitude));
    row.globe_x = vector.map(|vector| vector.x);
    row.globe_y = vector.map(|vector| vector.y);
    row.globe_z = vector.map(|vector| vector.z);
}

/// Returns true if addresses in the country have a state. In other countries, they have a province.
pub(crate) fn has_states(country: &str) -> bool {
    COUNTRIES_WITH_STATES.contains(&country.to_lowercase().as_str())
}

/// Stores `stateprovince` as state or province, depending on the country, unless the payload also contains that field.
pub(crate) fn apply_state_or_province(
    row: &mut venue::Model,
    field: MaybeUndefined<Line>,
    state_is_undefined: bool,
    province_is_undefined: bool,
) {
    let has_states = has_states(&row.country);
    let field = field.map_value(String::from);
    if has_states && state_is_undefined {
        field.apply_to(&mut row.state);
    } else if !has_states && province_is_undefined {
        field.apply_to(&mut row.province);
    }
}
