//! The pages of venues and organizers.

use poem::{Request, Response, handler};

use super::{
    anonymous, html, slug,
    thing::{Fact, Thing, script, upcoming},
};
use crate::{
    auth::Caller,
    store::{
        entity::{organizer as organizers, venue as venues},
        post::{self, Key, PostRow},
    },
    view::{self, Shown},
    wire::{Freshness, Problem},
};

#[handler]
pub async fn venue(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let venue = published::<venues::Entity>(&caller, request).await?;
    let id = venue.post.id;
    let facts = [
        Fact::new("Address", venue.address),
        Fact::new("City", [venue.zip, venue.city].join(" ").trim()),
        Fact::new("Country", venue.country),
        Fact::new("Phone", venue.phone),
        Fact::link("Website", venue.website.clone(), &venue.website),
    ];
    html(
        &Thing {
            kind: "venue",
            json_ld: script(&venue.json_ld),
            image: venue.post.image.0.map(|image| image.url),
            title: venue.venue,
            facts: facts.into_iter().flatten().collect(),
            description: venue.post.description,
            events: upcoming(&caller, |filter| filter.venues = Some(vec![id])).await?,
        },
        Freshness::TODAY,
    )
}

#[handler]
pub async fn organizer(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let organizer = published::<organizers::Entity>(&caller, request).await?;
    let id = organizer.post.id;
    let facts = [
        Fact::new("Phone", organizer.phone),
        Fact::new("Email", organizer.email),
        Fact::link("Website", organizer.website.clone(), &organizer.website),
    ];
    html(
        &Thing {
            kind: "organizer",
            json_ld: script(&organizer.json_ld),
            image: organizer.post.image.0.map(|image| image.url),
            title: organizer.organizer,
            facts: facts.into_iter().flatten().collect(),
            description: organizer.post.description,
            events: upcoming(&caller, |filter| filter.organizers = Some(vec![id])).await?,
        },
        Freshness::TODAY,
    )
}

/// The published object that the address names.
async fn published<E: Shown>(caller: &Caller, request: &Request) -> Result<E::View, Problem> {
    let database = caller.almanac.store.reader();
    let row = post::find::<E>(database, &Key::Slug(slug(request)))
        .await?
        .filter(|row| caller.identity.may_read(&row.frame(), caller.timestamp()))
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    view::one::<E>(caller, database, row).await
}
