//! The page of an event.

use std::sync::Arc;

use poem::{Request, Response, handler};

use super::{
    event_dates::EventDates,
    layout::Layout,
    published, render,
    resource_page::{PropertyValue, ResourcePage, map_url, postal_address, properties},
};
use crate::{
    auth::Caller,
    calendar::{Kind, currency::with_currency},
    error::Problem,
    response::CachePolicy,
    store::{Snapshot, entity::event},
    views::{
        self,
        event::{CostDetails, EventView},
        term::TermView,
        venue::VenueView,
    },
};

/// The price, with the site's currency if it is a bare amount.
fn price(event: &EventView) -> String {
    let CostDetails {
        currency_symbol,
        currency_code,
        ..
    } = &event.cost_details;
    with_currency(&event.cost, currency_symbol, currency_code)
}

#[handler]
pub(crate) async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_page(request, &caller, snapshot)).await
}

async fn render_page(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let row = published::<event::Entity>(caller, snapshot, request).await?;
    let is_over = row.ends_at < caller.timestamp();
    let event = views::one::<event::Entity>(caller, snapshot, row).await?;
    let venue = |venue: &VenueView| PropertyValue {
        note: postal_address(venue),
        map_url: if event.show_map_link {
            map_url(venue)
        } else {
            String::new()
        },
        ..PropertyValue::link(&venue.venue, &venue.common.url)
    };
    let term = |term: &TermView| PropertyValue::link(&term.name, &term.url);
    let properties = properties([
        ("Where", event.venue.iter().map(|shared| venue(shared)).collect()),
        (
            "Organized by",
            event
                .organizer
                .iter()
                .map(|organizer| PropertyValue::link(&organizer.organizer, &organizer.common.url))
                .collect(),
        ),
        ("Price", vec![price(&event).into()]),
        ("Website", vec![PropertyValue::website(&event.website)]),
        (
            "Categories",
            event.categories.iter().map(|category| term(&category.term)).collect(),
        ),
        ("Tags", event.tags.iter().map(|tag| term(&tag.term)).collect()),
    ]);
    let layout = Layout::of(request)?;
    render(
        &ResourcePage {
            dates: Some(EventDates::of(&event)),
            notice: if is_over { "This event has ended." } else { "" },
            properties,
            excerpt: event.excerpt,
            is_indexed: !event.hide_from_listings,
            ..ResourcePage::for_publishable(layout, Kind::Event, event.title, event.common, event.json_ld)
        },
        CachePolicy {
            until_an_event_ends: !is_over,
            ..CachePolicy::UNLIMITED
        },
    )
}
