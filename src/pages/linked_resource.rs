//! The pages of venues and organizers.

use std::sync::Arc;

use poem::{Request, Response, handler};

use super::{
    event_lists::EventLists,
    former_slug::{Found, published, redirect_to_object},
    layout::Layout,
    render,
    resource_page::{PropertyValue, ResourcePage, map_url, postal_address, properties},
    slug,
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
    let row = match published::<entity::venue::Entity>(caller, snapshot, slug(request)).await? {
        Found::Here(row) => row,
        Found::Moved(slug) => return Ok(redirect_to_object(caller, Kind::Venue, &slug)),
    };
    let venue = views::one::<entity::venue::Entity>(caller, snapshot, row).await?;
    let layout = Layout::of(request)?;
    let texts = layout.texts;
    let id = venue.common.id;
    let map_url = map_url(&venue);
    let map = (!map_url.is_empty()).then(|| PropertyValue::link("OpenStreetMap", map_url));
    let properties = properties([
        (texts.address, vec![location(&venue).into()]),
        (texts.map, map.into_iter().collect()),
        (texts.phone, vec![PropertyValue::phone(&venue.phone)]),
        (texts.website, vec![PropertyValue::website(&venue.website)]),
    ]);
    let events = EventLists::of(caller, layout.language, snapshot, EventFilter::Venues(vec![id])).await?;
    let page = ResourcePage {
        properties,
        events: events.without_venues(),
        ..ResourcePage::for_publishable(layout, Kind::Venue, venue.venue, venue.common, venue.json_ld)
    };
    render(&page.with_events_of("venue", id), EventLists::CACHE_POLICY)
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
    let row = match published::<entity::organizer::Entity>(caller, snapshot, slug(request)).await? {
        Found::Here(row) => row,
        Found::Moved(slug) => return Ok(redirect_to_object(caller, Kind::Organizer, &slug)),
    };
    let organizer = views::one::<entity::organizer::Entity>(caller, snapshot, row).await?;
    let layout = Layout::of(request)?;
    let texts = layout.texts;
    let id = organizer.common.id;
    let properties = properties([
        (texts.phone, vec![PropertyValue::phone(&organizer.phone)]),
        (texts.email, vec![PropertyValue::email(&organizer.email)]),
        (texts.website, vec![PropertyValue::website(&organizer.website)]),
    ]);
    let events = EventLists::of(caller, layout.language, snapshot, EventFilter::Organizers(vec![id])).await?;
    let common = organizer.common;
    let page = ResourcePage {
        properties,
        events,
        ..ResourcePage::for_publishable(layout, Kind::Organizer, organizer.organizer, common, organizer.json_ld)
    };
    render(&page.with_events_of("organizer", id), EventLists::CACHE_POLICY)
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
