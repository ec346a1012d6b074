//! The events of a feed, read in batches by ID.

use std::{collections::HashMap, slice::Chunks};

use sea_orm::DbBackend;
use tokio::task::yield_now;

use super::linked::{self, Linked};
use crate::{
    auth::Caller,
    calendar::{
        Kind,
        date::instant_at,
        status::{self, Status},
    },
    error::Problem,
    store::{
        Snapshot,
        entity::event,
        publishable::{PublishableRow, find_events, stored_status},
        read_connection::ReadConnection,
        visibility::Visibility,
    },
    views::publishable::page_url,
};

/// Divides IDs into the batches of events that are in memory at a time.
pub(super) fn batches<'a>(caller: &Caller, ids: &'a [i64]) -> Chunks<'a, i64> {
    chunks(caller, ids, 256)
}

/// The same for a calendar that is written while it is sent: several batches are in memory as long as the client reads.
pub(super) fn streamed_batches<'a>(caller: &Caller, ids: &'a [i64]) -> Chunks<'a, i64> {
    chunks(caller, ids, 128)
}

fn chunks<'a>(caller: &Caller, ids: &'a [i64], on_postgres: usize) -> Chunks<'a, i64> {
    ids.chunks(match caller.almanac.store.reader().backend() {
        // Planning a statement takes as long as reading dozens of events.
        DbBackend::Postgres => on_postgres,
        // SQLite reads so many within the time that a statement may occupy a thread of the runtime. A statement that
        // takes longer begins again.
        _ => 16,
    })
}

/// An event with what it links to. Feeds have little of its representation in the API, which costs more than the rest.
pub(super) struct FeedEvent {
    pub row: event::Model,
    pub linked: Linked,
    /// The URL of its page.
    pub url: String,
}

/// Reads the events with these IDs, in this order. An event that has been deleted or unpublished since the IDs were read
/// is left out.
pub(super) async fn read(
    caller: &Caller,
    snapshot: &Snapshot,
    visibility: &Visibility,
    ids: &[i64],
) -> Result<Vec<FeedEvent>, Problem> {
    // Reads of SQLite do not wait. Without this, a feed would occupy a thread of the runtime until its last batch.
    yield_now().await;
    let mut events = find_events(snapshot, ids).await?;
    events.retain(|event| is_visible(caller, visibility, &event.row));
    let positions: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
    events.sort_unstable_by_key(|event| positions.get(&event.row.id).copied());
    let linked = linked::of_events(caller, snapshot, &events).await?;
    let pairs = events.into_iter().map(|event| event.row).zip(linked);
    let events = pairs.map(|(row, linked)| FeedEvent {
        url: page_url(caller, Kind::Event, &row.slug),
        row,
        linked,
    });
    Ok(events.collect())
}

/// Whether the event still has one of the requested statuses, and the caller may see it.
fn is_visible(caller: &Caller, visibility: &Visibility, event: &event::Model) -> bool {
    let effective = status::effective(
        stored_status(&event.status),
        instant_at(event.published_at),
        instant_at(visibility.now),
    );
    if !visibility.statuses.contains(&effective) {
        return false;
    }
    // Without the columns, of which a copy includes all texts.
    if effective == Status::Publish {
        return true;
    }
    let columns = event.common_columns();
    let is_of_the_caller = visibility.unpublished_of.is_none() || columns.author_id == visibility.unpublished_of;
    is_of_the_caller && caller.identity.may_see(&columns, visibility.now)
}
