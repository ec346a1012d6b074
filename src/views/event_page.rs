//! Pages of events, whose representations are kept in memory.

use std::collections::HashMap;

use super::{
    Detail,
    event::{EventView, represent_linked},
    shared::{self, Shared, SharedEvent},
};
use crate::{
    auth::{Caller, Identity},
    error::Problem,
    store::{Snapshot, events::ListedEvent, linked_rows::LinkedRows, publishable::find_events},
};

/// The representations of the events of a page, in its order. What an anonymous caller sees is kept in memory.
pub(crate) async fn represent_page(
    caller: &Caller,
    snapshot: &Snapshot,
    events: &[ListedEvent],
) -> Result<Vec<Shared<EventView>>, Problem> {
    let now = caller.timestamp();
    let cache = &caller.almanac.shared_views.events;
    let version = match caller.identity {
        Identity::Anonymous => snapshot.list_version(),
        Identity::User { .. } => None,
    };
    let mut views = HashMap::new();
    let mut missing = Vec::new();
    let mut key = shared::key_in_language(caller, 0);
    for event in events {
        key.1 = event.id;
        let known = cache.get(version, &key);
        match known.filter(|known| known.version == event.version && known.valid.contains(&now)) {
            Some(known) => _ = views.insert(event.id, known.view),
            None => missing.push(event.id),
        }
    }
    let loaded = find_events(snapshot, &missing).await?;
    if !loaded.is_empty() {
        let until = snapshot.next_publication(now).await.unwrap_or(now);
        let versions: Vec<i64> = loaded.iter().map(|event| event.version).collect();
        let loaded = represent_linked(caller, snapshot, loaded, LinkedRows::default(), Detail::Item).await?;
        for (event_version, view) in versions.into_iter().zip(loaded) {
            key.1 = view.fields.common.id;
            let shared = SharedEvent {
                version: event_version,
                valid: now..until,
                view: Shared::new(view)?,
            };
            views.insert(key.1, shared.view.clone());
            let bytes = shared.view.bytes();
            cache.insert(version, key.clone(), shared, bytes);
        }
    }
    // An event that was deleted in between is missing. The read is repeated then.
    let views = events.iter().filter_map(|event| views.get(&event.id).cloned());
    Ok(views.collect())
}
