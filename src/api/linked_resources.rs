//! Lists of venues and organizers.

use super::publishable;
use crate::{
    auth::Caller,
    error::{Problem, ValidationErrors},
    extract::{
        MaybeUndefined,
        choice::StatusList,
        lenient_bool::LenientBool,
        number::{Id, Position},
        text::Search,
    },
    response::{CachePolicy, Listed},
    store::{
        PageRequest,
        entity::event,
        linked_resource::{self, LinkedResource, LinkedResourceFilter},
        links::Link,
    },
    views::{
        Detail, Represented,
        list::{self, List},
    },
};

/// The parameters of a list of venues or organizers.
pub struct LinkedResourceQuery {
    pub page: MaybeUndefined<Position>,
    pub per_page: MaybeUndefined<Position>,
    pub search: MaybeUndefined<Search>,
    pub event: MaybeUndefined<Id>,
    pub has_events: MaybeUndefined<LenientBool>,
    pub only_with_upcoming: MaybeUndefined<LenientBool>,
    pub status: MaybeUndefined<StatusList>,
}

/// Lists the hosts that `L` links events to.
pub async fn list<L, T>(
    reader: &Caller,
    query: LinkedResourceQuery,
    mut errors: ValidationErrors,
) -> Result<Listed<T>, Problem>
where
    L: Link<Target: Represented + LinkedResource>,
    T: List<Item = <L::Target as Represented>::View>,
{
    let LinkedResourceQuery {
        page,
        per_page,
        search,
        event,
        has_events,
        only_with_upcoming,
        status,
    } = query;
    let database = &reader.almanac.store.snapshot().await?;
    let events = match event.take() {
        Some(Id(id)) => {
            let ids = [id];
            let found = publishable::visible_ids::<event::Entity>(reader, database, &mut errors, "event", &ids);
            Some(found.await?)
        }
        None => None,
    };
    errors.into_result()?;
    let filter = LinkedResourceFilter {
        visibility: publishable::visibility(reader, status)?,
        search: search.take().unwrap_or_default().0,
        events,
        has_events: has_events.take().map(|flag| flag.0),
        only_with_upcoming: only_with_upcoming.take().is_some_and(|flag| flag.0),
    };
    let request: PageRequest = publishable::page_request(reader, page, per_page);
    let mut found = linked_resource::list::<L>(database, &filter, request).await?;
    let rows = std::mem::take(&mut found.rows);
    let views = <L::Target as Represented>::show(reader, database, rows, Detail::Item).await?;
    let kind = <L::Target as crate::store::Publishable>::KIND;
    let cache_policy = CachePolicy {
        until_an_event_ends: filter.only_with_upcoming,
        ..CachePolicy::WITHOUT_EVENTS
    };
    Ok(list::reply(reader, kind, &found, views)?.with_cache_policy(Some(cache_policy)))
}
