//! The connections that write, and whether the database accepts writes.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use metrics::gauge;
use sea_orm::{ConnAcquireErr, DatabaseConnection, DbBackend, DbErr};

use super::{
    Transaction, circuit_breaker::CircuitBreaker, connection_renewal::ConnectionRenewal, failure::StorageFailure,
    file::DatabaseFile, group_commit::GroupCommit, read_connection::ReadConnection, write_connection::WriteConnection,
};

/// The interval of file checks, and of probes while the database refuses writes.
const MONITOR_INTERVAL: Duration = Duration::from_secs(2);

/// 1 while the database refuses writes.
const REFUSED: &str = "almanac_writes_refused";

/// The connections that write to one database, and the state of its storage.
#[derive(Debug)]
pub struct Writer {
    database: DatabaseConnection,
    renewal: ConnectionRenewal,
    breaker: CircuitBreaker,
    /// Of a store on SQLite that writes.
    group_commit: Option<GroupCommit>,
    /// On SQLite.
    file: Option<DatabaseFile>,
    refusal: Mutex<Option<Refusal>>,
    /// The number of successful writes since the start.
    writes: AtomicU64,
}

/// The time since which the database has refused writes, and the reason for the last refusal.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub since: DateTime<Utc>,
    pub reason: StorageFailure,
}

impl Writer {
    /// Starts to monitor the storage, so that its state is known even without writes.
    pub fn new(
        database: DatabaseConnection,
        renewal: ConnectionRenewal,
        breaker: CircuitBreaker,
        group_commit: Option<GroupCommit>,
        file: Option<DatabaseFile>,
    ) -> Arc<Self> {
        let writer = Arc::new(Self {
            database,
            renewal,
            breaker,
            group_commit,
            file,
            refusal: Mutex::default(),
            writes: AtomicU64::new(0),
        });
        // A gauge that has not been set is missing from the metrics.
        gauge!(REFUSED).set(0);
        tokio::spawn(monitor(Arc::downgrade(&writer)));
        writer
    }

    pub fn database(&self) -> &DatabaseConnection {
        &self.database
    }

    /// None on PostgreSQL, which has several connections that write, and in a store that only reads.
    pub fn group_commit(&self) -> Option<&GroupCommit> {
        self.group_commit.as_ref()
    }

    /// Closes the connections. On SQLite, this checkpoints the write-ahead log.
    pub async fn close(&self) -> Result<(), DbErr> {
        if let Some(group_commit) = &self.group_commit {
            group_commit.close().await;
        }
        self.database.close_by_ref().await
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

    /// The file, on SQLite.
    pub fn file_path(&self) -> Option<&Path> {
        self.file.as_ref().map(DatabaseFile::path)
    }

    /// Fails if the file has been replaced.
    pub fn check_file(&self) -> Result<(), DbErr> {
        match &self.file {
            Some(file) if !file.is_in_place() => Err(self.note_failure(StorageFailure::FileReplaced.into())),
            _ => Ok(()),
        }
    }

    /// Records an error of a write if it is a storage failure. Returns the error. That of a full disk becomes a
    /// [`DbErr::Exec`], which distinguishes it from that of a read: nothing was stored.
    pub fn note_failure(&self, error: DbErr) -> DbErr {
        let Some(reason) = StorageFailure::of(&error) else {
            return error;
        };
        let mut refusal = self.lock();
        let is_first = refusal.is_none();
        let refusal = refusal.get_or_insert_with(|| Refusal {
            since: Utc::now(),
            reason,
        });
        refusal.reason = reason;
        if is_first {
            tracing::error!(%reason, %error, "the database refuses writes; reads continue");
            gauge!(REFUSED).set(1);
        }
        match (reason, error) {
            (StorageFailure::DiskFull, DbErr::Conn(cause) | DbErr::Query(cause)) => DbErr::Exec(cause),
            (_, error) => error,
        }
    }

    /// The number of successful writes since the start.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Records a successful write.
    pub fn note_success(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        if let Some(refusal) = self.lock().take() {
            let since = refusal.since.to_rfc3339();
            tracing::info!(since, "the database accepts writes again");
            gauge!(REFUSED).set(0);
        }
    }

    /// Writes a page without changing data.
    async fn probe(self: &Arc<Self>) -> Result<(), DbErr> {
        let transaction = Transaction::begin_write(self).await?;
        let write = match transaction.backend() {
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

async fn monitor(writer: Weak<Writer>) {
    loop {
        tokio::time::sleep(MONITOR_INTERVAL).await;
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
