//! The events of a feed, read in batches by ID.

use std::collections::HashMap;

use crate::{
    auth::Caller,
    calendar::{
        date::instant_at,
        status::{self, Status},
    },
    error::Problem,
    store::{
        Snapshot,
        entity::event,
        publishable::{PublishableRow, find_events},
        visibility::Visibility,
    },
    views::{
        Detail,
        event::{EventView, represent_linked},
    },
};

/// The number of events that are in memory at a time.
pub(super) const BATCH: usize = 100;

/// An event with its representation.
pub(super) struct FeedEvent {
    /// Without the long texts that the representation has.
    pub row: event::Model,
    pub view: EventView,
}

/// Reads the events with these IDs, in this order. An event that has been deleted or unpublished since the IDs were read
/// is left out.
pub(super) async fn read(
    caller: &Caller,
    snapshot: &Snapshot,
    visibility: &Visibility,
    ids: &[i64],
) -> Result<Vec<FeedEvent>, Problem> {
    let mut events = find_events(snapshot, ids).await?;
    events.retain(|event| is_visible(caller, visibility, event));
    let rows: Vec<event::Model> = events.iter_mut().map(|event| without_texts(&mut event.row)).collect();
    let views = represent_linked(caller, snapshot, events, Detail::Item).await?;
    let positions: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
    let pairs = rows.into_iter().zip(views);
    let mut events: Vec<FeedEvent> = pairs.map(|(row, view)| FeedEvent { row, view }).collect();
    events.sort_by_key(|event| positions.get(&event.row.id).copied());
    Ok(events)
}

/// Copies a row without the texts that its representation has, and moves the plain text of the description, which the
/// representation lacks, to the copy.
fn without_texts(row: &mut event::Model) -> event::Model {
    let description_text = row.description_text().into_owned();
    row.description_text = None;
    let event::Model {
        description,
        excerpt,
        custom_fields,
        ..
    } = row;
    let texts = [description, excerpt, custom_fields].map(std::mem::take);
    let copy = event::Model {
        description_text: Some(description_text),
        ..row.clone()
    };
    [row.description, row.excerpt, row.custom_fields] = texts;
    copy
}

/// Whether the event still has one of the requested statuses, and the caller may see it.
fn is_visible(caller: &Caller, visibility: &Visibility, event: &event::Model) -> bool {
    let columns = event.common_columns();
    let effective = status::effective(
        columns.status,
        instant_at(columns.published_at),
        instant_at(visibility.now),
    );
    let is_of_the_caller = effective == Status::Publish
        || visibility.unpublished_of.is_none()
        || columns.author_id == visibility.unpublished_of;
    visibility.statuses.contains(&effective) && is_of_the_caller && caller.identity.may_see(&columns, visibility.now)
}
