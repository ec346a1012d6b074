//! The place of an event, in one line.

use crate::views::{
    shared::Shared,
    venue::{VenueView, postal_address},
};

/// The names and addresses of the venues; None if there are none.
pub(super) fn location(venues: &[Shared<VenueView>]) -> Option<String> {
    let venues: Vec<String> = venues
        .iter()
        .map(|venue| match postal_address(venue) {
            address if address.is_empty() => venue.venue.clone(),
            address => format!("{}, {address}", venue.venue),
        })
        .collect();
    (!venues.is_empty()).then(|| venues.join("; "))
}

/// Degrees north and east of the first venue that has coordinates.
pub(super) fn position(venues: &[Shared<VenueView>]) -> Option<(f64, f64)> {
    let mut positions = venues
        .iter()
        .filter_map(|venue| Some((venue.geo_lat.0?, venue.geo_lng.0?)));
    positions.next()
}
