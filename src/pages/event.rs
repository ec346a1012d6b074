//! The page of an event.

use poem::{Request, Response, handler};

use super::{
    anonymous, html,
    site::Site,
    slug,
    thing::{Item, Thing, address, map, told},
    when::When,
};
use crate::{
    calendar::{Kind, currency::with_currency},
    store::{
        entity::event,
        post::{self, Key, PostRow},
    },
    view::{
        self,
        event::{CostDetails, EventView},
        term::TermView,
        venue::VenueView,
    },
    wire::{Freshness, Problem},
};

/// The price with the currency of the site, where it names none itself.
fn price(event: &EventView) -> String {
    let CostDetails {
        currency_symbol,
        currency_code,
        ..
    } = &event.cost_details;
    with_currency(&event.cost, currency_symbol, currency_code)
}

#[handler]
pub async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let row = post::find::<event::Entity>(database, &Key::Slug(slug(request)))
        .await?
        .filter(|row| caller.identity.may_read(&row.frame(), caller.timestamp()))
        .ok_or_else(|| Problem::not_found(Kind::Event))?;
    let is_over = row.ends_at < caller.timestamp();
    let event = view::one::<event::Entity>(&caller, database, row).await?;
    let place = |venue: &VenueView| Item {
        detail: address(venue),
        map: if event.show_map_link { map(venue) } else { String::new() },
        ..Item::link(&venue.venue, &venue.post.url)
    };
    let term = |term: &TermView| Item::link(&term.name, &term.url);
    let facts = told([
        ("Where", event.venue.iter().map(place).collect()),
        (
            "By",
            event
                .organizer
                .iter()
                .map(|organizer| Item::link(&organizer.organizer, &organizer.post.url))
                .collect(),
        ),
        ("Price", vec![price(&event).into()]),
        ("Website", vec![Item::website(&event.website)]),
        (
            "Categories",
            event.categories.iter().map(|category| term(&category.term)).collect(),
        ),
        ("Tags", event.tags.iter().map(|tag| term(&tag.term)).collect()),
    ]);
    let site = Site::of(request)?;
    html(
        &Thing {
            when: Some(When::of(&event)),
            note: if is_over { "This event is over." } else { "" },
            facts,
            excerpt: event.excerpt,
            is_listed: !event.hide_from_listings,
            ..Thing::of_post(site, Kind::Event, event.title, event.post, event.json_ld)
        },
        Freshness {
            until_an_event_ends: !is_over,
            ..Freshness::LASTING
        },
    )
}
