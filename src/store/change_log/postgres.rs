//! Watching a PostgreSQL database.

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

/// Who waits for a generation that is read after now.
pub type Waiter = oneshot::Sender<Option<DataVersion>>;

/// Readers that share one look, at most.
const MAX_BATCH: usize = 4096;
/// How long PostgreSQL may take to tell the generation before it counts as unknown.
pub const POLL_TIMEOUT: Duration = Duration::from_secs(1);

/// What one look is made by, and compared with.
pub struct PostgresPoller {
    pool: PgPool,
    renewal: ConnectionRenewal,
    breaker: CircuitBreaker,
    /// Held until it is to be renewed: a connection that goes back to its pool is tried out each time.
    connection: Option<(Instant, PoolConnection<Postgres>)>,
    /// What was visible at the last look. None where that is not known.
    snapshot: Option<String>,
}

impl PostgresPoller {
    pub fn new(pool: PgPool, renewal: ConnectionRenewal, breaker: CircuitBreaker) -> Self {
        Self {
            pool,
            renewal,
            breaker,
            connection: None,
            snapshot: None,
        }
    }

    /// Lets go of the connection, and of what it has shown: another one may lead to another server.
    fn reset(&mut self) {
        self.snapshot = None;
        if let Some((_, mut connection)) = self.connection.take() {
            connection.close_on_drop();
        }
    }
}

/// Looks for all who wait, again and again, until the pool is closed or nobody can ask any more. Who comes while one
/// look is under way waits for the next: it may have begun before a write that the newcomer knows of.
pub async fn poll(
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
            // A reader that has gone away needs no answer.
            let _ = waiter.send(data_version);
        }
    }
}

/// A snapshot tells which transactions are visible: the first one that is under way, the first one to come, and those
/// under way between. The others have ended for good, so that equal texts see the same commits. Reads have no number
/// and don't change it, and no row is written for it on which writers would have to queue.
///
/// Where there is no change that all who looked at the last snapshot have seen, later ones may have been forgotten too:
/// the oldest go first. Transactions that are still to come are those of another server, from which the database was
/// copied.
const CHANGES: &str = "SELECT pg_current_snapshot()::text, \
    CASE WHEN pg_current_snapshot()::text <> $1 THEN EXISTS (\
    SELECT 1 FROM changes WHERE transaction_id < pg_snapshot_xmin($1::pg_snapshot)) END, \
    CASE WHEN pg_current_snapshot()::text <> $1 THEN ARRAY(\
    SELECT event_id FROM changes WHERE transaction_id >= pg_snapshot_xmin($1::pg_snapshot) \
    AND transaction_id < pg_snapshot_xmax(pg_current_snapshot()) \
    AND NOT pg_visible_in_snapshot(transaction_id, $1::pg_snapshot)) END";

/// What has been committed since the last look.
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
    let (snapshot, is_complete, events): (String, Option<bool>, Option<Vec<Option<i64>>>) = sqlx::query_as(CHANGES)
        .bind(&poller.snapshot)
        .fetch_one(&mut **connection)
        .await
        .map_err(query_error)?;
    let is_first = poller.snapshot.replace(snapshot).is_none();
    Ok(match (is_first, is_complete, events) {
        (false, None, _) => Vec::new(),
        (false, Some(true), Some(events)) => events,
        _ => vec![None],
    })
}

fn query_error(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error)))
}
