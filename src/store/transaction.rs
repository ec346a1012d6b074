//! Transactions of reads and writes. [`Store::write`] repeats a write after a conflict on PostgreSQL. On SQLite, writes
//! share transactions ([`super::group_commit`]).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use metrics::counter;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr, Statement, TransactionTrait,
};

use super::{
    Store,
    circuit_breaker::CircuitBreaker,
    connection_renewal::{ConnectionRenewal, spoils_connection},
    group_commit::Turn,
    read_connection::{ReadConnection, collect_stream, sqlx_rows},
    row::{FromRow, FromRows},
    sqlstate,
    write_connection::WriteConnection,
    writer::Writer,
};

/// The maximum number of retries of a transaction, and their time limit.
const RETRIES: u32 = 5;
const RETRY_LIMIT: Duration = Duration::from_secs(2);
/// The maximum pause before the first retry. It grows by the same amount with each further one.
const BACKOFF: Duration = Duration::from_millis(20);

/// The error for a transaction that is still referenced when its work has ended. It can't be committed.
fn still_shared() -> DbErr {
    DbErr::Custom("a transaction is still referenced after its work has ended".to_owned())
}

/// A transaction that records the errors of its statements. It is rolled back if it is dropped without `commit`.
#[derive(Debug)]
pub struct Transaction {
    inner: Inner,
    purpose: Purpose,
    breaker: CircuitBreaker,
    has_failed: AtomicBool,
    /// Whether PostgreSQL has aborted it in favour of another one ([`sqlstate::is_conflict`]).
    was_aborted_by_conflict: AtomicBool,
}

#[derive(Debug)]
enum Inner {
    Own(DatabaseTransaction),
    /// Writes on SQLite share a transaction with others.
    Shared(Turn),
}

#[derive(Debug)]
enum Purpose {
    Read(ConnectionRenewal),
    Write {
        writer: Arc<Writer>,
        has_written: AtomicBool,
    },
}

impl Transaction {
    /// Begins a transaction whose statements read one snapshot.
    pub async fn begin_read(
        database: &DatabaseConnection,
        renewal: &ConnectionRenewal,
        breaker: &CircuitBreaker,
    ) -> Result<Self, DbErr> {
        let inner = begin(database, renewal, breaker).await?;
        Ok(Self::new(Inner::Own(inner), Purpose::Read(renewal.clone()), breaker))
    }

    pub async fn begin_write(writer: &Arc<Writer>) -> Result<Self, DbErr> {
        writer.check_file()?;
        let inner = match writer.group_commit() {
            Some(group_commit) => group_commit.begin().await.map(Inner::Shared),
            None => begin(writer.database(), writer.renewal(), writer.breaker())
                .await
                .map(Inner::Own),
        };
        let inner = inner.map_err(|error| writer.note_failure(error))?;
        let purpose = Purpose::Write {
            writer: writer.clone(),
            has_written: AtomicBool::new(false),
        };
        Ok(Self::new(inner, purpose, writer.breaker()))
    }

    fn new(inner: Inner, purpose: Purpose, breaker: &CircuitBreaker) -> Self {
        Self {
            inner,
            purpose,
            breaker: breaker.clone(),
            has_failed: AtomicBool::new(false),
            was_aborted_by_conflict: AtomicBool::new(false),
        }
    }

    /// Commits the transaction, on SQLite together with others. Fails if a statement has failed: PostgreSQL would roll
    /// back and report success, and SQLite may have rolled back already.
    pub async fn commit(self) -> Result<(), DbErr> {
        if self.has_failed() {
            let cause = "a statement of the transaction has failed".to_owned();
            return Err(DbErr::Exec(RuntimeErr::Internal(cause)));
        }
        let backend = self.backend();
        let committed = match self.inner {
            Inner::Own(transaction) => self.breaker.run(transaction.commit()).await,
            Inner::Shared(turn) => turn.commit().await,
        };
        match committed {
            Ok(()) => {
                if let Purpose::Write { writer, has_written } = self.purpose
                    && has_written.into_inner()
                {
                    // If the file has been replaced in the meantime, the write is lost.
                    writer.check_file()?;
                    writer.note_success();
                }
                Ok(())
            }
            Err(error) => {
                self.breaker.note_failure(&error);
                Err(self.purpose.note(error, backend))
            }
        }
    }

    /// Rolls the transaction back. Dropping it would release its locks only some time later, when others may already
    /// expect that.
    async fn roll_back(self) {
        if let Inner::Own(transaction) = self.inner {
            // If the connection is lost, so is the transaction.
            let _ = self.breaker.run(transaction.rollback()).await;
        }
    }

    /// Runs work with this transaction.
    pub(super) async fn run_work<T>(&self, work: impl Future<Output = T>) -> T {
        match &self.inner {
            Inner::Own(_) => work.await,
            Inner::Shared(turn) => turn.run(work).await,
        }
    }

    /// Runs a statement of sqlx and records its error.
    async fn run_sqlx<T>(&self, statement: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        self.note(self.breaker.run(statement).await)
    }

    /// Records the error of a statement.
    fn note<T>(&self, result: Result<T, DbErr>) -> Result<T, DbErr> {
        let backend = self.backend();
        result.map_err(|error| {
            self.breaker.note_failure(&error);
            if backend == DbBackend::Postgres || spoils_connection(&error, backend) {
                self.has_failed.store(true, Ordering::Relaxed);
                if let Inner::Shared(turn) = &self.inner {
                    turn.note_failure(&error);
                }
            }
            if sqlstate::is_conflict(&error) {
                self.was_aborted_by_conflict.store(true, Ordering::Relaxed);
            }
            self.purpose.note(error, backend)
        })
    }

    /// Whether a statement has failed, so that the transaction can't be committed.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Runs a statement that concerns the transaction itself, such as a savepoint, and does not count as a write.
    pub(super) async fn execute_mark(&self, sql: &str) -> Result<(), DbErr> {
        match &self.inner {
            Inner::Own(transaction) => self.run_sqlx(transaction.execute_unprepared(sql)).await.map(drop),
            Inner::Shared(turn) => self.note(turn.connection().await.execute_unprepared(sql)),
        }
    }

    /// Whether the same statements may succeed in another transaction.
    pub(crate) fn may_be_retried(&self) -> bool {
        self.was_aborted_by_conflict.load(Ordering::Relaxed)
    }

    fn note_statement(&self, sql: &str) {
        if let Purpose::Write { has_written, .. } = &self.purpose
            && !sql.starts_with("SELECT")
        {
            has_written.store(true, Ordering::Relaxed);
        }
    }
}

async fn begin(
    database: &DatabaseConnection,
    renewal: &ConnectionRenewal,
    breaker: &CircuitBreaker,
) -> Result<DatabaseTransaction, DbErr> {
    let begun = breaker.run(database.begin()).await;
    begun.inspect_err(|error| {
        breaker.note_failure(error);
        renewal.note_failure(error, database.get_database_backend());
    })
}

impl Purpose {
    fn note(&self, error: DbErr, backend: DbBackend) -> DbErr {
        match self {
            Self::Read(renewal) => {
                renewal.note_failure(&error, backend);
                error
            }
            Self::Write { writer, .. } => {
                writer.renewal().note_failure(&error, backend);
                writer.note_failure(error)
            }
        }
    }
}

impl ReadConnection for Transaction {
    fn backend(&self) -> DbBackend {
        match &self.inner {
            Inner::Own(transaction) => transaction.get_database_backend(),
            Inner::Shared(_) => DbBackend::Sqlite,
        }
    }

    async fn collect<C: FromRows>(&self, statement: Statement) -> Result<C, DbErr> {
        match &self.inner {
            Inner::Own(transaction) => self.run_sqlx(collect_stream(transaction, statement)).await,
            Inner::Shared(turn) => self.note(turn.connection().await.collect(&statement)),
        }
    }

    async fn rows_of<R: FromRow>(&self, statement: Statement) -> Result<Vec<R>, DbErr> {
        // Rows that an INSERT returns.
        self.note_statement(&statement.sql);
        match &self.inner {
            Inner::Own(transaction) => sqlx_rows(self.run_sqlx(transaction.query_all_raw(statement)).await?),
            Inner::Shared(_) => self.collect(statement).await,
        }
    }

    async fn set_local(&self, setting: &str) -> Result<(), DbErr> {
        self.execute_mark(&format!("SET LOCAL {setting}")).await
    }
}

impl WriteConnection for Transaction {
    async fn execute_raw(&self, statement: Statement) -> Result<u64, DbErr> {
        self.note_statement(&statement.sql);
        match &self.inner {
            Inner::Own(transaction) => {
                let result = self.run_sqlx(transaction.execute_raw(statement)).await?;
                Ok(result.rows_affected())
            }
            Inner::Shared(turn) => self.note(turn.connection().await.execute(&statement)),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<(), DbErr> {
        self.note_statement(sql);
        self.execute_mark(sql).await
    }
}

impl Store {
    /// Runs `work` in one transaction, and commits it if `work` succeeds.
    ///
    /// After a conflict with another transaction the whole of `work` runs again in a new one, up to [`RETRIES`] times
    /// within [`RETRY_LIMIT`]. Once COMMIT has been sent nothing is repeated: it may have taken effect although its
    /// response is an error or has not arrived.
    ///
    /// Inside of an enclosing transaction ([`Self::within`]), `work` is a part of that, which is neither repeated nor
    /// committed alone.
    pub async fn write<T, E, F>(&self, work: impl Fn(Arc<Transaction>) -> F) -> Result<T, E>
    where
        E: From<DbErr>,
        F: Future<Output = Result<T, E>>,
    {
        // The state of a write is large. On the heap, it does not take up the stack of all its callers.
        let work = |transaction| Box::pin(work(transaction));
        if let Some(enclosing) = &self.enclosing {
            return enclosing.run_part(work).await;
        }
        let started = Instant::now();
        let mut retries = 0;
        loop {
            let transaction = Arc::new(self.begin().await?);
            let error = match transaction.run_work(work(transaction.clone())).await {
                Ok(value) => {
                    let only = Arc::into_inner(transaction);
                    let only = only.ok_or_else(still_shared)?;
                    only.commit().await?;
                    return Ok(value);
                }
                Err(error) => error,
            };
            retries += 1;
            let pause = BACKOFF.mul_f64(f64::from(retries) * rand::random::<f64>());
            let is_final =
                !transaction.may_be_retried() || retries > RETRIES || started.elapsed() + pause > RETRY_LIMIT;
            if let Some(only) = Arc::into_inner(transaction) {
                only.roll_back().await;
            }
            if is_final {
                return Err(error);
            }
            counter!("almanac_transaction_retries_total").increment(1);
            tokio::time::sleep(pause).await;
        }
    }

    /// Begins a write transaction that is not repeated.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        Transaction::begin_write(&self.writer).await
    }
}
