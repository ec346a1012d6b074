//! The list, and the day, which is a list of its events.

use std::ops::Deref;

use askama::Template;
use poem::Response;

use super::{CalendarAddress, Selection, View, surroundings::Surroundings};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    pages::{
        event_items::{EventGroup, group_by_month, without_headings},
        json_ld::item_list,
        layout::Layout,
        render_in,
        texts::Texts,
    },
    store::{
        Snapshot,
        events::{self, SortKey},
    },
    views::event_page::represent_page,
};

#[derive(Template)]
#[template(path = "calendar/list.html")]
struct ListPage {
    layout: Layout,
    view: Surroundings,
    groups: Vec<EventGroup>,
    /// The text in place of events.
    nothing: &'static str,
    json_ld: String,
}

pub(super) async fn respond(
    caller: &Caller,
    snapshot: &Snapshot,
    layout: Layout,
    selection: Selection,
) -> Result<Response, Problem> {
    let found = events::list(snapshot, &selection.query, selection.page).await?;
    if found.is_past_the_end() {
        return Err(Problem::page_not_found(Kind::Event, found.total_pages()));
    }
    let texts = selection.query.dependencies(&found.rows);
    snapshot.depend_on(&texts);
    let events = represent_page(caller, snapshot, &found.rows).await?;
    let events = || events.iter().map(Deref::deref);
    let totals = (found.total, found.total_pages());
    let view = Surroundings::of(caller, snapshot, &layout, &selection, totals).await?;
    let security_policy = layout.security_policy();
    render_in(
        &ListPage {
            json_ld: item_list(&view.heading, &view.canonical, events()),
            groups: match selection.query.order.key {
                SortKey::Start => group_by_month(caller, layout.language, events()),
                SortKey::Title | SortKey::Modified | SortKey::Distance(_) => {
                    without_headings(caller, layout.language, events())
                }
            },
            nothing: nothing(layout.texts, &selection.address),
            layout,
            view,
        },
        selection.cache_policy.map(|policy| policy.depending_on_texts(texts)),
        security_policy,
    )
}

/// The text in place of events.
fn nothing(texts: &Texts, address: &CalendarAddress) -> &'static str {
    match address.view {
        _ if address.is_filtered() => texts.no_events,
        View::Day => texts.no_events_on_this_day,
        _ if address.is_past => texts.no_past_events,
        View::List | View::Month => texts.no_upcoming_events,
    }
}
