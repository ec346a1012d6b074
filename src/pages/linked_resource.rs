//! The pages of venues and organizers.

use std::sync::Arc;

use poem::{Request, Response, handler};

use super::{
    event_lists::EventLists,
    layout::Layout,
    published, render,
    resource_page::{PropertyValue, ResourcePage, map_url, postal_address, properties},
};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    store::{Snapshot, entity, events::EventFilter},
    views::{self, venue::VenueView},
};

#[handler]
pub(crate) async fn venue_page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_venue(request, &caller, snapshot)).await
}

async fn render_venue(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let row = published::<entity::venue::Entity>(caller, snapshot, request).await?;
    let venue = views::one::<entity::venue::Entity>(caller, snapshot, row).await?;
    let id = venue.common.id;
    let address = PropertyValue {
        map_url: map_url(&venue),
        ..location(&venue).into()
    };
    let properties = properties([
        ("Address", vec![address]),
        ("Phone", vec![PropertyValue::phone(&venue.phone)]),
        ("Website", vec![PropertyValue::website(&venue.website)]),
    ]);
    let events = EventLists::of(caller, snapshot, EventFilter::Venues(vec![id])).await?;
    let layout = Layout::of(request)?;
    render(
        &ResourcePage {
            properties,
            events: events.without_venues(),
            ..ResourcePage::for_publishable(layout, Kind::Venue, venue.venue, venue.common, venue.json_ld)
        },
        EventLists::CACHE_POLICY,
    )
}

#[handler]
pub(crate) async fn organizer_page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller
        .read(|snapshot| render_organizer(request, &caller, snapshot))
        .await
}

async fn render_organizer(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let row = published::<entity::organizer::Entity>(caller, snapshot, request).await?;
    let organizer = views::one::<entity::organizer::Entity>(caller, snapshot, row).await?;
    let id = organizer.common.id;
    let properties = properties([
        ("Phone", vec![PropertyValue::phone(&organizer.phone)]),
        ("Email", vec![PropertyValue::email(&organizer.email)]),
        ("Website", vec![PropertyValue::website(&organizer.website)]),
    ]);
    let layout = Layout::of(request)?;
    render(
        &ResourcePage {
            properties,
            events: EventLists::of(caller, snapshot, EventFilter::Organizers(vec![id])).await?,
            ..ResourcePage::for_publishable(
                layout,
                Kind::Organizer,
                organizer.organizer,
                organizer.common,
                organizer.json_ld,
            )
        },
        EventLists::CACHE_POLICY,
    )
}

/// The address of a venue, or its coordinates if it has none.
fn location(venue: &VenueView) -> String {
    match (postal_address(venue), venue.geo_lat.0, venue.geo_lng.0) {
        (text, Some(latitude), Some(longitude)) if text.is_empty() => {
            format!("{latitude}°, {longitude}°")
        }
        (text, ..) => text,
    }
}
