//! Columns of a venue that follow from others.

use crate::{
    calendar::{
        geo::unit_vector,
        text::{fold, to_search_text},
    },
    extract::{ApplyTo, MaybeUndefined, text::Line},
    store::{entity::venue, publishable::PublishableRow},
};

/// Countries whose parts are states; an open one is taken for one of them.
const WITH_STATES: [&str; 5] = ["", "us", "usa", "united states", "united states of america"];

/// What follows from the other fields, and is stored beside them: its place on the globe, and what searches compare.
pub fn derive(row: &mut venue::Model) {
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
        // Last, because the index may cut off its end.
        &row.description_text(),
    ]);
}

fn derive_unit_vector(row: &mut venue::Model) {
    let place = row
        .geo_lat
        .zip(row.geo_lng)
        .map(|(latitude, longitude)| unit_vector(latitude, longitude));
    row.globe_x = place.map(|place| place.x);
    row.globe_y = place.map(|place| place.y);
    row.globe_z = place.map(|place| place.z);
}

/// `stateprovince` means the state or the province, by the country, where that one is not given itself.
pub fn apply_state_or_province(
    row: &mut venue::Model,
    field: MaybeUndefined<Line>,
    state_is_undefined: bool,
    province_is_undefined: bool,
) {
    let has_states = WITH_STATES.contains(&row.country.to_lowercase().as_str());
    let field = field.map_value(String::from);
    if has_states && state_is_undefined {
        field.apply_to(&mut row.state);
    } else if !has_states && province_is_undefined {
        field.apply_to(&mut row.province);
    }
}
