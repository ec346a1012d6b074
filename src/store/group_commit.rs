//! Group commit on SQLite: concurrent writes share a transaction, and thus one flush to the disk.
//!
//! A thread owns the connection that writes. It begins a transaction for the first write, lends it to one write after the
//! other, and commits it once no other write waits. A failed write is rolled back alone. An error that ends the
//! transaction fails all of its writes.

use std::{
    io,
    sync::{Arc, OnceLock, atomic::AtomicU64},
    thread,
    time::{Duration, Instant},
};

use sea_orm::{ConnAcquireErr, DbBackend, DbErr, RuntimeErr};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    checkpoints::Checkpoints,
    connection_renewal::{ConnectionRenewal, ends_transaction},
    file::DatabaseFile,
    sqlite::{BlockingSteps, WriterConnection, WriterOptions},
};

/// The maximum number of writes in a group, and the time after which no other write joins it: the first one waits for
/// the last one.
const MAX_WRITES: usize = 64;
const MAX_TIME: Duration = Duration::from_millis(100);

#[derive(Debug)]
enum Request {
    Write(Borrower),
    /// Closes the connection, and then drops the sender.
    Close(oneshot::Sender<()>),
}

/// A write that waits for its turn.
type Borrower = oneshot::Sender<Result<Turn, DbErr>>;
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
    /// Opens the connection and starts the thread, which ends when this queue is closed or dropped.
    pub(super) fn open(
        file: DatabaseFile,
        options: WriterOptions,
        renewal: ConnectionRenewal,
        statement_count: Arc<AtomicU64>,
    ) -> Result<Self, DbErr> {
        let connection = WriterConnection::open(&file, options, statement_count.clone())?;
        let committer = Committer {
            checkpoints: Checkpoints::start(file.clone(), options)?,
            file,
            options,
            renewal,
            statement_count,
            connection: Some(Arc::new(connection)),
        };
        let (queue, requests) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name("group-commit".to_owned());
        thread.spawn(move || committer.run(requests)).map_err(no_thread)?;
        Ok(Self {
            queue,
            limit: options.timeout,
        })
    }

    /// Waits for the turn of a write.
    #[tracing::instrument(name = "begin_write", level = "trace", skip_all)]
    pub async fn begin(&self) -> Result<Turn, DbErr> {
        let (borrower, turn) = oneshot::channel();
        // If the thread has ended, the turn reports it.
        let _ = self.queue.send(Request::Write(borrower));
        let refused = |reason| Err(DbErr::ConnectionAcquire(reason));
        match timeout(self.limit, turn).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => refused(ConnAcquireErr::ConnectionClosed),
            Err(_) => refused(ConnAcquireErr::Timeout),
        }
    }

    /// Closes the connection after the writes that wait already.
    pub async fn close(&self) {
        let (closing, closed) = oneshot::channel();
        // An error means that the thread has ended.
        let _ = self.queue.send(Request::Close(closing));
        let _ = closed.await;
    }
}

pub(super) fn no_thread(error: io::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(format!("can't start a thread: {error}")))
}

/// The exclusive use of a group's transaction by one write, which is rolled back if its turn is dropped.
#[derive(Debug)]
pub struct Turn {
    connection: Arc<WriterConnection>,
    failure: Arc<OnceLock<DbErr>>,
    statements: BlockingSteps,
    end: oneshot::Sender<Waiter>,
}

impl Turn {
    /// Runs the write, whose statements call [`Self::connection`]. If they occupy the calling thread for long, the
    /// runtime moves its other work to another one.
    pub(super) async fn run<T>(&self, write: impl Future<Output = T>) -> T {
        self.statements.run(write).await
    }

    /// The connection, for one statement.
    pub(super) async fn connection(&self) -> &WriterConnection {
        self.statements.next().await;
        &self.connection
    }

    /// Fails all writes of the group if the error of a statement may have ended their transaction.
    pub fn note_failure(&self, error: &DbErr) {
        if ends_transaction(error) {
            // Only the first error matters.
            let _ = self.failure.set(error.clone());
        }
    }

    /// Ends the turn, and waits until the transaction is committed.
    #[tracing::instrument(name = "commit_write", level = "trace", skip_all)]
    pub async fn commit(self) -> Result<(), DbErr> {
        let (waiter, committed) = oneshot::channel();
        // If the thread has ended, so has the transaction, and `committed` reports it.
        let _ = self.end.send(waiter);
        let ended = |_| DbErr::Custom("the thread that commits writes has ended".to_owned());
        committed.await.map_err(ended)?
    }
}

/// The thread.
struct Committer {
    checkpoints: Checkpoints,
    file: DatabaseFile,
    options: WriterOptions,
    renewal: ConnectionRenewal,
    statement_count: Arc<AtomicU64>,
    /// None after an error.
    connection: Option<Arc<WriterConnection>>,
}

impl Committer {
    fn run(mut self, mut requests: mpsc::UnboundedReceiver<Request>) {
        while let Some(request) = requests.blocking_recv() {
            let closing = match request {
                Request::Write(borrower) => self.run_group(borrower, &mut requests),
                Request::Close(closing) => Some(closing),
            };
            if let Some(closing) = closing {
                drop(self);
                drop(closing);
                return;
            }
        }
    }

    /// Runs a group that begins with this write. Returns the request to close the connection, if there was one.
    fn run_group(
        &mut self,
        first: Borrower,
        requests: &mut mpsc::UnboundedReceiver<Request>,
    ) -> Option<oneshot::Sender<()>> {
        let mut group = match self.connect().and_then(Group::begin) {
            Ok(group) => group,
            Err(error) => {
                self.renewal.note_failure(&error, DbBackend::Sqlite);
                // The write may have been dropped.
                let _ = first.send(Err(error));
                return None;
            }
        };
        let mut closing = None;
        group.lend(first);
        while closing.is_none()
            && group.may_grow()
            && let Ok(request) = requests.try_recv()
        {
            match request {
                Request::Write(borrower) => group.lend(borrower),
                Request::Close(sender) => closing = Some(sender),
            }
        }
        group.end(&self.renewal);
        self.checkpoint();
        closing
    }

    /// Checkpoints if enough has been written. The writes of the group have their results already.
    fn checkpoint(&self) {
        if let Some(connection) = &self.connection
            && let Err(error) = self.checkpoints.note_commit(connection)
        {
            self.renewal.note_failure(&error, DbBackend::Sqlite);
        }
    }

    /// The connection, or a new one after an error.
    fn connect(&mut self) -> Result<Arc<WriterConnection>, DbErr> {
        if let Some(connection) = &self.connection
            && !self.renewal.is_due(connection.age())
        {
            return Ok(connection.clone());
        }
        // Closed first: its locks must not outlive its error.
        self.connection = None;
        let connection = WriterConnection::open(&self.file, self.options, self.statement_count.clone())?;
        Ok(self.connection.insert(Arc::new(connection)).clone())
    }
}

/// The savepoint that the next write is rolled back to if it fails. It is replaced after each successful write.
const SET_SAVEPOINT: &str = "SAVEPOINT earlier_writes";
const RELEASE_SAVEPOINT: &str = "RELEASE earlier_writes";
const ROLL_BACK_WRITE: &str = "ROLLBACK TO earlier_writes";

/// The writes of one transaction.
struct Group {
    connection: Arc<WriterConnection>,
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

impl Group {
    fn begin(connection: Arc<WriterConnection>) -> Result<Self, DbErr> {
        connection.begin()?;
        Ok(Self {
            connection,
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
    fn lend(&mut self, borrower: Borrower) {
        if borrower.is_closed() {
            return;
        }
        if let Err(error) = self.set_savepoint() {
            let _ = self.failure.set(error.clone());
            let _ = borrower.send(Err(error));
            return;
        }
        let (end, ended) = oneshot::channel();
        // If the write has been dropped in the meantime, this drops its turn.
        let _ = borrower.send(Ok(Turn {
            connection: self.connection.clone(),
            failure: self.failure.clone(),
            statements: BlockingSteps::default(),
            end,
        }));
        match ended.blocking_recv() {
            Ok(waiter) => {
                self.waiters.push(waiter);
                if self.savepoint == Savepoint::Current {
                    self.savepoint = Savepoint::Outdated;
                }
            }
            Err(_) if self.savepoint == Savepoint::Current && self.failure.get().is_none() => {
                if let Err(error) = self.connection.execute_control(ROLL_BACK_WRITE) {
                    let _ = self.failure.set(error);
                }
            }
            Err(_) => {}
        }
    }

    /// Sets a savepoint after the successful writes, if there are any.
    fn set_savepoint(&mut self) -> Result<(), DbErr> {
        match self.savepoint {
            Savepoint::Missing if self.waiters.is_empty() => return Ok(()),
            Savepoint::Missing => {}
            Savepoint::Outdated => self.connection.execute_control(RELEASE_SAVEPOINT)?,
            Savepoint::Current => return Ok(()),
        }
        self.connection.execute_control(SET_SAVEPOINT)?;
        self.savepoint = Savepoint::Current;
        Ok(())
    }

    /// Commits the transaction, or rolls it back after an error or without a successful write.
    fn end(self, renewal: &ConnectionRenewal) {
        let result = match self.failure.get() {
            Some(error) => Err(error.clone()),
            None if self.waiters.is_empty() => self.connection.roll_back(),
            None => self.connection.commit(),
        };
        if let Err(error) = &result {
            renewal.note_failure(error, DbBackend::Sqlite);
            // If that fails, too, closing the connection ends the transaction.
            let _ = self.connection.roll_back();
        }
        for waiter in self.waiters {
            // The write may have been dropped after its turn.
            let _ = waiter.send(result.clone());
        }
    }
}
