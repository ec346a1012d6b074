//! Polling of the change log on PostgreSQL.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use sea_orm::{
    DbErr, RuntimeErr,
    sqlx::{self, PgPool, Postgres, pool::PoolConnection},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{CircuitBreaker, ConnectionRenewal, DataVersion, InvalidationLog, lock};

/// Receives the data version of the next poll.
pub(super) type Waiter = oneshot::Sender<Option<DataVersion>>;

/// The maximum number of callers that share a poll.
const MAX_BATCH: usize = 4096;
/// The time limit of a poll, after which the data version is unknown.
pub(super) const POLL_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection of polls and the result of the last one.
pub(super) struct PostgresPoller {
    pool: PgPool,
    renewal: ConnectionRenewal,
    breaker: CircuitBreaker,
    /// The connection with the time when it was acquired. It is held until it is renewed, since the pool tests a
    /// connection each time it is acquired.
    connection: Option<(Instant, PoolConnection<Postgres>)>,
    /// The snapshot of the last poll, if it is known.
    snapshot: Option<String>,
}

impl PostgresPoller {
    pub(super) fn new(pool: PgPool, renewal: ConnectionRenewal, breaker: CircuitBreaker) -> Self {
        Self {
            pool,
            renewal,
            breaker,
            connection: None,
            snapshot: None,
        }
    }

    /// Closes the connection and clears the snapshot: the next connection may reach another server.
    fn reset(&mut self) {
        self.snapshot = None;
        if let Some((_, mut connection)) = self.connection.take() {
            connection.close_on_drop();
        }
    }
}

/// Polls for all waiting callers, until the pool or the queue is closed. Callers arriving during a poll wait for the next
/// one, which is guaranteed to see their writes.
pub(super) async fn poll(
    mut poller: PostgresPoller,
    log: Arc<Mutex<InvalidationLog>>,
    mut queue: mpsc::UnboundedReceiver<Waiter>,
) {
    let mut waiters = Vec::new();
    let closed = poller.pool.clone();
    loop {
        let arrived = tokio::select! {
            arrived = queue.recv_many(&mut waiters, MAX_BATCH) => arrived,
            () = closed.close_event() => return,
        };
        if arrived == 0 {
            return;
        }
        let breaker = poller.breaker.clone();
        let changes = timeout(POLL_TIMEOUT, breaker.run(read_changes(&mut poller))).await;
        let data_version = match changes.ok().and_then(Result::ok) {
            Some(changes) => {
                let mut log = lock(&log);
                log.add(&changes);
                Some(log.current())
            }
            None => {
                poller.reset();
                None
            }
        };
        for waiter in waiters.drain(..) {
            // The caller may have been dropped.
            let _ = waiter.send(data_version);
        }
    }
}

/// The current snapshot.
///
/// A snapshot consists of the first transaction in progress, the first future transaction, and those in progress between
/// them. All other transactions have ended, so that equal snapshots see the same commits. Reads do not change a snapshot,
/// and unlike a version in a row it does not make writers wait for each other.
const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// The current snapshot, whether the changes since the last one (`$1`) are complete, and these changes.
///
/// The changes are complete if a change that the last snapshot has seen still exists, since the oldest changes are
/// deleted first. Transactions beyond the current snapshot belong to another server, from which the database was
/// copied.
const CHANGES: &str = "SELECT pg_current_snapshot()::text, \
    (SELECT transaction_id FROM change_log ORDER BY transaction_id LIMIT 1) < pg_snapshot_xmin($1::pg_snapshot), \
    ARRAY(SELECT event_id FROM change_log WHERE transaction_id >= pg_snapshot_xmin($1::pg_snapshot) \
    AND transaction_id < pg_snapshot_xmax(pg_current_snapshot()) \
    AND NOT pg_visible_in_snapshot(transaction_id, $1::pg_snapshot))";

/// The changes committed since the last poll: IDs of events, or none for anything else.
async fn read_changes(poller: &mut PostgresPoller) -> Result<Vec<Option<i64>>, DbErr> {
    let since = poller.connection.as_ref().map(|(since, _)| since.elapsed());
    if since.is_some_and(|age| poller.renewal.is_due(age)) {
        poller.reset();
    }
    let (_, connection) = match &mut poller.connection {
        Some(connection) => connection,
        none => {
            let started = Instant::now();
            none.insert((started, poller.pool.acquire().await.map_err(query_error)?))
        }
    };
    if let Some(last) = &poller.snapshot {
        // Most polls find no change. This statement takes less time than looking for changes.
        let snapshot: String = sqlx::query_scalar(SNAPSHOT)
            .fetch_one(&mut **connection)
            .await
            .map_err(query_error)?;
        if snapshot == *last {
            return Ok(Vec::new());
        }
    }
    let (snapshot, is_complete, events): (String, Option<bool>, Vec<Option<i64>>) = sqlx::query_as(CHANGES)
        .bind(&poller.snapshot)
        .fetch_one(&mut **connection)
        .await
        .map_err(query_error)?;
    poller.snapshot = Some(snapshot);
    Ok(match is_complete {
        Some(true) => events,
        // There is no last snapshot, or a change since then may be missing.
        Some(false) | None => vec![None],
    })
}

fn query_error(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error)))
}
