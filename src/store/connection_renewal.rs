//! Closing connections that may be in a bad state, instead of putting them back into their pool.

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

/// SQLite's primary result code of a violated constraint.
const SQLITE_CONSTRAINT: u32 = 19;

/// Since when connections must have been made to be used any further. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ConnectionRenewal(Arc<Mutex<Option<Instant>>>);

impl ConnectionRenewal {
    /// Has all present connections closed: those in use when they are released, the others before they are used next.
    pub fn renew(&self) {
        *self.since() = Some(Instant::now());
    }

    /// Whether a connection of this age is to be closed.
    pub fn is_due(&self, age: Duration) -> bool {
        self.since().is_some_and(|since| since.elapsed() <= age)
    }

    /// Takes note of an error of a transaction. Where it may leave a connection in a bad state, all connections of the
    /// pool are to be closed: an error can't be traced to one of them from outside the pool.
    pub fn note_failure(&self, error: &DbErr, backend: DbBackend) {
        if spoils_connection(error, backend) {
            self.renew();
        }
    }

    /// Checks connections when they are acquired and released. One whose depth of transactions is not 0 is out of step
    /// with its database: the next `begin` would be a savepoint in a transaction that nobody commits.
    pub fn apply_to<DB: sqlx::Database>(&self, options: PoolOptions<DB>) -> PoolOptions<DB> {
        let (acquired, released) = (self.clone(), self.clone());
        options
            .before_acquire(move |_, metadata| {
                let is_due = acquired.is_due(metadata.age);
                Box::pin(async move { Ok(!is_due) })
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

/// Whether an error may leave its connection in a bad state. SQLite ends a transaction by itself after many errors,
/// which sqlx does not notice; a violated constraint is none of them. On PostgreSQL a transaction ends with its
/// ROLLBACK only, and connections are spoilt where they lead to a server that takes no writes.
pub fn spoils_connection(error: &DbErr, backend: DbBackend) -> bool {
    if backend == DbBackend::Postgres {
        return sqlstate::is_read_only(error);
    }
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => primary_code(error.as_ref()) != Some(SQLITE_CONSTRAINT),
        Some(_) => true,
        None => false,
    }
}
