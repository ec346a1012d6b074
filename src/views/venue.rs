//! Venues.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Detail, Represented,
    publishable::{self, Images, PublishableView},
};
use crate::{
    auth::Caller,
    error::Problem,
    extract::{JsonObject, selectable},
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
    pub json_ld: Nullable<JsonObject>,
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
    let json_ld = (detail == Detail::Single).then(|| {
        let mut place = place(&row);
        place.insert("@context".to_owned(), "https://schema.org".into());
        JsonObject(place)
    });
    VenueView {
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
        json_ld: json_ld.into(),
    }
}

/// The postal address of a venue on one line.
pub(crate) fn postal_address(venue: &VenueView) -> String {
    let city = [venue.zip.as_str(), &venue.city].join(" ");
    [&venue.address, city.trim(), &venue.stateprovince, &venue.country]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The venue as a schema.org Place, without empty members.
pub(crate) fn place(row: &venue::Model) -> Map<String, Value> {
    let region = if row.state.is_empty() {
        &row.province
    } else {
        &row.state
    };
    let mut address = non_empty([
        ("streetAddress", &row.address),
        ("addressLocality", &row.city),
        ("addressRegion", region),
        ("postalCode", &row.zip),
        ("addressCountry", &row.country),
    ]);
    let mut place = Map::new();
    place.insert("@type".to_owned(), "Place".into());
    place.extend(non_empty([
        ("name", &row.title),
        ("description", &row.description_text().into_owned()),
        ("telephone", &row.phone),
        ("sameAs", &row.website),
    ]));
    if !address.is_empty() {
        address.insert("@type".to_owned(), "PostalAddress".into());
        place.insert("address".to_owned(), address.into());
    }
    if let (Some(latitude), Some(longitude)) = (row.geo_lat, row.geo_lng) {
        let geo = json!({"@type": "GeoCoordinates", "latitude": latitude, "longitude": longitude});
        place.insert("geo".to_owned(), geo);
    }
    place
}

/// The members whose texts are not empty.
pub(crate) fn non_empty<const N: usize>(members: [(&str, &String); N]) -> Map<String, Value> {
    members
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name.to_owned(), text.clone().into()))
        .collect()
}
