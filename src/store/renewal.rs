//! Closing connections that may be in a bad state, instead of putting them back into their pool.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use sea_orm::{
    DbBackend, DbErr,
    sqlx::{self, Connection, pool::PoolOptions},
};

use super::failure::sqlx_error;

/// SQLite's primary result code of a violated constraint.
const SQLITE_CONSTRAINT: u32 = 19;

/// How many connections of a pool are to be closed when they are released next.
#[derive(Clone, Debug)]
pub struct Renewal {
    /// The connections of the pool.
    size: u32,
    due: Arc<AtomicU32>,
}

impl Renewal {
    /// For a pool of so many connections.
    pub fn of(size: u32) -> Self {
        Self {
            size,
            due: Arc::default(),
        }
    }

    /// Takes note of an error of a transaction. Where it may leave a connection in a bad state, all connections of the
    /// pool are to be closed: an error can't be traced to one of them from outside the pool.
    pub fn note_failure(&self, error: &DbErr, backend: DbBackend) {
        if spoils_connection(error, backend) {
            self.due.store(self.size, Ordering::Release);
        }
    }

    /// Checks connections when they are released. One whose depth of transactions is not 0 is out of step with its
    /// database: the next `begin` would be a savepoint in a transaction that nobody commits.
    pub fn watch<DB: sqlx::Database>(&self, options: PoolOptions<DB>) -> PoolOptions<DB> {
        let renewal = self.clone();
        options.after_release(move |connection, _| {
            let is_due = renewal.take();
            Box::pin(async move {
                if !is_due && connection.is_in_transaction() {
                    // The rollback of a dropped transaction may still be queued. A ping waits for it.
                    connection.ping().await?;
                }
                Ok(!is_due && !connection.is_in_transaction())
            })
        })
    }

    fn take(&self) -> bool {
        self.due
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |due| {
                due.checked_sub(1)
            })
            .is_ok()
    }
}

/// Whether an error may leave its connection in a bad state. SQLite ends a transaction by itself after many errors,
/// which sqlx does not notice; a violated constraint is none of them. On PostgreSQL a transaction ends with its
/// ROLLBACK only.
pub fn spoils_connection(error: &DbErr, backend: DbBackend) -> bool {
    if backend == DbBackend::Postgres {
        return false;
    }
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => {
            let code = error.code().and_then(|code| code.parse::<u32>().ok());
            code.is_none_or(|code| code & 0xff != SQLITE_CONSTRAINT)
        }
        Some(_) => true,
        None => false,
    }
}
