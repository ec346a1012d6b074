//! The record of a venue.

use serde::Serialize;

use super::{Common, Record, StoredContext, filled};
use crate::{
    services,
    store::{entity::venue, publishable::PublishableRow},
};

/// A venue.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(in crate::import) struct VenueRecord {
    #[serde(flatten)]
    pub common: Common,
    pub address: String,
    pub city: String,
    pub country: String,
    pub province: String,
    pub state: String,
    pub zip: String,
    pub phone: String,
    pub website: String,
    /// Degrees north and east.
    pub position: Option<(f64, f64)>,
    pub show_map: bool,
    pub show_map_link: bool,
}

impl Record for VenueRecord {
    type Entity = venue::Entity;

    fn common(&self) -> &Common {
        &self.common
    }

    fn store(&self, row: &mut venue::Model, now: i64) {
        let Self {
            common,
            address,
            city,
            country,
            province,
            state,
            zip,
            phone,
            website,
            position,
            show_map,
            show_map_link,
        } = self;
        let mut columns = row.common_columns();
        common.store(&mut columns, now);
        row.set_common_columns(columns);
        for (column, value) in [
            (&mut row.address, address),
            (&mut row.city, city),
            (&mut row.country, country),
            (&mut row.province, province),
            (&mut row.state, state),
            (&mut row.zip, zip),
            (&mut row.phone, phone),
            (&mut row.website, website),
        ] {
            column.clone_from(value);
        }
        (row.geo_lat, row.geo_lng) = position.unzip();
        row.show_map = *show_map;
        row.show_map_link = *show_map_link;
        services::venue::derive(row);
    }

    fn stored(row: &venue::Model, context: &StoredContext<'_>, source: Option<&Self>) -> Self {
        Self {
            common: Common::stored(row, context, source.map(|source| &source.common)),
            address: row.address.clone(),
            city: row.city.clone(),
            country: row.country.clone(),
            province: row.province.clone(),
            state: row.state.clone(),
            zip: row.zip.clone(),
            phone: row.phone.clone(),
            website: row.website.clone(),
            position: row.geo_lat.zip(row.geo_lng),
            show_map: row.show_map,
            show_map_link: row.show_map_link,
        }
    }

    fn fill(self, stored: &Self) -> Self {
        Self {
            common: self.common.fill(&stored.common),
            address: filled(&stored.address, self.address),
            city: filled(&stored.city, self.city),
            country: filled(&stored.country, self.country),
            province: filled(&stored.province, self.province),
            state: filled(&stored.state, self.state),
            zip: filled(&stored.zip, self.zip),
            phone: filled(&stored.phone, self.phone),
            website: filled(&stored.website, self.website),
            position: stored.position.or(self.position),
            show_map: stored.show_map,
            show_map_link: stored.show_map_link,
        }
    }
}
