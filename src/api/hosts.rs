//! Lists of venues and organizers.

use super::posts;
use crate::{
    auth::Caller,
    store::{
        PageRequest,
        entity::event,
        hosts::{self, Host, HostFilter},
        links::Link,
    },
    view::{
        Detail, Shown,
        list::{self, List},
    },
    wire::{
        Faults, Field, Freshness, Listed, Problem,
        choice::StatusList,
        flag::Flag,
        numbers::{Id, Position},
        texts::Search,
    },
};

/// The parameters of a list of venues or organizers.
pub struct HostQuery {
    pub page: Field<Position>,
    pub per_page: Field<Position>,
    pub search: Field<Search>,
    pub event: Field<Id>,
    pub has_events: Field<Flag>,
    pub only_with_upcoming: Field<Flag>,
    pub status: Field<StatusList>,
}

/// Lists the hosts that `L` links events to.
pub async fn list<L, T>(reader: &Caller, query: HostQuery, mut faults: Faults) -> Result<Listed<T>, Problem>
where
    L: Link<Target: Shown + Host>,
    T: List<Item = <L::Target as Shown>::View>,
{
    let HostQuery {
        page,
        per_page,
        search,
        event,
        has_events,
        only_with_upcoming,
        status,
    } = query;
    let database = &reader.almanac.store.snapshot().await?;
    let events = match event.given() {
        Some(Id(id)) => {
            let ids = [id];
            let found = posts::visible_ids::<event::Entity>(reader, database, &mut faults, "event", &ids);
            Some(found.await?)
        }
        None => None,
    };
    faults.into_result()?;
    let filter = HostFilter {
        visibility: posts::visibility(reader, status)?,
        search: search.given().unwrap_or_default().0,
        events,
        has_events: has_events.given().map(|flag| flag.0),
        only_with_upcoming: only_with_upcoming.given().is_some_and(|flag| flag.0),
    };
    let request: PageRequest = posts::page_request(reader, page, per_page);
    let mut found = hosts::list::<L>(database, &filter, request).await?;
    let rows = std::mem::take(&mut found.rows);
    let views = <L::Target as Shown>::show(reader, database, rows, Detail::Item).await?;
    let kind = <L::Target as crate::store::Post>::KIND;
    let freshness = Freshness {
        until_an_event_ends: filter.only_with_upcoming,
        ..Freshness::WITHOUT_EVENTS
    };
    Ok(list::reply(reader, kind, &found, views)?.with_freshness(Some(freshness)))
}
