//! Venues.

use poem_openapi::Object;
use serde::Serialize;

use super::{
    Detail, Represented, json_ld,
    publishable::{self, Images, PublishableView},
};
use crate::{
    auth::Caller,
    error::Problem,
    extract::{JsonText, selectable},
    response::{Nullable, Representation},
    store::{Snapshot, entity::venue, publishable::PublishableRow},
};

/// A place where events happen. Every field is always present; unknown texts are empty.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Venue")]
pub(crate) struct VenueView {
    #[oai(flatten)]
    #[serde(flatten)]
    pub common: PublishableView,
    /// The name, in plain text.
    pub venue: String,
    /// Street and number.
    pub address: String,
    /// City or town.
    pub city: String,
    /// Name of the country.
    pub country: String,
    /// Province or region, outside the United States.
    pub province: String,
    /// State, in the United States.
    pub state: String,
    /// The state, or the province if the state is empty.
    pub stateprovince: String,
    /// Postal code.
    pub zip: String,
    /// Phone number.
    pub phone: String,
    /// The URL of its website; empty if it has none.
    pub website: String,
    /// Degrees north of the equator, from -90 to 90; null if unknown.
    pub geo_lat: Nullable<f64>,
    /// Degrees east of Greenwich, from -180 to 180; null if unknown.
    pub geo_lng: Nullable<f64>,
    /// Whether pages should show a map of it; true by default.
    pub show_map: bool,
    /// Whether pages should link to a map of it; true by default.
    pub show_map_link: bool,
    /// The venue as a schema.org Place; null in lists and inside events.
    pub json_ld: Nullable<JsonText>,
}

impl Representation for VenueView {}

selectable!(VenueView, "id", "venue", "city");

impl Represented for venue::Entity {
    type View = VenueView;

    async fn represent(
        caller: &Caller,
        snapshot: &Snapshot,
        rows: Vec<venue::Model>,
        detail: Detail,
    ) -> Result<Vec<VenueView>, Problem> {
        let images = publishable::images(caller, snapshot, rows.iter().map(|row| row.image_id)).await?;
        Ok(rows
            .into_iter()
            .map(|row| represent(caller, row, &images, detail))
            .collect())
    }
}

/// The representation of one venue.
pub(crate) fn represent(caller: &Caller, row: venue::Model, images: &Images, detail: Detail) -> VenueView {
    let common = publishable::represent::<venue::Entity>(caller, row.common_columns(), images);
    let description = (detail == Detail::Single).then(|| row.description_text().into_owned());
    let mut view = VenueView {
        common,
        venue: row.title,
        stateprovince: if row.state.is_empty() {
            row.province.clone()
        } else {
            row.state.clone()
        },
        address: row.address,
        city: row.city,
        country: row.country,
        province: row.province,
        state: row.state,
        zip: row.zip,
        phone: row.phone,
        website: row.website,
        geo_lat: row.geo_lat.into(),
        geo_lng: row.geo_lng.into(),
        show_map: row.show_map,
        show_map_link: row.show_map_link,
        json_ld: Nullable(None),
    };
    if let Some(description) = description {
        let place = Place {
            description: &description,
            ..Place::of(&view)
        };
        view.json_ld = Nullable(Some(json_ld::document(&place)));
    }
    view
}

/// The postal address of a venue on one line.
pub(crate) fn postal_address(venue: &VenueView) -> String {
    let city = [venue.zip.as_str(), &venue.city].join(" ");
    join(&[&venue.address, city.trim(), &venue.stateprovince, &venue.country])
}

/// The name and the postal address of a venue on one line.
pub(crate) fn name_and_address(venue: &VenueView) -> String {
    join(&[&venue.venue, &postal_address(venue)])
}

fn join(parts: &[&str]) -> String {
    let parts = parts.iter().copied().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// A venue as a schema.org Place, without empty members.
#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
pub(super) struct Place<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    /// Plain text.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub description: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    telephone: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    same_as: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<PostalAddress<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    geo: Option<GeoCoordinates>,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
struct PostalAddress<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    street_address: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    address_locality: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    address_region: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    postal_code: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    address_country: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
struct GeoCoordinates {
    latitude: f64,
    longitude: f64,
}

impl<'a> Place<'a> {
    /// The venue without its description.
    pub(super) fn of(venue: &'a VenueView) -> Self {
        let address = [
            &venue.address,
            &venue.city,
            &venue.stateprovince,
            &venue.zip,
            &venue.country,
        ];
        let has_address = address.iter().any(|part| !part.is_empty());
        let [
            street_address,
            address_locality,
            address_region,
            postal_code,
            address_country,
        ] = address;
        let position = venue.geo_lat.0.zip(venue.geo_lng.0);
        Self {
            name: &venue.venue,
            description: "",
            telephone: &venue.phone,
            same_as: &venue.website,
            address: has_address.then_some(PostalAddress {
                street_address,
                address_locality,
                address_region,
                postal_code,
                address_country,
            }),
            geo: position.map(|(latitude, longitude)| GeoCoordinates { latitude, longitude }),
        }
    }
}
