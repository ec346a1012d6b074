//! The list, and the day, which is a list of its events.

use std::ops::Deref;

use askama::Template;
use poem::Response;

use super::{Selection, View, surroundings::Surroundings};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    pages::{
        CONTENT_SECURITY_POLICY, EMBED_POLICY,
        event_items::{EventGroup, group_by_month},
        json_ld::item_list,
        layout::Layout,
        render_in,
    },
    store::{Snapshot, events},
    views::event_page::represent_page,
};

#[derive(Template)]
#[template(path = "calendar/list.html")]
struct ListPage {
    layout: Layout,
    view: Surroundings,
    groups: Vec<EventGroup>,
    is_day: bool,
    json_ld: String,
}

impl ListPage {
    /// The text in place of events.
    fn nothing(&self) -> &'static str {
        let texts = self.layout.texts;
        let is_filtered = self
            .view
            .filters
            .as_ref()
            .is_some_and(|filters| !filters.active.is_empty());
        match (self.is_day, is_filtered) {
            (_, true) => texts.no_events,
            (true, false) => texts.no_events_on_this_day,
            (false, false) => texts.no_upcoming_events,
        }
    }
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
    let policy = match layout.is_embedded {
        true => EMBED_POLICY,
        false => CONTENT_SECURITY_POLICY,
    };
    render_in(
        &ListPage {
            json_ld: item_list(&view.heading, &view.canonical, events()),
            groups: group_by_month(caller, layout.language, events()),
            is_day: selection.address.view == View::Day,
            layout,
            view,
        },
        selection.cache_policy.map(|policy| policy.depending_on_texts(texts)),
        policy,
    )
}
