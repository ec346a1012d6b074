//! The connections that write, and whether the database takes what they write.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use chrono::{DateTime, Utc};
use metrics::gauge;
use sea_orm::{ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr};

use super::{
    Transaction, circuit_breaker::CircuitBreaker, failure::StorageFailure, renewal::Renewal,
};

/// How often a database that refuses writes is tried.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);

/// 1 while the database refuses writes.
const REFUSED: &str = "almanac_writes_refused";

/// What writes need of one database.
#[derive(Debug)]
pub struct Writer {
    database: DatabaseConnection,
    renewal: Renewal,
    breaker: CircuitBreaker,
    refusal: Mutex<Option<Refusal>>,
}

/// Since when the database has been refusing writes, and why it refused the last one.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub since: DateTime<Utc>,
    pub reason: StorageFailure,
}

impl Writer {
    pub fn new(database: DatabaseConnection, renewal: Renewal, breaker: CircuitBreaker) -> Self {
        Self {
            database,
            renewal,
            breaker,
            refusal: Mutex::default(),
        }
    }

    pub fn database(&self) -> &DatabaseConnection {
        &self.database
    }

    pub fn renewal(&self) -> &Renewal {
        &self.renewal
    }

    pub fn breaker(&self) -> &CircuitBreaker {
        &self.breaker
    }

    /// None while writes succeed.
    pub fn refusal(&self) -> Option<Refusal> {
        *self.lock()
    }

    /// Takes note of an error of a write. If the storage is the reason, the database is tried until it takes a write
    /// again, so that the state is right also while nobody writes.
    pub fn note_failure(self: &Arc<Self>, error: &DbErr) {
        let Some(reason) = StorageFailure::of(error) else {
            return;
        };
        let mut refusal = self.lock();
        let is_first = refusal.is_none();
        let refusal = refusal.get_or_insert_with(|| Refusal {
            since: Utc::now(),
            reason,
        });
        refusal.reason = reason;
        if is_first {
            tracing::error!(%reason, %error, "the database refuses writes; reads go on");
            gauge!(REFUSED).set(1);
            tokio::spawn(probe_until_accepted(Arc::downgrade(self)));
        }
    }

    /// Takes note of a write that is stored.
    pub fn note_success(&self) {
        if let Some(refusal) = self.lock().take() {
            let since = refusal.since.to_rfc3339();
            tracing::info!(since, "the database takes writes again");
            gauge!(REFUSED).set(0);
        }
    }

    /// Writes a page without a change of the data.
    async fn probe(self: &Arc<Self>) -> Result<(), DbErr> {
        let transaction = Transaction::to_write(self).await?;
        let write = match transaction.get_database_backend() {
            DbBackend::Postgres => {
                "CREATE TEMPORARY TABLE probe ON COMMIT DROP AS SELECT 1 AS page"
            }
            _ => "UPDATE sqlite_sequence SET seq = seq",
        };
        transaction.execute_unprepared(write).await?;
        transaction.commit().await
    }

    fn lock(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn probe_until_accepted(writer: Weak<Writer>) {
    loop {
        tokio::time::sleep(PROBE_INTERVAL).await;
        let Some(writer) = writer.upgrade().filter(|writer| writer.refusal().is_some()) else {
            return;
        };
        let probed = writer.probe().await;
        if let Err(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)) = probed {
            return;
        }
    }
}
