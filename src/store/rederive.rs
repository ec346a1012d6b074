//! Derives the instants of events again when the time zone rules have changed.
//!
//! Each event stores the release of the rules that its instants were derived from. Events of older releases than the
//! one in use are derived again, in batches of one transaction each, so that re-derivation can be interrupted at any
//! time. Events of newer releases, which another server has written, remain unchanged.

use std::{sync::Arc, time::Duration};

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};
use tokio::{sync::watch, time::sleep};

use super::{
    Store, Transaction,
    entity::event,
    locks::{self, AdvisoryLock},
    publishable,
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};
use crate::calendar::{
    tzdb::{self, Release},
    zone::Zone,
    zone_2025b,
};

/// Events per transaction, to limit how long other writers wait.
const BATCH: u64 = 200;
/// The pause between two batches, for other writers.
const PAUSE: Duration = Duration::from_millis(5);
/// The longest pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// The result of [`rederive`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rederived {
    /// The number of events whose instants were derived again.
    pub events: u64,
    /// The number of those whose times have changed.
    pub moved: u64,
}

/// Runs [`rederive`] at intervals until the sender of `running` is dropped.
pub async fn rederive_periodically(store: Store, interval: Duration, mut running: watch::Receiver<()>) {
    loop {
        let pause = match rederive(&store, &running).await {
            Ok(Rederived { events: 0, .. }) => interval,
            Ok(Rederived { events, moved }) => {
                let release = tzdb::active().release().as_str();
                tracing::info!(release, events, moved, "derived event times from newer time zone rules");
                interval
            }
            Err(error) => {
                tracing::warn!(%error, "can't derive event times from newer time zone rules");
                RETRY_DELAY.min(interval)
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            _ = running.changed() => return,
        }
    }
}

/// Derives the instants of all events of older releases. Stops early if the sender of `running` is dropped.
pub async fn rederive(store: &Store, running: &watch::Receiver<()>) -> Result<Rederived, DbErr> {
    let mut total = Rederived::default();
    while running.has_changed().is_ok() {
        let batch = store.write(rederive_batch).await?;
        if batch.events == 0 {
            break;
        }
        total.events += batch.events;
        total.moved += batch.moved;
        sleep(PAUSE).await;
    }
    Ok(total)
}

async fn rederive_batch(transaction: Arc<Transaction>) -> Result<Rederived, DbErr> {
    let locks = [AdvisoryLock::CategoryTreeShared, AdvisoryLock::Rederivation];
    locks::take(&*transaction, locks).await?;
    let release = tzdb::active().release();
    let is_older = event::Column::TzRelease.lt(release.as_str());
    let batch = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(is_older.clone())
        .order_by_asc(event::Column::TzRelease)
        .limit(BATCH);
    let batch: Vec<i64> = transaction.selected(batch).await?;
    // Rows are locked in the order of their IDs. Other writers may have derived some of them in the meantime.
    let select = event::Entity::find()
        .filter(event::Column::Id.is_in(batch))
        .filter(is_older)
        .order_by_asc(event::Column::Id)
        .lock(LockType::NoKeyUpdate);
    let rows = transaction.models(select).await?;
    let mut derived = Rederived::default();
    let mut unchanged = Vec::new();
    for before in rows {
        derived.events += 1;
        let after = with_current_rules(&before, release);
        let relabelled = event::Model {
            tz_release: after.tz_release.clone(),
            ..before.clone()
        };
        if after == relabelled {
            unchanged.push(before.id);
            continue;
        }
        derived.moved += 1;
        let modified_at = before.modified_at;
        publishable::update::<event::Entity>(&*transaction, &before, after, modified_at).await?;
    }
    let update = event::Entity::update_many()
        .col_expr(event::Column::TzRelease, Expr::val(release.as_str()))
        .filter(event::Column::Id.is_in(unchanged));
    transaction.run(update).await?;
    Ok(derived)
}

/// Returns the event with the instants derived by the rules in use, or unchanged instants if its zone is unknown.
fn with_current_rules(before: &event::Model, release: &Release) -> event::Model {
    let mut after = before.clone();
    after.tz_release = release.to_string();
    let Ok(zone) = Zone::parse(&before.timezone) else {
        return after;
    };
    if before.tz_release.is_empty() {
        let local = |instant| zone_2025b::local_time_at(&before.timezone, instant);
        (after.starts_local, after.starts_offset) = local(before.starts_at);
        (after.ends_local, after.ends_offset) = local(before.ends_at);
    }
    let times = after.times(&zone);
    after.set_times(&match before.all_day {
        true => times.whole_days(),
        false => times,
    });
    // If the local end has become ambiguous, the earlier of its instants may precede the start.
    after.ends_at = after.ends_at.max(after.starts_at);
    after
}
