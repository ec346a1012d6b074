//! The connection that writes.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use sea_orm::{DbErr, Statement};

use super::{
    PREPARED, WriteAheadLog,
    error::{connection_error, query_error},
    statement,
};
use crate::store::{failure::StorageFailure, file::DatabaseFile, mutex::lock, row::FromRows};

/// The options of a connection that writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct WriterOptions {
    /// The page cache, as `PRAGMA cache_size` takes it.
    pub cache_size: &'static str,
    /// The number of pages in the write-ahead log at which a commit includes a checkpoint.
    pub checkpoint_pages: &'static str,
    /// How long a statement waits for a lock of another process.
    pub timeout: Duration,
    /// Enforces foreign keys, as `PRAGMA foreign_keys` does.
    pub foreign_keys: bool,
    /// The maximum number of bytes of the file that SQLite maps into memory (`PRAGMA mmap_size`). Mapped pages count as
    /// resident memory, and a disk error while one of them is read ends the process (SIGBUS).
    pub mmap_size: u32,
    /// The value of `PRAGMA temp_store`, which keeps temporary tables, sorters and statement journals in memory or in files.
    pub temp_store: &'static str,
}

/// A connection that writes. Its statements run on the calling thread.
#[derive(Debug)]
pub(in crate::store) struct WriterConnection {
    inner: Mutex<Connection>,
    opened: Instant,
    statement_count: Arc<AtomicU64>,
}

impl WriterConnection {
    /// Opens the file. Fails once it has been replaced.
    pub(in crate::store) fn open(
        file: &DatabaseFile,
        options: WriterOptions,
        statement_count: Arc<AtomicU64>,
    ) -> Result<Self, DbErr> {
        let inner = open(file, options).map_err(connection_error)?;
        if !file.is_in_place() {
            return Err(StorageFailure::FileReplaced.into());
        }
        Ok(Self {
            inner: Mutex::new(inner),
            opened: Instant::now(),
            statement_count,
        })
    }

    /// The time since it was opened.
    pub(in crate::store) fn age(&self) -> Duration {
        self.opened.elapsed()
    }

    /// Begins a transaction. A deferred one that has read can't write any more once another process, such as the command
    /// line, has written.
    pub(in crate::store) fn begin(&self) -> Result<(), DbErr> {
        execute_control(&self.lock(), "BEGIN IMMEDIATE")
    }

    /// Commits the transaction.
    pub(in crate::store) fn commit(&self) -> Result<(), DbErr> {
        self.execute_control("COMMIT")
    }

    /// Rolls back the transaction, unless SQLite has done so after an error.
    pub(in crate::store) fn roll_back(&self) -> Result<(), DbErr> {
        match self.in_transaction() {
            Ok(connection) => execute_control(&connection, "ROLLBACK"),
            Err(_) => Ok(()),
        }
    }

    /// Runs a statement that controls the transaction, such as a savepoint.
    pub(in crate::store) fn execute_control(&self, sql: &str) -> Result<(), DbErr> {
        let connection = self.in_transaction()?;
        execute_control(&connection, sql)
    }

    /// The state of the write-ahead log.
    pub(in crate::store) fn write_ahead_log(&self) -> Result<WriteAheadLog, DbErr> {
        WriteAheadLog::of(&self.lock()).map_err(query_error)
    }

    /// Checkpoints outside of a transaction.
    pub(in crate::store) fn checkpoint(&self) -> Result<(), DbErr> {
        WriteAheadLog::checkpoint(&self.lock()).map(drop).map_err(query_error)
    }

    /// Collects the rows of a statement.
    #[tracing::instrument(level = "trace", skip_all)]
    pub(in crate::store) fn collect<C: FromRows>(&self, statement: &Statement) -> Result<C, DbErr> {
        let connection = self.for_statement()?;
        Ok(statement::collect(&connection, statement)?)
    }

    /// Runs a statement. Returns the number of rows that were inserted, changed or deleted.
    #[tracing::instrument(level = "trace", skip_all)]
    pub(in crate::store) fn execute(&self, statement: &Statement) -> Result<u64, DbErr> {
        let connection = self.for_statement()?;
        Ok(statement::execute(&connection, statement)?)
    }

    /// Runs statements without parameters.
    #[tracing::instrument(level = "trace", skip_all)]
    pub(in crate::store) fn execute_unprepared(&self, sql: &str) -> Result<(), DbErr> {
        self.in_transaction()?.execute_batch(sql).map_err(query_error)
    }

    fn for_statement(&self) -> Result<MutexGuard<'_, Connection>, DbErr> {
        self.statement_count.fetch_add(1, Ordering::Relaxed);
        self.in_transaction()
    }

    /// The connection, if it is in a transaction. After some errors, SQLite rolls the transaction back, and would commit
    /// each further statement on its own.
    fn in_transaction(&self) -> Result<MutexGuard<'_, Connection>, DbErr> {
        let connection = self.lock();
        match connection.is_autocommit() {
            true => Err(DbErr::Custom("SQLite has rolled back the transaction".to_owned())),
            false => Ok(connection),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        lock(&self.inner)
    }
}

/// Runs a statement that controls a transaction. There are only a few, which are frequent and therefore stay prepared.
fn execute_control(connection: &Connection, sql: &str) -> Result<(), DbErr> {
    let run = || connection.prepare_cached(sql)?.execute([]);
    run().map(drop).map_err(query_error)
}

fn open(file: &DatabaseFile, options: WriterOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file.path(), flags)?;
    connection.busy_timeout(options.timeout)?;
    connection.pragma_update(None, "foreign_keys", options.foreign_keys)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "cache_size", options.cache_size)?;
    connection.pragma_update(None, "mmap_size", options.mmap_size)?;
    connection.pragma_update(None, "temp_store", options.temp_store)?;
    connection.pragma_update(None, "wal_autocheckpoint", options.checkpoint_pages)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    Ok(connection)
}
