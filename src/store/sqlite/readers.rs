//! The connections that read.

use std::{
    fmt,
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicU64},
    thread::available_parallelism,
    time::Duration,
};

use sea_orm::{ConnAcquireErr, DbErr, Statement};
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use super::connection::Connection;
use crate::store::{failure::StorageFailure, file::DatabaseFile, mutex::lock, row::FromRows};

/// A pool of connections that read. Clones share it.
#[derive(Clone, Debug)]
pub(in crate::store) struct Readers(Arc<Pool>);

struct Pool {
    file: DatabaseFile,
    options: Options,
    /// One for each connection.
    permits: Arc<Semaphore>,
    /// One for each long statement that may run at a time.
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
    /// How long a statement waits for a lock, and in total for connections.
    pub timeout: Duration,
    /// How long a statement runs until it is cancelled.
    pub read_limit: Duration,
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
        let processors = available_parallelism().map_or(1, NonZero::get);
        let pool = Pool {
            file,
            options,
            permits: Arc::new(Semaphore::new(options.connections)),
            long: Semaphore::new(max_long(processors, options.connections)),
            idle: Mutex::default(),
            statement_count,
        };
        for _ in 0..options.connections {
            let connection = pool.connect()?;
            pool.idle().push(connection);
        }
        Ok(Self(Arc::new(pool)))
    }

    /// Collects the rows of a statement. A long one is interrupted, and runs again once fewer long statements than the
    /// maximum are running. The other connections remain free for short ones.
    pub(in crate::store) async fn collect<C: FromRows>(&self, statement: &Statement) -> Result<C, DbErr> {
        let deadline = Instant::now() + self.0.options.timeout;
        if let Some(collected) = self.acquire(deadline).await?.connection().collect_short(statement)? {
            return Ok(collected);
        }
        let _long = permit(self.0.long.acquire(), deadline).await?;
        let lease = self.acquire(deadline).await?;
        lease.connection().collect_long(statement, self.0.options.read_limit)
    }

    /// Closes the connections that are idle, and the others once they are released.
    pub(in crate::store) fn close(&self) {
        self.0.permits.close();
        self.0.long.close();
        self.0.idle().clear();
    }

    /// Waits for a connection.
    async fn acquire(&self, deadline: Instant) -> Result<Lease, DbErr> {
        let pool = self.0.clone();
        let permit = permit(pool.permits.clone().acquire_owned(), deadline).await?;
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
}

/// Waits for a permit.
async fn permit<P>(acquire: impl Future<Output = Result<P, AcquireError>>, deadline: Instant) -> Result<P, DbErr> {
    let error = match timeout_at(deadline, acquire).await {
        Ok(Ok(permit)) => return Ok(permit),
        Ok(Err(_)) => ConnAcquireErr::ConnectionClosed,
        Err(_) => ConnAcquireErr::Timeout,
    };
    Err(DbErr::ConnectionAcquire(error))
}

/// The maximum number of long statements that run at a time. More than one per processor would not finish sooner, and each
/// needs memory to sort and to remove duplicates. Two more keep the processors busy while others wait for the disk.
fn max_long(processors: usize, connections: usize) -> usize {
    /// The number of connections that are left to short statements.
    const SHORT: usize = 2;
    (processors + 2).min(connections.saturating_sub(SHORT)).max(1)
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
        lock(&self.idle)
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
        // Locked before the check, because `close` closes the permits and then clears the idle connections.
        let mut idle = self.pool.idle();
        if !self.pool.permits.is_closed() {
            idle.extend(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;
    use tempfile::TempDir;

    use super::*;
    use crate::store::failure::{is_cancelled, is_contention};

    #[test]
    fn connections_are_left_to_short_statements() {
        for (processors, connections, expected) in [(1, 8, 3), (2, 8, 4), (64, 8, 6), (2, 4, 2), (2, 2, 1), (1, 1, 1)] {
            assert_eq!(
                max_long(processors, connections),
                expected,
                "{processors}, {connections}"
            );
        }
    }

    /// A pool with one connection, and the folder of its file.
    fn one_reader(read_limit: Duration) -> (Readers, TempDir) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}/almanac.db", folder.path().display());
        let options = Options {
            connections: 1,
            cache_size: "-1024",
            timeout: Duration::from_secs(60),
            read_limit,
        };
        let file = DatabaseFile::prepare(&url).expect("a file");
        let readers = Readers::open(file, options, Arc::default()).expect("a connection");
        (readers, folder)
    }

    async fn count_to(readers: Readers, number: i64) -> Result<i64, DbErr> {
        let numbers = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT ?)";
        let count = format!("{numbers} SELECT COUNT(*) FROM numbers");
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, count, [number.into()]);
        let rows: Vec<[i64; 1]> = readers.collect(&statement).await?;
        Ok(rows[0][0])
    }

    #[tokio::test]
    async fn waiting_long_statement_needs_no_connection() {
        /// Takes several milliseconds.
        const LONG: i64 = 300_000;
        let (readers, _folder) = one_reader(Duration::from_secs(60));
        let other = readers.0.long.acquire().await.expect("a permit");
        let long = tokio::spawn(count_to(readers.clone(), LONG));
        tokio::task::yield_now().await;
        assert_eq!(count_to(readers.clone(), 1).await.expect("a count"), 1);
        assert!(!long.is_finished());
        drop(other);
        assert_eq!(long.await.expect("no panic").expect("a count"), LONG);
    }

    #[tokio::test]
    async fn statement_is_cancelled_at_its_limit() {
        let (readers, _folder) = one_reader(Duration::from_millis(20));
        let error = count_to(readers.clone(), i64::MAX).await.expect_err("it is cancelled");
        assert!(is_cancelled(&error) && is_contention(&error), "{error}");
        assert_eq!(readers.0.idle().len(), 1);
    }
}
