//! Where an event takes place, in one line.

use crate::views::{event::EventView, venue::postal_address};

/// The names and addresses of the venues; None if the event has no venue.
pub(super) fn location(event: &EventView) -> Option<String> {
    let venues: Vec<String> = event
        .venue
        .iter()
        .map(|venue| match postal_address(venue) {
            address if address.is_empty() => venue.venue.clone(),
            address => format!("{}, {address}", venue.venue),
        })
        .collect();
    (!venues.is_empty()).then(|| venues.join("; "))
}

/// Degrees north and east of the first venue that has coordinates.
pub(super) fn position(event: &EventView) -> Option<(f64, f64)> {
    let mut positions = event
        .venue
        .iter()
        .filter_map(|venue| Some((venue.geo_lat.0?, venue.geo_lng.0?)));
    positions.next()
}
