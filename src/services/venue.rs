//! The fields of a venue.

use sea_orm::DbErr;

use super::{
    Writable, WriteContext, name_reuse,
    publication::{self, Publication},
};
use crate::{
    api::described::VenueFields,
    auth::Caller,
    calendar::{
        globe::point,
        text::{fold, searched},
    },
    error::Problem,
    extract::{ApplyTo, MaybeUndefined, text::Line},
    store::{
        Transaction,
        entity::venue,
        locks,
        publishable::{Key, PublishableRow},
    },
};

/// Countries whose parts are states; an open one is taken for one of them.
const WITH_STATES: [&str; 5] = ["", "us", "usa", "united states", "united states of america"];

impl Writable for venue::Entity {
    type Fields = VenueFields;
    type Links = ();

    async fn lock_before(
        transaction: &Transaction,
        key: Option<&Key>,
        fields: Option<&VenueFields>,
    ) -> Result<(), DbErr> {
        let is_on_map_as_before = |fields: &VenueFields| {
            fields.status.is_undefined() && fields.geo_lat.is_undefined() && fields.geo_lng.is_undefined()
        };
        // No event links to a new venue.
        if key.is_some() && !fields.is_some_and(is_on_map_as_before) {
            locks::category_tree(transaction).await?;
        }
        Ok(())
    }

    fn blank(caller: &Caller) -> venue::Model {
        let identity = caller.identity;
        let mut row = venue::Model {
            id: publication::NEW,
            version: 1,
            status: String::new(),
            trashed_status: None,
            trashed_at: None,
            slug: String::new(),
            published_at: 0,
            modified_at: 0,
            title: String::new(),
            description: String::new(),
            description_text: Some(String::new()),
            search_text: String::new(),
            author_id: None,
            image_id: None,
            name_key: String::new(),
            address: String::new(),
            city: String::new(),
            country: String::new(),
            province: String::new(),
            state: String::new(),
            zip: String::new(),
            phone: String::new(),
            website: String::new(),
            geo_lat: None,
            geo_lng: None,
            globe_x: None,
            globe_y: None,
            globe_z: None,
            show_map: true,
            show_map_link: true,
            follows_event_id: None,
            last_ends_at: None,
        };
        row.set_common_columns(publication::blank(
            caller.timestamp(),
            identity.user(),
            identity.may_publish(),
        ));
        row
    }

    async fn reuse(context: &mut WriteContext<'_>, fields: &VenueFields) -> Result<Option<venue::Model>, Problem> {
        name_reuse::reuse::<venue::Entity>(context, fields).await
    }

    async fn apply(context: &mut WriteContext<'_>, row: &mut venue::Model, fields: VenueFields) -> Result<(), Problem> {
        // Taken apart, so that no field can be forgotten here.
        let VenueFields {
            author,
            date,
            date_utc,
            venue,
            description,
            slug,
            status,
            show_map,
            show_map_link,
            address,
            city,
            country,
            province,
            state,
            zip,
            phone,
            stateprovince,
            website,
            image,
            geo_lat,
            geo_lng,
        } = fields;
        let publication = Publication {
            author,
            date,
            date_utc,
            title: venue,
            description,
            slug,
            status,
            image,
        };
        let mut columns = row.common_columns();
        publication::apply::<venue::Entity>(context, &mut columns, publication).await?;
        row.set_common_columns(columns);
        let (state_is_open, province_is_open) = (state.is_undefined(), province.is_undefined());
        for (field, place) in [
            (address, &mut row.address),
            (city, &mut row.city),
            (country, &mut row.country),
            (province, &mut row.province),
            (state, &mut row.state),
            (zip, &mut row.zip),
            (phone, &mut row.phone),
        ] {
            field.map_value(String::from).apply_to(place);
        }
        website.map_value(String::from).apply_to(&mut row.website);
        apply_state_or_province(row, stateprovince, state_is_open, province_is_open);
        geo_lat.map_value(|degrees| degrees.0).update_to(&mut row.geo_lat);
        geo_lng.map_value(|degrees| degrees.0).update_to(&mut row.geo_lng);
        for (field, place) in [(show_map, &mut row.show_map), (show_map_link, &mut row.show_map_link)] {
            // Cleared, it is what it is by default.
            match field {
                MaybeUndefined::Undefined => {}
                MaybeUndefined::Null => *place = true,
                MaybeUndefined::Value(flag) => *place = flag.0,
            }
        }
        derive(row);
        Ok(())
    }

    async fn save_links(_context: &WriteContext<'_>, _id: i64, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

/// What follows from the other fields, and is stored beside them: its place on the globe, and what searches compare.
pub fn derive(row: &mut venue::Model) {
    place_on_globe(row);
    row.name_key = fold(&row.title);
    row.search_text = searched(&[
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

fn place_on_globe(row: &mut venue::Model) {
    let place = row
        .geo_lat
        .zip(row.geo_lng)
        .map(|(latitude, longitude)| point(latitude, longitude));
    row.globe_x = place.map(|place| place.x);
    row.globe_y = place.map(|place| place.y);
    row.globe_z = place.map(|place| place.z);
}

/// `stateprovince` means the state or the province, by the country, where that one is not given itself.
fn apply_state_or_province(
    row: &mut venue::Model,
    field: MaybeUndefined<Line>,
    state_is_open: bool,
    province_is_open: bool,
) {
    let has_states = WITH_STATES.contains(&row.country.to_lowercase().as_str());
    let field = field.map_value(String::from);
    if has_states && state_is_open {
        field.apply_to(&mut row.state);
    } else if !has_states && province_is_open {
        field.apply_to(&mut row.province);
    }
}
