//! The pages of venues and organizers.

use poem::{Request, Response, handler};

use super::{
    events::Events,
    html, published,
    resource_page::{Item, ResourcePage, address, map, told},
    site::Site,
};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    store::{
        entity::{organizer as organizers, venue as venues},
        events::EventFilter,
    },
    views::{self, venue::VenueView},
};

#[handler]
pub async fn venue(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let row = published::<venues::Entity>(&caller, database, request).await?;
    let venue = views::one::<venues::Entity>(&caller, database, row).await?;
    let id = venue.post.id;
    let place = Item {
        map: map(&venue),
        ..whereabouts(&venue).into()
    };
    let facts = told([
        ("Address", vec![place]),
        ("Phone", vec![Item::phone(&venue.phone)]),
        ("Website", vec![Item::website(&venue.website)]),
    ]);
    let events = Events::of(&caller, database, EventFilter::Venues(vec![id])).await?;
    let site = Site::of(request)?;
    html(
        &ResourcePage {
            facts,
            events: events.in_one_place(),
            ..ResourcePage::of_post(site, Kind::Venue, venue.venue, venue.post, venue.json_ld)
        },
        Events::FRESHNESS,
    )
}

#[handler]
pub async fn organizer(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let row = published::<organizers::Entity>(&caller, database, request).await?;
    let found = views::one::<organizers::Entity>(&caller, database, row).await?;
    let id = found.post.id;
    let facts = told([
        ("Phone", vec![Item::phone(&found.phone)]),
        ("Email", vec![Item::email(&found.email)]),
        ("Website", vec![Item::website(&found.website)]),
    ]);
    let site = Site::of(request)?;
    html(
        &ResourcePage {
            facts,
            events: Events::of(&caller, database, EventFilter::Organizers(vec![id])).await?,
            ..ResourcePage::of_post(site, Kind::Organizer, found.organizer, found.post, found.json_ld)
        },
        Events::FRESHNESS,
    )
}

/// The address of a venue, or its place on the globe where it has none.
fn whereabouts(place: &VenueView) -> String {
    match (address(place), place.geo_lat.0, place.geo_lng.0) {
        (text, Some(latitude), Some(longitude)) if text.is_empty() => {
            format!("{latitude}°, {longitude}°")
        }
        (text, ..) => text,
    }
}
