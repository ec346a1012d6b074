//! Reads whose statements see one state of the data.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use metrics::counter;
use sea_orm::{DbBackend, DbErr, Statement};

use super::{
    DataVersion, ListVersion, Store, Transaction,
    change_log::EventDependencies,
    failure::is_cancelled,
    known_results::KnownResults,
    read_connection::{ReadConnection, collect_stream},
    row::{FromRow, FromRows},
};

/// Counts reads that were repeated because the data changed while they ran.
const REPEATED: &str = "almanac_repeated_reads_total";

/// A state of the data.
#[derive(Debug)]
pub struct Snapshot(State);

#[derive(Debug)]
enum State {
    /// The state that a transaction sees.
    Transaction(Arc<Transaction>),
    /// The state of a version, as long as nothing changes. [`Store::read`] checks that afterwards.
    Version {
        store: Store,
        version: DataVersion,
        /// Whether the result depends on the texts of all events.
        depends_on_texts: AtomicBool,
        /// Whether a statement was refused because it requires a transaction.
        needs_transaction: AtomicBool,
        /// Whether a statement was cancelled at its time limit, as it would be again.
        was_cancelled: AtomicBool,
    },
}

impl Snapshot {
    /// The version of all data but texts of events, by which results can be kept in memory. None if they must not be.
    pub fn list_version(&self) -> Option<ListVersion> {
        self.known_results().map(|(_, version)| version)
    }

    /// The next publication of a scheduled object after `now`, as Unix timestamps; `i64::MAX` if there is none. None if
    /// it is unknown.
    pub async fn next_publication(&self, now: i64) -> Option<i64> {
        match &self.0 {
            State::Transaction(_) => None,
            State::Version { store, version, .. } => {
                let upcoming = store.change_log().upcoming(*version, now).await?;
                Some(upcoming.publication.unwrap_or(i64::MAX))
            }
        }
    }

    /// Notes the events on whose texts several statements depend. The texts of one event are read by one statement.
    pub fn depend_on(&self, events: &EventDependencies) {
        if let (State::Version { depends_on_texts, .. }, EventDependencies::All) = (&self.0, events) {
            depends_on_texts.store(true, Ordering::Relaxed);
        }
    }

    /// Notes whether a statement was cancelled.
    fn note<T>(&self, result: Result<T, DbErr>) -> Result<T, DbErr> {
        result.inspect_err(|error| {
            if let State::Version { was_cancelled, .. } = &self.0
                && is_cancelled(error)
            {
                was_cancelled.store(true, Ordering::Relaxed);
            }
        })
    }

    fn was_cancelled(&self) -> bool {
        match &self.0 {
            State::Transaction(_) => false,
            State::Version { was_cancelled, .. } => was_cancelled.load(Ordering::Relaxed),
        }
    }

    /// Whether all statements were run and have seen one state.
    async fn is_consistent(&self) -> bool {
        let State::Version {
            store,
            version,
            depends_on_texts,
            needs_transaction,
            ..
        } = &self.0
        else {
            return true;
        };
        let dependencies = match depends_on_texts.load(Ordering::Relaxed) {
            true => EventDependencies::All,
            false => EventDependencies::NONE,
        };
        let change_log = store.change_log();
        !needs_transaction.load(Ordering::Relaxed)
            && change_log.data_version().await.is_some()
            && change_log.is_unchanged(*version, &dependencies)
    }
}

impl Store {
    /// Runs a read whose statements see one state of the data. `version` is the data version if it was polled for this
    /// read.
    ///
    /// The statements do not run in a transaction, which would cost two more of them. Instead, the change log is polled
    /// before and after the read. If the data have changed in between, or if a statement requires a transaction, the
    /// read is repeated in one, unless it has failed at the time limit of a statement.
    pub async fn read<T, E, F>(&self, version: Option<DataVersion>, read: impl Fn(Arc<Snapshot>) -> F) -> Result<T, E>
    where
        E: From<DbErr>,
        F: Future<Output = Result<T, E>>,
    {
        // On the heap, as in [`Self::write`]: otherwise, the futures of all callers would contain the state of the
        // read, and copy it.
        let read = |snapshot| Box::pin(read(snapshot));
        if let Some(enclosing) = &self.enclosing {
            return read(Arc::new(Snapshot(State::Transaction(enclosing.transaction.clone())))).await;
        }
        let version = match version {
            Some(version) => Some(version),
            None => self.change_log.data_version().await,
        };
        if let Some(version) = version {
            let snapshot = Arc::new(Snapshot(State::Version {
                store: self.clone(),
                version,
                depends_on_texts: AtomicBool::default(),
                needs_transaction: AtomicBool::default(),
                was_cancelled: AtomicBool::default(),
            }));
            let result = read(snapshot.clone()).await;
            if (result.is_err() && snapshot.was_cancelled()) || snapshot.is_consistent().await {
                return result;
            }
            counter!(REPEATED).increment(1);
        }
        read(Arc::new(self.snapshot().await?)).await
    }

    /// Runs a write, and then a read of what it has written.
    ///
    /// On PostgreSQL, the read runs in the transaction of the write, which saves statements and other connections. On
    /// SQLite, it runs after the commit, because other writes wait for the transaction. Inside of an enclosing
    /// transaction, it runs in that.
    pub async fn write_and_read<T, V, E, W, R>(
        &self,
        write: impl Fn(Arc<Transaction>) -> W,
        read: impl Fn(Arc<Snapshot>, T) -> R,
    ) -> Result<(T, V), E>
    where
        T: Clone,
        E: From<DbErr>,
        W: Future<Output = Result<T, E>>,
        R: Future<Output = Result<V, E>>,
    {
        if self.writer.group_commit().is_some() && !self.is_enclosed() {
            let written = self.write(write).await?;
            let result = self.read(None, |snapshot| read(snapshot, written.clone())).await?;
            return Ok((written, result));
        }
        let (write, read) = (&write, &read);
        let write_and_read = |transaction: Arc<Transaction>| async move {
            // See `Store::write`.
            let written = Box::pin(write(transaction.clone())).await?;
            let snapshot = Arc::new(Snapshot(State::Transaction(transaction)));
            let result = read(snapshot, written.clone()).await?;
            Ok((written, result))
        };
        self.write(write_and_read).await
    }

    /// Begins a transaction whose statements read one snapshot. It ends when it is dropped.
    pub async fn snapshot(&self) -> Result<Snapshot, DbErr> {
        let breaker = self.writer.breaker();
        let transaction = Transaction::begin_read(&self.reader, &self.reader_renewal, breaker).await?;
        Ok(Snapshot(State::Transaction(Arc::new(transaction))))
    }
}

impl ReadConnection for Snapshot {
    fn backend(&self) -> DbBackend {
        match &self.0 {
            State::Transaction(transaction) => transaction.backend(),
            State::Version { store, .. } => store.reader.backend(),
        }
    }

    async fn collect<C: FromRows>(&self, statement: Statement) -> Result<C, DbErr> {
        match &self.0 {
            State::Transaction(transaction) => transaction.collect(statement).await,
            State::Version { store, .. } => self.note(match &store.sqlite_readers {
                Some(readers) => readers.collect(&statement).await,
                None => store.bounded(collect_stream(&store.reader, statement)).await,
            }),
        }
    }

    async fn rows_of<R: FromRow>(&self, statement: Statement) -> Result<Vec<R>, DbErr> {
        match &self.0 {
            State::Transaction(transaction) => transaction.rows_of(statement).await,
            State::Version { store, .. } => self.note(match &store.sqlite_readers {
                Some(readers) => readers.collect(&statement).await,
                None => store.bounded(store.reader.rows_of(statement)).await,
            }),
        }
    }

    async fn set_local(&self, setting: &str) -> Result<(), DbErr> {
        match &self.0 {
            State::Transaction(transaction) => transaction.set_local(setting).await,
            State::Version { needs_transaction, .. } => {
                needs_transaction.store(true, Ordering::Relaxed);
                Err(DbErr::Custom(format!("the setting {setting} requires a transaction")))
            }
        }
    }

    fn same_publications_since(&self, now: i64) -> i64 {
        match &self.0 {
            State::Transaction(_) => now,
            State::Version { store, .. } => store.change_log().same_publications_since(now),
        }
    }

    fn known_results(&self) -> Option<(&KnownResults, ListVersion)> {
        match &self.0 {
            State::Transaction(_) => None,
            State::Version { store, version, .. } => Some((store.known_results.as_deref()?, version.list_version())),
        }
    }
}
