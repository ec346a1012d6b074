//! Closing of connections that may be in a bad state, instead of returning them to the pool.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use sea_orm::{
    DbBackend, DbErr,
    sqlx::{self, Connection, pool::PoolOptions},
};

use super::{
    failure::{primary_code, sqlx_error},
    sqlstate,
};

/// A connection that was idle for this long is tested before its next use. It is also tested when it is released.
const TEST_IDLE: Duration = Duration::from_secs(1);
/// SQLite's primary result code for a constraint violation.
const SQLITE_CONSTRAINT: u32 = 19;
/// SQLite's primary result codes for errors of a single statement, after which its transaction continues: SQLITE_ERROR,
/// SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH and SQLITE_RANGE.
const STATEMENT_ERRORS: [u32; 5] = [1, 18, SQLITE_CONSTRAINT, 20, 25];

/// The time of the last renewal: connections opened before must not be used any more. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ConnectionRenewal(Arc<Mutex<Option<Instant>>>);

impl ConnectionRenewal {
    /// Makes the pool close all current connections: those in use when they are released, the others before their next use.
    pub fn renew(&self) {
        *self.since() = Some(Instant::now());
    }

    /// Whether a connection of this age must be closed.
    pub fn is_due(&self, age: Duration) -> bool {
        self.since().is_some_and(|since| since.elapsed() <= age)
    }

    /// Renews all connections if the error of a transaction may leave its connection in a bad state. From outside the
    /// pool, an error can't be attributed to a connection.
    pub fn note_failure(&self, error: &DbErr, backend: DbBackend) {
        if spoils_connection(error, backend) {
            self.renew();
        }
    }

    /// Makes a pool check connections when they are acquired and released. A connection whose transaction depth is not
    /// 0 is closed: its next `begin` would only create a savepoint in a transaction that is never committed.
    pub fn apply_to<DB: sqlx::Database>(&self, options: PoolOptions<DB>) -> PoolOptions<DB> {
        let (acquired, released) = (self.clone(), self.clone());
        options
            // Instead of a test before each use, which is another round trip.
            .test_before_acquire(false)
            .before_acquire(move |connection, metadata| {
                tracing::trace!("connection acquired");
                let is_due = acquired.is_due(metadata.age);
                Box::pin(
                    async move { Ok(!is_due && (metadata.idle_for < TEST_IDLE || connection.ping().await.is_ok())) },
                )
            })
            .after_release(move |connection, metadata| {
                let is_due = released.is_due(metadata.age);
                Box::pin(async move {
                    if !is_due && connection.is_in_transaction() {
                        // The rollback of a dropped transaction may still be queued. A ping waits for it.
                        connection.ping().await?;
                    }
                    Ok(!is_due && !connection.is_in_transaction())
                })
            })
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an error may leave its connection in a bad state. SQLite rolls back the transaction after many errors, which
/// sqlx does not notice, but not after a constraint violation. On PostgreSQL only ROLLBACK ends a transaction, and
/// connections must be renewed if their server has become read-only.
pub(super) fn spoils_connection(error: &DbErr, backend: DbBackend) -> bool {
    if backend == DbBackend::Postgres {
        return sqlstate::is_read_only(error);
    }
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => primary_code(error.as_ref()) != Some(SQLITE_CONSTRAINT),
        Some(_) => true,
        None => false,
    }
}

/// Whether an error may end a transaction of SQLite, including its savepoints.
pub(super) fn ends_transaction(error: &DbErr) -> bool {
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => {
            primary_code(error.as_ref()).is_none_or(|code| !STATEMENT_ERRORS.contains(&code))
        }
        Some(_) => true,
        None => false,
    }
}
