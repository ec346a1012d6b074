//! The connections that write, and whether the database takes what they write.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use chrono::{DateTime, Utc};
use metrics::gauge;
use sea_orm::{ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr};

use super::{
    Transaction, circuit_breaker::CircuitBreaker, connection_renewal::ConnectionRenewal, failure::StorageFailure,
    file::DatabaseFile,
};

/// How often the file is looked at, and a database that refuses writes is tried.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// 1 while the database refuses writes.
const REFUSED: &str = "almanac_writes_refused";

/// What writes need of one database.
#[derive(Debug)]
pub struct Writer {
    database: DatabaseConnection,
    renewal: ConnectionRenewal,
    breaker: CircuitBreaker,
    /// On SQLite.
    file: Option<DatabaseFile>,
    refusal: Mutex<Option<Refusal>>,
}

/// Since when the database has been refusing writes, and why it refused the last one.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub since: DateTime<Utc>,
    pub reason: StorageFailure,
}

impl Writer {
    /// Watches the storage from now on, so that its state is right also while nobody writes.
    pub fn new(
        database: DatabaseConnection,
        renewal: ConnectionRenewal,
        breaker: CircuitBreaker,
        file: Option<DatabaseFile>,
    ) -> Arc<Self> {
        let writer = Arc::new(Self {
            database,
            renewal,
            breaker,
            file,
            refusal: Mutex::default(),
        });
        // A gauge that has not been set is not among the metrics.
        gauge!(REFUSED).set(0);
        tokio::spawn(watch(Arc::downgrade(&writer)));
        writer
    }

    pub fn database(&self) -> &DatabaseConnection {
        &self.database
    }

    pub fn renewal(&self) -> &ConnectionRenewal {
        &self.renewal
    }

    pub fn breaker(&self) -> &CircuitBreaker {
        &self.breaker
    }

    /// None while writes succeed.
    pub fn refusal(&self) -> Option<Refusal> {
        *self.lock()
    }

    /// Refuses to write into a file that is not the one at its path any more.
    pub fn check_file(&self) -> Result<(), DbErr> {
        match &self.file {
            Some(file) if !file.is_in_place() => {
                let error = StorageFailure::FileReplaced.into();
                self.note_failure(&error);
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Takes note of an error of a write, which the storage may be the reason of.
    pub fn note_failure(&self, error: &DbErr) {
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
        let transaction = Transaction::begin_write(self).await?;
        let write = match transaction.get_database_backend() {
            DbBackend::Postgres => "CREATE TEMPORARY TABLE probe ON COMMIT DROP AS SELECT 1 AS page",
            _ => "UPDATE sqlite_sequence SET seq = seq",
        };
        transaction.execute_unprepared(write).await?;
        transaction.commit().await
    }

    fn lock(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn watch(writer: Weak<Writer>) {
    loop {
        tokio::time::sleep(WATCH_INTERVAL).await;
        let Some(writer) = writer.upgrade() else {
            return;
        };
        let is_in_place = writer.check_file().is_ok();
        if is_in_place && writer.refusal().is_some() {
            let probed = writer.probe().await;
            if let Err(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)) = probed {
                return;
            }
        }
    }
}
