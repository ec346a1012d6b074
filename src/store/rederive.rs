//! Derives the instants of events anew once the time zone rules have changed.
//!
//! Each event carries the release by which its instants were derived. Those of older releases than the one in use are
//! derived again, a batch to a transaction: whatever ends it, the rest is left for the next time. Those of newer
//! releases, from a server beside this one, stay as they are.

use std::{sync::Arc, time::Duration};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};
use tokio::{sync::watch, time::sleep};

use super::{Store, Transaction, entity::event, locks, publishable};
use crate::calendar::{
    tzdb::{self, Release},
    zone::Zone,
    zone_2025b,
};

/// Events that are derived in one transaction. Other writers wait for it.
const BATCH: u64 = 200;
/// How long other writers have between two batches.
const PAUSE: Duration = Duration::from_millis(5);
/// After a failure it is tried again sooner than otherwise.
const RETRY_DELAY: Duration = Duration::from_secs(30);
/// PostgreSQL's advisory lock under which one server at a time derives a batch: the letters "zone".
const LOCK: i64 = 0x7a6f_6e65;

/// How many events were derived again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rederived {
    pub events: u64,
    /// Those of them whose times are others now.
    pub moved: u64,
}

/// Derives again now and then, until the other end of `running` is dropped.
pub async fn rederive_periodically(store: Store, interval: Duration, mut running: watch::Receiver<()>) {
    loop {
        let pause = match rederive(&store, &running).await {
            Ok(Rederived { events: 0, .. }) => interval,
            Ok(Rederived { events, moved }) => {
                let release = tzdb::active().release().as_str();
                tracing::info!(release, events, moved, "derived event times by newer zone rules");
                interval
            }
            Err(error) => {
                tracing::warn!(%error, "can't derive event times by newer zone rules");
                RETRY_DELAY.min(interval)
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            _ = running.changed() => return,
        }
    }
}

/// Derives the instants of all events of older releases, unless the other end of `running` is dropped before.
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
    locks::category_tree_shared(&*transaction).await?;
    if transaction.get_database_backend() == DbBackend::Postgres {
        let lock = format!("SELECT pg_advisory_xact_lock({LOCK})");
        transaction.execute_unprepared(&lock).await?;
    }
    let release = tzdb::active().release();
    let rows = event::Entity::find()
        .filter(event::Column::TzRelease.lt(release.as_str()))
        .order_by_asc(event::Column::TzRelease)
        .limit(BATCH)
        .lock(LockType::NoKeyUpdate)
        .all(&*transaction)
        .await?;
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
    event::Entity::update_many()
        .col_expr(event::Column::TzRelease, Expr::val(release.as_str()))
        .filter(event::Column::Id.is_in(unchanged))
        .exec(&*transaction)
        .await?;
    Ok(derived)
}

/// The event by the rules in use. In a zone that they lack, its instants stay.
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
    // Where clocks show the end twice now, the first of the two may come before the start.
    after.ends_at = after.ends_at.max(after.starts_at);
    after
}
