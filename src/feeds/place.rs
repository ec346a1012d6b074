//! The place of an event, in one line.

use std::sync::Arc;

use crate::{
    auth::Caller,
    store::entity::venue,
    views::{
        Detail,
        publishable::Images,
        venue::{name_and_address, represent},
    },
};

/// A venue.
#[derive(Debug)]
pub(super) struct Place {
    /// Its name and address.
    pub text: String,
    /// Degrees north and east, if they are known.
    position: Option<(f64, f64)>,
}

impl Place {
    pub(super) fn new(caller: &Caller, row: venue::Model) -> Self {
        let venue = represent(caller, row, &Images::default(), Detail::Item);
        Self {
            text: name_and_address(&venue),
            position: venue.geo_lat.0.zip(venue.geo_lng.0),
        }
    }
}

/// The names and addresses of the venues; None if there are none.
pub(super) fn location(places: &[Arc<Place>]) -> Option<String> {
    let texts: Vec<&str> = places.iter().map(|place| place.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Degrees north and east of the first venue that has coordinates.
pub(super) fn position(places: &[Arc<Place>]) -> Option<(f64, f64)> {
    places.iter().find_map(|place| place.position)
}
