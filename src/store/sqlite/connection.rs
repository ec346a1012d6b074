//! A connection whose statements run on the calling thread.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{ErrorCode, OpenFlags, params_from_iter};
use sea_orm::{DbErr, Statement, Values};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

use super::{
    error::{connection_error, query_error},
    values::Parameter,
};
use crate::store::{
    file::DatabaseFile,
    row::{FromRows, Row},
};

/// How long a statement may occupy a thread of the runtime. A longer one begins again where it delays nothing else.
const BUDGET: Duration = Duration::from_millis(1);
/// The number of steps of a statement between two looks at the clock: a few microseconds.
const STEPS: i32 = 1000;
/// The number of prepared statements that a connection keeps.
const PREPARED: usize = 128;

/// A connection for reads.
#[derive(Debug)]
pub(super) struct Connection {
    inner: Mutex<rusqlite::Connection>,
    /// When the statement that runs is interrupted.
    deadline: Arc<Mutex<Option<Instant>>>,
    /// Set when a statement fails: the connection must be closed then.
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

    /// Collects the rows of a statement.
    #[tracing::instrument(level = "trace", skip_all)]
    pub(super) fn collect<C: FromRows>(&self, statement: &Statement) -> Result<C, DbErr> {
        self.statement_count.fetch_add(1, Ordering::Relaxed);
        let connection = lock(&self.inner);
        *lock(&self.deadline) = Some(Instant::now() + BUDGET);
        let mut collected = read(&connection, statement);
        *lock(&self.deadline) = None;
        if collected.as_ref().is_err_and(ReadError::is_interruption) {
            collected = without_delaying_others(|| read(&connection, statement));
        }
        collected.map_err(|error| {
            self.is_spoiled.store(true, Ordering::Relaxed);
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

/// An error of a read.
enum ReadError {
    Statement(rusqlite::Error),
    /// A row has other columns than expected.
    Row(DbErr),
}

impl ReadError {
    fn is_interruption(&self) -> bool {
        match self {
            Self::Statement(error) => error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted),
            Self::Row(_) => false,
        }
    }
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Statement(error)
    }
}

impl From<ReadError> for DbErr {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Statement(error) => query_error(error),
            ReadError::Row(error) => error,
        }
    }
}

fn read<C: FromRows>(connection: &rusqlite::Connection, statement: &Statement) -> Result<C, ReadError> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    let values = statement.values.iter().flat_map(|Values(values)| values);
    let mut rows = prepared.query(params_from_iter(values.map(Parameter)))?;
    let mut collected = C::default();
    while let Some(row) = rows.next()? {
        collected.add(&Row::Rusqlite(row)).map_err(ReadError::Row)?;
    }
    Ok(collected)
}

/// Runs blocking work after the runtime has moved its other work to another thread.
fn without_delaying_others<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
