//! The connections that read.

use std::{
    fmt,
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    thread,
    time::Duration,
};

use sea_orm::{ConnAcquireErr, DbErr, Statement};
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::connection::Connection;
use crate::store::{failure::StorageFailure, file::DatabaseFile, row::FromRows};

/// A pool of connections that read. Clones share it.
#[derive(Clone, Debug)]
pub(in crate::store) struct Readers(Arc<Pool>);

struct Pool {
    file: DatabaseFile,
    options: Options,
    /// One for each connection.
    permits: Arc<Semaphore>,
    /// One for each long statement that may run.
    long: Semaphore,
    /// The connection that was used last is used next: its page cache has the pages that are read most.
    idle: Mutex<Vec<Connection>>,
    statement_count: Arc<AtomicU64>,
}

/// The options of a pool.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Options {
    pub connections: usize,
    /// The page cache of each connection, as `PRAGMA cache_size` takes it.
    pub cache_size: &'static str,
    /// How long a statement waits for a lock, and for a connection.
    pub timeout: Duration,
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Readers {
    /// Opens all connections: none can be opened once the file has been replaced.
    pub(in crate::store) fn open(
        file: DatabaseFile,
        options: Options,
        statement_count: Arc<AtomicU64>,
    ) -> Result<Self, DbErr> {
        let pool = Pool {
            file,
            options,
            permits: Arc::new(Semaphore::new(options.connections)),
            long: Semaphore::new(max_long(options.connections)),
            idle: Mutex::default(),
            statement_count,
        };
        for _ in 0..options.connections {
            let connection = pool.connect()?;
            pool.idle().push(connection);
        }
        Ok(Self(Arc::new(pool)))
    }

    /// Collects the rows of a statement. One that takes long begins again when few others do, so that short ones find a
    /// connection.
    pub(in crate::store) async fn collect<C: FromRows>(&self, statement: &Statement) -> Result<C, DbErr> {
        if let Some(collected) = self.acquire().await?.connection().collect_short(statement)? {
            return Ok(collected);
        }
        let _long = self.permit(self.0.long.acquire()).await?;
        self.acquire().await?.connection().collect_long(statement)
    }

    /// Closes the connections that are idle, and the others once they are released.
    pub(in crate::store) fn close(&self) {
        self.0.permits.close();
        self.0.long.close();
        self.0.idle().clear();
    }

    async fn acquire(&self) -> Result<Lease, DbErr> {
        let pool = self.0.clone();
        let permit = self.permit(pool.permits.clone().acquire_owned()).await?;
        let idle = pool.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => pool.connect()?,
        };
        Ok(Lease {
            pool,
            connection: Some(connection),
            _permit: permit,
        })
    }

    /// Waits for a permit.
    async fn permit<P>(&self, acquire: impl Future<Output = Result<P, AcquireError>>) -> Result<P, DbErr> {
        let error = match timeout(self.0.options.timeout, acquire).await {
            Ok(Ok(permit)) => return Ok(permit),
            Ok(Err(_)) => ConnAcquireErr::ConnectionClosed,
            Err(_) => ConnAcquireErr::Timeout,
        };
        Err(DbErr::ConnectionAcquire(error))
    }
}

/// The number of long statements that may run at a time. More than there are processors would not finish sooner, and each
/// needs memory to sort and to remove duplicates. One more than that makes use of a wait for the disk.
fn max_long(connections: usize) -> usize {
    /// The number of connections for short statements.
    const SHORT: usize = 2;
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    (processors + 1).min(connections.saturating_sub(SHORT)).max(1)
}

impl Pool {
    fn connect(&self) -> Result<Connection, DbErr> {
        if !self.file.is_in_place() {
            return Err(StorageFailure::FileReplaced.into());
        }
        let Options {
            cache_size, timeout, ..
        } = self.options;
        Connection::open(&self.file, cache_size, timeout, self.statement_count.clone())
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use. It returns to the pool when it is dropped, unless it is not reusable.
#[derive(Debug)]
struct Lease {
    pool: Arc<Pool>,
    connection: Option<Connection>,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("only drop takes it")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let connection = self.connection.take().filter(Connection::is_reusable);
        if !self.pool.permits.is_closed() {
            self.pool.idle().extend(connection);
        }
    }
}
