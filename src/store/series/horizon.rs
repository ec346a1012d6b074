//! Extends series without an end: their events exist up to the horizon, which moves with time.
//!
//! Each server does so when it starts and then once a day, one series per transaction. The first one that locks the row
//! of a series extends it, and the others find it extended. A series stores the local time up to which its events exist,
//! and is extended from there in the transaction that inserts the events. So no event is inserted twice or left out,
//! whenever a server is killed and whatever its clock shows.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Months, TimeDelta, Utc};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use tokio::time::sleep;

use super::{Series, expanded_before, find_for_update, insert_links, local_at, local_seconds, update};
use crate::{
    calendar::recurrence::MAX_OCCURRENCES,
    store::{
        Store, Transaction,
        entity::{category, event, organizer, series, tag, venue},
        linked_resource::LinkedResource,
        links::TargetIds,
        locks::{self, AdvisoryLock},
        publishable::{self, insert_with_free_slugs},
        read_connection::ReadConnection,
    },
};

/// How often to look for series to extend. Clocks may jump, and servers may sleep.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Series are extended once their events end this much before the horizon.
const STEP: TimeDelta = TimeDelta::days(1);
/// The largest difference of local times to UTC.
const LARGEST_OFFSET: TimeDelta = TimeDelta::hours(14);
/// The pause between two series, for other writers.
const PAUSE: Duration = Duration::from_millis(5);
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// Runs [`extend_all`] at intervals, until it is aborted.
pub(crate) async fn run(store: Store, horizon: Months) {
    loop {
        let pause = match extend_all(&store, Utc::now(), horizon).await {
            Ok(0) => INTERVAL,
            Ok(events) => {
                tracing::info!(events, "added events to series without an end");
                INTERVAL
            }
            Err(error) => {
                tracing::warn!(%error, "can't extend series");
                RETRY_DELAY
            }
        };
        sleep(pause).await;
    }
}

/// Extends all series whose events end at least a day before the horizon. Returns the number of new events. A series that
/// can't be extended does not prevent the others from being extended.
pub async fn extend_all(store: &Store, now: DateTime<Utc>, horizon: Months) -> Result<u64, DbErr> {
    let until = now.naive_utc().checked_add_months(horizon).unwrap_or_default() - STEP + LARGEST_OFFSET;
    let ids = store
        .bounded(expanded_before(store.reader(), local_seconds(until)))
        .await?;
    let mut events = 0;
    let mut failure = None;
    for id in ids {
        match store.write(|transaction| extend(transaction, id, now, horizon)).await {
            Ok(extended) => events += extended,
            Err(error) => {
                tracing::warn!(series = id, %error, "can't extend a series");
                failure = Some(error);
            }
        }
        sleep(PAUSE).await;
    }
    match failure {
        Some(error) if events == 0 => Err(error),
        _ => Ok(events),
    }
}

/// Extends a series, if it still needs to be. Returns the number of new events.
async fn extend(transaction: Arc<Transaction>, id: i64, now: DateTime<Utc>, horizon: Months) -> Result<u64, DbErr> {
    locks::take(&*transaction, [AdvisoryLock::CategoryTreeShared]).await?;
    let Some(row) = find_for_update(&*transaction, id).await? else {
        return Ok(0);
    };
    let Some(from) = row.expanded_until.map(local_at).filter(|_| row.trashed_at.is_none()) else {
        return Ok(0);
    };
    let series = Series::of(row.clone())?;
    let until = series.shape.horizon(now, horizon);
    let until = series.shape.limit_upcoming(now, Some(until)).unwrap_or(until);
    if until < from + STEP {
        return Ok(0);
    }
    let mut slots: Vec<_> = series
        .shape
        .rule
        .slots(Some(from), Some(until))
        .take(MAX_OCCURRENCES + 1)
        .collect();
    // The rest is left to the next time: a clock may have jumped by centuries.
    let until = match slots.len() > MAX_OCCURRENCES {
        true => slots.pop().unwrap_or(until),
        false => until,
    };
    let links = existing(&transaction, &series.fields.links).await?;
    let mut template = series.template();
    template.located = is_located(&transaction, &links.venues).await?;
    let events = slots.iter().map(|slot| series.occurrence(&template, *slot)).collect();
    let events = insert_with_free_slugs::<event::Entity>(&transaction, events).await?;
    insert_links(&transaction, &events, &links).await?;
    let extended = series::Model {
        expanded_until: Some(local_seconds(until)),
        ..row.clone()
    };
    update(&*transaction, &row, extended, row.modified_at).await?;
    Ok(slots.len() as u64)
}

/// Those of the objects that still exist.
pub(crate) async fn existing(transaction: &Transaction, links: &TargetIds) -> Result<TargetIds, DbErr> {
    let TargetIds {
        venues,
        organizers,
        categories,
        tags,
    } = links;
    Ok(TargetIds {
        venues: existing_ids::<venue::Entity>(transaction, venues).await?,
        organizers: existing_ids::<organizer::Entity>(transaction, organizers).await?,
        categories: existing_ids::<category::Entity>(transaction, categories).await?,
        tags: existing_ids::<tag::Entity>(transaction, tags).await?,
    })
}

/// Those of the IDs that objects have, in the same order.
async fn existing_ids<E: HasId>(transaction: &Transaction, ids: &[i64]) -> Result<Vec<i64>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = E::find()
        .select_only()
        .column(E::KEY)
        .filter(E::KEY.is_in(ids.iter().copied()))
        .into_query();
    let found: Vec<[i64; 1]> = transaction.rows(&found).await?;
    Ok(ids.iter().copied().filter(|id| found.contains(&[*id])).collect())
}

/// A table that events link to.
trait HasId: EntityTrait {
    const KEY: Self::Column;
}

macro_rules! has_id {
    ($($module:ident),*) => {
        $(impl HasId for $module::Entity {
            const KEY: Self::Column = $module::Column::Id;
        })*
    };
}

has_id!(venue, organizer, category, tag);

/// Whether one of the venues is published and has coordinates.
pub(crate) async fn is_located(transaction: &Transaction, venues: &[i64]) -> Result<bool, DbErr> {
    let venues = publishable::find_all::<venue::Entity>(transaction, venues).await?;
    Ok(venues.iter().any(venue::Entity::is_located))
}
