//! The page of an event.

use poem::{Request, Response, handler};

use super::{
    event_dates::EventDates,
    html, published,
    resource_page::{Item, ResourcePage, address, map, told},
    site::Site,
};
use crate::{
    auth::Caller,
    calendar::{Kind, currency::with_currency},
    error::Problem,
    response::CachePolicy,
    store::entity::event,
    views::{
        self,
        event::{CostDetails, EventView},
        term::TermView,
        venue::VenueView,
    },
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
    let caller = Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let row = published::<event::Entity>(&caller, database, request).await?;
    let is_over = row.ends_at < caller.timestamp();
    let event = views::one::<event::Entity>(&caller, database, row).await?;
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
        &ResourcePage {
            when: Some(EventDates::of(&event)),
            note: if is_over { "This event is over." } else { "" },
            facts,
            excerpt: event.excerpt,
            is_listed: !event.hide_from_listings,
            ..ResourcePage::of_post(site, Kind::Event, event.title, event.post, event.json_ld)
        },
        CachePolicy {
            until_an_event_ends: !is_over,
            ..CachePolicy::LASTING
        },
    )
}
