//! Inserts the events of a series.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, QueryTrait,
    sea_query::{OnConflict, Query},
};

use super::{TEMPLATE, TargetIds};
use crate::{
    calendar::Kind,
    store::{
        Transaction,
        batch::Batch,
        entity::{event, event_category, event_organizer, event_tag, event_venue},
        links::Link,
        publishable::not_in_trash,
        read_connection::ReadConnection,
        rows,
        slugs::{self, Slugs},
    },
};

/// Events per statement. Its parameters must not exceed the limits of the databases (32,766 and 65,535).
const BATCH: usize = 100;
/// Links per statement, for the same reason.
const LINKS: usize = 3000;

/// Inserts events of one series without links, with a number appended to the slugs that other events have. Returns them
/// with their IDs, in the same order.
pub(crate) async fn insert_occurrences(
    transaction: &Transaction,
    mut events: Vec<event::Model>,
) -> Result<Vec<event::Model>, DbErr> {
    let mut missing: Vec<&mut event::Model> = events.iter_mut().collect();
    // Slugs are locked once all events with slugs of their own are inserted: a writer with this lock must not wait for
    // events of others, who may wait for the lock.
    loop {
        for batch in missing.chunks_mut(BATCH) {
            try_insert(transaction, batch).await?;
        }
        missing.retain(|event| event.id == TEMPLATE);
        if missing.is_empty() {
            break;
        }
        // Another event has the slug of each of these.
        let mut chosen = Vec::new();
        for event in &mut missing {
            slugs::lock_slug(transaction, Kind::Event, &event.slug).await?;
            let slugs = Slugs::<event::Entity>::of_publishable(TEMPLATE);
            event.slug = slugs.find_free_besides(transaction, &event.slug, &chosen).await?;
            chosen.push(event.slug.clone());
        }
    }
    Ok(events)
}

/// Links events that have no links yet to the same objects.
pub(crate) async fn insert_links(
    transaction: &Transaction,
    events: &[event::Model],
    links: &TargetIds,
) -> Result<(), DbErr> {
    let TargetIds {
        venues,
        organizers,
        categories,
        tags,
    } = links;
    let most = [venues, organizers, categories, tags].map(Vec::len).into_iter().max();
    let batch = LINKS / most.unwrap_or_default().max(1);
    for batch in events.chunks(batch.clamp(1, BATCH)) {
        link(transaction, batch, links).await?;
    }
    Ok(())
}

/// Inserts the events whose slugs no other event has, and sets their IDs.
async fn try_insert(transaction: &Transaction, events: &mut [&mut event::Model]) -> Result<(), DbErr> {
    let unique_slug = OnConflict::column(event::Column::Slug)
        .target_and_where(not_in_trash())
        .do_nothing()
        .to_owned();
    let new = events
        .iter()
        .map(|event| rows::new_row((**event).clone().into_active_model()));
    let mut insert = event::Entity::insert_many(new).on_conflict(unique_slug).into_query();
    insert.returning(Query::returning().columns([event::Column::Id, event::Column::RecurrenceId]));
    let statement = transaction.backend().build(&insert);
    let ids: Vec<[i64; 2]> = transaction.rows_of(statement).await?;
    let ids: HashMap<i64, i64> = ids.into_iter().map(|[id, place]| (place, id)).collect();
    for event in events {
        if let Some(id) = event.recurrence_id.and_then(|place| ids.get(&place)) {
            event.id = *id;
        }
    }
    Ok(())
}

async fn link(transaction: &Transaction, events: &[event::Model], links: &TargetIds) -> Result<(), DbErr> {
    let TargetIds {
        venues,
        organizers,
        categories,
        tags,
    } = links;
    let mut batch = Batch::new(transaction);
    add_links::<event_venue::Entity>(&mut batch, events, venues);
    add_links::<event_organizer::Entity>(&mut batch, events, organizers);
    add_links::<event_category::Entity>(&mut batch, events, categories);
    add_links::<event_tag::Entity>(&mut batch, events, tags);
    batch.run(transaction).await
}

/// Adds the statement that links each of the events to each of the targets.
fn add_links<L: Link>(batch: &mut Batch, events: &[event::Model], targets: &[i64])
where
    L::ActiveModel: ActiveModelTrait<Entity = L> + Send,
{
    if targets.is_empty() || events.is_empty() {
        return;
    }
    let mut targets: Vec<(i64, i64)> = targets.iter().copied().zip(0..).collect();
    // Triggers lock the targets in the order of the rows (see `locks`).
    targets.sort_unstable();
    // The latest event is first: a trigger writes the end of the last event of a target only if it changes.
    let mut latest_first: Vec<&event::Model> = events.iter().collect();
    latest_first.sort_unstable_by_key(|event| std::cmp::Reverse(event.ends_at));
    let rows = targets.into_iter().flat_map(|(target, position)| {
        latest_first
            .iter()
            .map(move |event| L::row(event, target, position))
            .collect::<Vec<_>>()
    });
    batch.add(L::insert_many(rows).as_query());
}
