//! Group commit on SQLite: concurrent writes share a transaction, and thus one flush to the disk.
//!
//! A task owns the connection that writes. It begins a transaction for the first write, lends it to one write after the
//! other, and commits it once no other write waits. A failed write is rolled back alone. An error that ends the
//! transaction fails all of its writes.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::connection_renewal::{ConnectionRenewal, ends_transaction};

/// The maximum number of writes in a group, and the time after which no other write joins it: the first one waits for
/// the last one.
const MAX_WRITES: usize = 64;
const MAX_TIME: Duration = Duration::from_millis(100);

/// A write that waits for its turn.
type Request = oneshot::Sender<Result<Turn, DbErr>>;
/// A write that waits for the commit.
type Waiter = oneshot::Sender<Result<(), DbErr>>;

/// The queue of writes to one SQLite file.
#[derive(Debug)]
pub struct GroupCommit {
    queue: mpsc::UnboundedSender<Request>,
    /// How long a write waits for its turn.
    limit: Duration,
}

impl GroupCommit {
    /// Starts the task, which ends when this queue is dropped.
    pub fn new(database: DatabaseConnection, renewal: ConnectionRenewal) -> Self {
        let limit = database.get_sqlite_connection_pool().options().get_acquire_timeout();
        let (queue, requests) = mpsc::unbounded_channel();
        tokio::spawn(run(database, renewal, requests));
        Self { queue, limit }
    }

    /// Waits for the turn of a write.
    pub async fn begin(&self) -> Result<Turn, DbErr> {
        let (request, turn) = oneshot::channel();
        // If the task has ended, the turn reports it.
        let _ = self.queue.send(request);
        let refused = |reason| Err(DbErr::ConnectionAcquire(reason));
        match timeout(self.limit, turn).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => refused(ConnAcquireErr::ConnectionClosed),
            Err(_) => refused(ConnAcquireErr::Timeout),
        }
    }
}

/// The exclusive use of a group's transaction by one write, which is rolled back if its turn is dropped.
#[derive(Debug)]
pub struct Turn {
    // Dropped before `end`: the next turn begins once that is dropped.
    transaction: Arc<DatabaseTransaction>,
    failure: Arc<OnceLock<DbErr>>,
    end: oneshot::Sender<Waiter>,
}

impl Turn {
    pub fn transaction(&self) -> &DatabaseTransaction {
        &self.transaction
    }

    /// Fails all writes of the group if the error of a statement may have ended their transaction.
    pub fn note_failure(&self, error: &DbErr) {
        if ends_transaction(error) {
            // Only the first error matters.
            let _ = self.failure.set(error.clone());
        }
    }

    /// Ends the turn, and waits until the transaction is committed.
    pub async fn commit(self) -> Result<(), DbErr> {
        let Self { transaction, end, .. } = self;
        drop(transaction);
        let (waiter, committed) = oneshot::channel();
        // If the task has ended, so has the transaction, and `committed` reports it.
        let _ = end.send(waiter);
        let ended = |_| DbErr::Custom("the task that commits writes has ended".to_owned());
        committed.await.map_err(ended)?
    }
}

async fn run(database: DatabaseConnection, renewal: ConnectionRenewal, mut requests: mpsc::UnboundedReceiver<Request>) {
    while let Some(request) = requests.recv().await {
        let mut group = match Group::begin(&database, &renewal).await {
            Ok(group) => group,
            Err(error) => {
                renewal.note_failure(&error, DbBackend::Sqlite);
                // The write may have been dropped.
                let _ = request.send(Err(error));
                continue;
            }
        };
        group.lend(request).await;
        while group.may_grow()
            && let Ok(request) = requests.try_recv()
        {
            group.lend(request).await;
        }
        group.end().await;
    }
}

/// Replaces the savepoint that the next write is rolled back to if it fails.
const SET_SAVEPOINT: &str = "SAVEPOINT earlier_writes";
const MOVE_SAVEPOINT: &str = "RELEASE earlier_writes; SAVEPOINT earlier_writes";
const ROLL_BACK_WRITE: &str = "ROLLBACK TO earlier_writes";

/// The writes of one transaction.
struct Group<'a> {
    renewal: &'a ConnectionRenewal,
    transaction: Arc<DatabaseTransaction>,
    begun: Instant,
    /// The error that ended the transaction.
    failure: Arc<OnceLock<DbErr>>,
    /// The successful writes.
    waiters: Vec<Waiter>,
    savepoint: Savepoint,
}

/// Whether there is a savepoint, and whether it is after all successful writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Savepoint {
    Missing,
    Outdated,
    Current,
}

impl<'a> Group<'a> {
    async fn begin(database: &DatabaseConnection, renewal: &'a ConnectionRenewal) -> Result<Self, DbErr> {
        // A deferred transaction that has read can't write any more once another process, such as the command line, has
        // written.
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        Ok(Self {
            renewal,
            transaction: Arc::new(database.begin_with_options(options).await?),
            begun: Instant::now(),
            failure: Arc::default(),
            waiters: Vec::new(),
            savepoint: Savepoint::Missing,
        })
    }

    /// Whether another write may join. Without a savepoint, a failed first write ends the transaction.
    fn may_grow(&self) -> bool {
        self.failure.get().is_none() && (1..MAX_WRITES).contains(&self.waiters.len()) && self.begun.elapsed() < MAX_TIME
    }

    /// Lends the transaction to a write until its turn ends.
    async fn lend(&mut self, request: Request) {
        if request.is_closed() {
            return;
        }
        if let Err(error) = self.set_savepoint().await {
            let _ = self.failure.set(error.clone());
            let _ = request.send(Err(error));
            return;
        }
        let (end, ended) = oneshot::channel();
        // If the write has been dropped in the meantime, this drops its turn.
        let _ = request.send(Ok(Turn {
            transaction: self.transaction.clone(),
            failure: self.failure.clone(),
            end,
        }));
        match ended.await {
            Ok(waiter) => {
                self.waiters.push(waiter);
                if self.savepoint == Savepoint::Current {
                    self.savepoint = Savepoint::Outdated;
                }
            }
            Err(_) if self.savepoint == Savepoint::Current && self.failure.get().is_none() => {
                if let Err(error) = self.transaction.execute_unprepared(ROLL_BACK_WRITE).await {
                    let _ = self.failure.set(error);
                }
            }
            Err(_) => {}
        }
    }

    /// Sets a savepoint after the successful writes, if there are any.
    async fn set_savepoint(&mut self) -> Result<(), DbErr> {
        let statement = match self.savepoint {
            Savepoint::Missing if self.waiters.is_empty() => return Ok(()),
            Savepoint::Missing => SET_SAVEPOINT,
            Savepoint::Outdated => MOVE_SAVEPOINT,
            Savepoint::Current => return Ok(()),
        };
        self.transaction.execute_unprepared(statement).await?;
        self.savepoint = Savepoint::Current;
        Ok(())
    }

    /// Commits the transaction, or rolls it back after an error or without a successful write.
    async fn end(self) {
        let result = match (self.failure.get(), Arc::into_inner(self.transaction)) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(transaction)) if self.waiters.is_empty() => transaction.rollback().await,
            (None, Some(transaction)) => transaction.commit().await,
            (None, None) => Err(DbErr::Custom("the transaction is still lent to a write".to_owned())),
        };
        if let Err(error) = &result {
            self.renewal.note_failure(error, DbBackend::Sqlite);
        }
        for waiter in self.waiters {
            // The write may have been dropped after its turn.
            let _ = waiter.send(result.clone());
        }
    }
}
