//! The page at `/`.

use askama::Template;
use poem::{Request, Response, handler};

use super::{anonymous, html};
use crate::{
    calendar::window::{Bounds, Meaning, window},
    store::{
        PageRequest,
        entity::event,
        events::{self, EventFilter},
    },
    view::{Detail, ROOT, Shown, event::EventView},
    wire::{Freshness, Problem},
};

/// Events on the page.
const SHOWN: u64 = 8;

#[derive(Template)]
#[template(path = "start.html")]
struct Start {
    base: String,
    root: &'static str,
    events: Vec<EventView>,
    version: &'static str,
}

#[handler]
pub async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let database = caller.almanac.store.reader();
    let site = &caller.almanac.settings.timezone;
    let window = window(&Bounds::default(), Meaning::B, site, caller.now);
    let first = PageRequest {
        page: 1,
        per_page: SHOWN,
    };
    let filter = EventFilter::published(window, caller.timestamp());
    let rows = events::list(database, &filter, first).await?.rows;
    html(
        &Start {
            events: event::Entity::show(&caller, database, rows, Detail::Item).await?,
            base: caller.address.base.clone(),
            root: ROOT,
            version: env!("CARGO_PKG_VERSION"),
        },
        Freshness::TODAY,
    )
}
