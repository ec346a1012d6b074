//! Lists of venues and organizers.

use std::sync::Arc;

use almanac_derive::Parameters;

use super::{external_id::ExternalIdQuery, modification::Modification, paging::Paging, publishable};
use crate::{
    auth::Caller,
    error::Problem,
    extract::{MaybeUndefined, Params, choice::StatusList, lenient_bool::LenientBool, number::Id, text::Search},
    response::{CachePolicy, Listed},
    store::{
        EventDependencies, Publishable, Snapshot,
        entity::event,
        linked_resource::{self, LinkedResource, LinkedResourceFilter},
        links::Link,
    },
    views::{
        Detail, Represented,
        list::{self, List},
    },
};

/// The query parameters of lists of venues or organizers.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct LinkedResourceQuery {
    #[param(flatten)]
    pub paging: Paging,
    /// Full-text search in name, description, address, phone, email and website. Every word and every quoted phrase,
    /// such as `"jazz night"`, must occur. A `-` before a word or phrase excludes matches, up to 8 times; exclusions alone
    /// return 400. Parts of words match; letter case, accents and markup are ignored.
    #[param(example = "city")]
    pub search: MaybeUndefined<Search>,
    /// Only those linked to the event with this ID. An unknown event returns 400; an event that you may not read
    /// matches nothing.
    #[param(example = 1)]
    pub event: MaybeUndefined<Id>,
    /// `true`: only those with a published event. `false`: only those without one. Absent: both.
    #[param(example = true)]
    pub has_events: MaybeUndefined<LenientBool>,
    /// `true`: only those with a published event that has not ended yet. `false`: no filter.
    #[param(default = false, example = true)]
    pub only_with_upcoming: MaybeUndefined<LenientBool>,
    pub status: MaybeUndefined<StatusList>,
    #[param(flatten)]
    pub modification: Modification,
    #[param(flatten)]
    pub external: ExternalIdQuery,
}

/// Lists the venues or organizers that `L` links to events.
pub(crate) async fn list<L, T>(
    reader: &Caller,
    params: Params<LinkedResourceQuery, <L::Target as Represented>::View>,
) -> Result<Listed<T>, Problem>
where
    L: Link<Target: Represented + LinkedResource>,
    T: List<Item = <L::Target as Represented>::View>,
{
    reader
        .read(|snapshot| list_in::<L, T>(reader, snapshot, params.clone()))
        .await
}

async fn list_in<L, T>(
    reader: &Caller,
    snapshot: Arc<Snapshot>,
    Params {
        query,
        mut errors,
        fields,
        ..
    }: Params<LinkedResourceQuery, <L::Target as Represented>::View>,
) -> Result<Listed<T>, Problem>
where
    L: Link<Target: Represented + LinkedResource>,
    T: List<Item = <L::Target as Represented>::View>,
{
    let LinkedResourceQuery {
        paging,
        search,
        event,
        has_events,
        only_with_upcoming,
        status,
        modification,
        external,
    } = query;
    let snapshot = &*snapshot;
    let events = match event.take() {
        Some(Id(id)) => {
            let ids = [id];
            let found = publishable::visible_ids::<event::Entity>(reader, snapshot, &mut errors, "event", &ids);
            Some(found.await?)
        }
        None => None,
    };
    let external = external.resolve(&mut errors);
    errors.into_result()?;
    let (modified, cache_lifetime) = modification.resolve(reader);
    let filter = LinkedResourceFilter {
        visibility: publishable::visibility(reader, status)?,
        search: search.take().unwrap_or_default().0,
        events,
        has_events: has_events.take().map(|flag| flag.0),
        only_with_upcoming: only_with_upcoming.take().is_some_and(|flag| flag.0),
        modified,
        external,
    };
    let mut found = linked_resource::list::<L>(snapshot, &filter, paging.request(reader)).await?;
    let rows = std::mem::take(&mut found.rows);
    let views = <L::Target as Represented>::represent(reader, snapshot, rows, Detail::Item).await?;
    let kind = <L::Target as Publishable>::KIND;
    let cache_policy = CachePolicy::of(cache_lifetime).map(|cache_policy| CachePolicy {
        until_an_event_ends: filter.only_with_upcoming,
        ..cache_policy.depending_on_texts(EventDependencies::NONE)
    });
    let reply = list::reply(reader, kind, &found, views)?;
    Ok(reply.with_cache_policy(cache_policy).with_fields(fields))
}
