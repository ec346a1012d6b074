//! Extends series without an end: their events exist up to the horizon, which moves with time.
//!
//! Each server does so when it starts and then once a day, one series per transaction. The first one that locks the row
//! of a series extends it, and the others find it extended. A series stores the local time up to which its events exist,
//! and is extended from there in the transaction that inserts the events. So no event is inserted twice or left out,
//! whenever a server is killed and whatever its clock shows.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Months, TimeDelta, Utc};
use sea_orm::DbErr;
use tokio::time::sleep;

use super::{Series, expanded_before, find_for_update, insert_links, is_located, local_at, local_seconds, update};
use crate::{
    calendar::recurrence::MAX_OCCURRENCES,
    store::{
        Store, Transaction,
        entity::{event, series},
        locks::{self, AdvisoryLock},
        publishable::insert_with_free_slugs,
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
    let most = series.fields.most_at_once().clamp(1, MAX_OCCURRENCES);
    let slots = series.shape.rule.slots(Some(from), Some(until));
    let mut slots: Vec<_> = slots.take(most + 1).collect();
    // The rest is left to the next time: texts may be long, and a clock may have jumped by centuries.
    let until = match slots.len() > most {
        true => slots.pop().unwrap_or(until),
        false => until,
    };
    let links = series.fields.links.existing(&*transaction).await?;
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
