//! A connection whose statements run on the calling thread.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    PREPARED,
    blocking::{BUDGET, without_delaying_others},
    error::connection_error,
    statement::{self, StatementError},
};
use crate::store::{file::DatabaseFile, mutex::lock, row::FromRows};
use rusqlite::OpenFlags;
use sea_orm::{DbErr, Statement};

/// The number of steps of a statement between two looks at the clock: a few microseconds.
const STEPS: i32 = 1000;

/// A connection for reads.
#[derive(Debug)]
pub(super) struct Connection {
    inner: Mutex<rusqlite::Connection>,
    /// When SQLite interrupts the statement that runs. Each run of a statement sets it.
    deadline: Arc<Mutex<Option<Instant>>>,
    /// Set when a statement fails, unless it was interrupted: the connection must be closed then.
    is_spoiled: AtomicBool,
    statement_count: Arc<AtomicU64>,
}

impl Connection {
    pub(super) fn open(
        file: &DatabaseFile,
        cache_size: &str,
        busy_timeout: Duration,
        statement_count: Arc<AtomicU64>,
    ) -> Result<Self, DbErr> {
        let deadline = Arc::<Mutex<Option<Instant>>>::default();
        let inner = open_reader(file, cache_size, busy_timeout, deadline.clone()).map_err(connection_error)?;
        Ok(Self {
            inner: Mutex::new(inner),
            deadline,
            is_spoiled: AtomicBool::new(false),
            statement_count,
        })
    }

    /// Whether the connection can be used for another statement.
    pub(super) fn is_reusable(&self) -> bool {
        !self.is_spoiled.load(Ordering::Relaxed)
    }

    /// Collects the rows of a short statement. None if it took too long, and must run with [`Self::collect_long`].
    pub(super) fn collect_short<C: FromRows>(&self, statement: &Statement) -> Result<Option<C>, DbErr> {
        self.statement_count.fetch_add(1, Ordering::Relaxed);
        match self.collect_until(Instant::now() + BUDGET, statement) {
            Err(error) if error.is_interruption() => Ok(None),
            collected => self.checked(collected).map(Some),
        }
    }

    /// Collects the rows of a statement that [`Self::collect_short`] has interrupted, where it delays nothing else.
    /// Fails if it takes longer than `limit`.
    pub(super) fn collect_long<C: FromRows>(&self, statement: &Statement, limit: Duration) -> Result<C, DbErr> {
        let collected = without_delaying_others(|| self.collect_until(Instant::now() + limit, statement));
        self.checked(collected)
    }

    #[tracing::instrument(level = "trace", skip_all)]
    fn collect_until<C: FromRows>(&self, deadline: Instant, statement: &Statement) -> Result<C, StatementError> {
        let connection = lock(&self.inner);
        *lock(&self.deadline) = Some(deadline);
        statement::collect(&connection, statement)
    }

    fn checked<C>(&self, collected: Result<C, StatementError>) -> Result<C, DbErr> {
        collected.map_err(|error| {
            if !error.is_interruption() {
                self.is_spoiled.store(true, Ordering::Relaxed);
            }
            error.into()
        })
    }
}

fn open_reader(
    file: &DatabaseFile,
    cache_size: &str,
    busy_timeout: Duration,
    deadline: Arc<Mutex<Option<Instant>>>,
) -> rusqlite::Result<rusqlite::Connection> {
    // Not read-only: reading a write-ahead log writes to its index.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(file.path(), flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.pragma_update(None, "cache_size", cache_size)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    let is_late = move || lock(&deadline).is_some_and(|deadline| deadline <= Instant::now());
    connection.progress_handler(STEPS, Some(is_late))?;
    Ok(connection)
}
