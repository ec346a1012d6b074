//! The views of the calendar: list, month and day, on pages and in frames of other sites.
//!
//! A request is one for the list of the interface with the same parameters, of which the view shows the events: the
//! module `parse` takes from the request what is not a parameter of the list, and `window` has the default dates.

mod active_filters;
mod address;
mod choices;
mod filter_bar;
mod list;
mod month;
mod month_events;
mod month_grid;
mod names;
mod options;
mod parse;
mod path;
pub(super) mod subscribe;
mod surroundings;
mod window;

use std::sync::Arc;

use poem::{Request, Response, Result, handler};

pub(super) use self::surroundings::Link;
pub(crate) use self::{
    address::{CalendarAddress, Frame, View},
    choices::{Choices, ChoicesCache},
    month_events::{MonthCache, MonthEvents},
    parse::{rewrite_embed, rewrite_page},
    path::{ViewPath, parse_date},
};
use super::{
    former_slug::{Found, redirect_to_view, term},
    layout::Layout,
};
use crate::{
    api::events::EventQuery,
    auth::Caller,
    error::Problem,
    extract::Params,
    response::CachePolicy,
    store::{
        PageRequest, Snapshot,
        entity::{category, tag},
        events::{self, EventFilter, EventOrder, Scope},
        term::TermColumns,
    },
};

/// A view below `/events` or `/embed`, whose request [`rewrite_page`] or [`rewrite_embed`] has rewritten.
#[handler]
pub(crate) async fn view(request: &Request) -> Result<Response> {
    let caller = Caller::anonymous(request)?;
    let params = Params::<EventQuery>::of(request)?;
    let address = request.data::<CalendarAddress>().cloned();
    let address = address.ok_or_else(|| Problem::internal("the request has no address"))?;
    let read = |snapshot| respond(request, &caller, snapshot, address.clone(), params.clone());
    Ok(caller.read(read).await?)
}

/// The events that a view shows.
struct Selection {
    address: CalendarAddress,
    category: Option<TermColumns>,
    tag: Option<TermColumns>,
    /// The requested page of the list.
    page: PageRequest,
    query: events::EventQuery,
    /// How long the query selects the same events; none if it depends on the current time.
    cache_policy: Option<CachePolicy>,
}

async fn respond(
    request: &Request,
    caller: &Caller,
    snapshot: Arc<Snapshot>,
    mut address: CalendarAddress,
    Params { query, errors, .. }: Params<EventQuery>,
) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let category = match &address.category {
        Some(slug) => Some(term::<category::Entity>(snapshot, slug).await?),
        None => None,
    };
    let tag = match &address.tag {
        Some(slug) => Some(term::<tag::Entity>(snapshot, slug).await?),
        None => None,
    };
    if let Some(Found::Moved(slug)) = &category {
        address.category = Some(slug.clone());
        return Ok(redirect_to_view(caller, address));
    }
    if let Some(Found::Moved(slug)) = &tag {
        address.tag = Some(slug.clone());
        return Ok(redirect_to_view(caller, address));
    }
    let here = |found| match found {
        Found::Here(term) => Some(term),
        Found::Moved(_) => None,
    };
    let (category, tag) = (category.and_then(here), tag.and_then(here));
    let site = &caller.almanac.settings.site.zone;
    let default_window = address.default_window(site, caller.now);
    let (page, mut query, cache_lifetime) = query.resolve(caller, snapshot, errors, default_window).await?;
    let filters = [
        category
            .as_ref()
            .map(|category| EventFilter::Categories(vec![category.id])),
        tag.as_ref().map(|tag| EventFilter::Tags(vec![tag.id])),
        address.is_featured.then_some(EventFilter::Featured(true)),
    ];
    query.filters.extend(filters.into_iter().flatten());
    if address.view == View::Month {
        // A table of days has no other order.
        query.order = EventOrder::default();
    }
    if let Scope::Listed(selected) = &mut query.scope {
        *selected = address.limit(*selected, site, caller.now);
    }
    let cache_policy = CachePolicy::of(cache_lifetime).map(|policy| CachePolicy {
        until_midnight: true,
        until_an_event_ends: true,
        ..policy
    });
    let selection = Selection {
        address,
        category,
        tag,
        page,
        query,
        cache_policy,
    };
    let mut layout = Layout::of(request)?;
    layout.is_embedded = selection.address.frame == Frame::Embed;
    match selection.address.view {
        View::List | View::Day => list::respond(caller, snapshot, layout, selection).await,
        View::Month => month::respond(caller, snapshot, layout, selection).await,
    }
}
