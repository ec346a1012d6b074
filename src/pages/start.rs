//! The start page, at `/`: upcoming events, months, categories, a search, and subscriptions.

use std::{ops::Deref, sync::Arc};

use askama::Template;
use chrono::{Datelike, Months};
use poem::{Request, Response, handler};

use super::{
    calendar::{CalendarAddress, Choices, Frame, Link, View, subscribe::Subscription},
    dates::month,
    event_items::{EventGroup, group_by_month, today},
    json_ld::item_list,
    layout::Layout,
    render,
    texts::group_thousands,
};
use crate::{
    auth::Caller,
    calendar::window::{Span, Window, start_of_today},
    error::Problem,
    response::CachePolicy,
    store::{
        PageRequest, Snapshot,
        events::{self, EventQuery},
    },
    views::event_page::represent_page,
};

/// The maximum numbers of events and of months on the page.
const LIMIT: u64 = 10;
const MONTHS: u32 = 12;

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage {
    layout: Layout,
    groups: Vec<EventGroup>,
    /// The number of upcoming events, if the page does not show all of them.
    total: Option<String>,
    months: Vec<Link>,
    /// Those at the top level.
    categories: Vec<Link>,
    subscription: Subscription,
    json_ld: String,
}

#[handler]
pub(crate) async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_page(request, &caller, snapshot)).await
}

async fn render_page(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    // Events that started before today are excluded: long ones would hide the others.
    let since = |from| Span {
        from: Some(from),
        before: None,
    };
    let window = Window {
        starts: since(start_of_today(&caller.almanac.settings.site.zone, caller.now)),
        ends: since(caller.timestamp()),
    };
    let first = PageRequest {
        page: 1,
        per_page: LIMIT,
    };
    let query = EventQuery::published(window, caller.timestamp());
    let upcoming = events::list(snapshot, &query, first).await?;
    let texts = query.dependencies(&upcoming.rows);
    snapshot.depend_on(&texts);
    let events = represent_page(caller, snapshot, &upcoming.rows).await?;
    let events = || events.iter().map(Deref::deref);
    let choices = Choices::of(caller, snapshot).await?;
    let layout = Layout::of(request)?;
    let categories = choices.categories.iter().filter(|category| category.depth == 0);
    render(
        &StartPage {
            groups: group_by_month(caller, layout.language, events()),
            total: (upcoming.total > LIMIT).then(|| group_thousands(layout.language, upcoming.total)),
            months: months(caller, &layout),
            categories: categories
                .map(|category| Link {
                    label: category.name.clone(),
                    url: format!("{}{}", layout.prefix(), category.path),
                })
                .collect(),
            subscription: Subscription::of(&layout, &CalendarAddress::new(Frame::Page)),
            json_ld: item_list(layout.site_name(), &format!("{}/", layout.base), events()),
            layout,
        },
        CachePolicy {
            until_an_event_ends: true,
            ..CachePolicy::UNTIL_MIDNIGHT
        }
        .depending_on_texts(texts),
    )
}

/// The next months, beginning with the current one.
fn months(caller: &Caller, layout: &Layout) -> Vec<Link> {
    let today = today(caller);
    let first = today.with_day(1).unwrap_or(today);
    let months = (0..MONTHS).filter_map(|number| first.checked_add_months(Months::new(number)));
    let list = CalendarAddress::new(Frame::Page);
    months
        .map(|first_day| Link {
            label: month(layout.language, first_day),
            url: format!("{}{}", layout.prefix(), list.at(View::Month, Some(first_day)).path()),
        })
        .collect()
}
