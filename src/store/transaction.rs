//! The transaction of a write: run by one function, which repeats it where PostgreSQL asks for that.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use metrics::counter;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    prelude::async_trait::async_trait,
};

use super::{Store, sqlstate};

/// How often a transaction is repeated, and until when after its first begin.
const RETRIES: u32 = 5;
const RETRY_LIMIT: Duration = Duration::from_secs(2);
/// The longest pause before the first repetition. Each further one may be as much longer.
const BACKOFF: Duration = Duration::from_millis(20);

/// A transaction that was given to something which outlived the work in it can't be committed.
fn still_used() -> DbErr {
    DbErr::Custom("a transaction is still used after its work has ended".to_owned())
}

/// A transaction that writes. Dropped without [`commit`](Self::commit), it leaves no trace.
pub struct Transaction {
    inner: DatabaseTransaction,
    /// Whether PostgreSQL has aborted it in favour of another one: a deadlock or a serialization failure.
    was_aborted_by_conflict: AtomicBool,
}

impl Transaction {
    pub async fn commit(self) -> Result<(), DbErr> {
        self.inner.commit().await
    }

    fn observe<T>(&self, result: Result<T, DbErr>) -> Result<T, DbErr> {
        if result.as_ref().is_err_and(sqlstate::is_conflict) {
            self.was_aborted_by_conflict.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Whether the same statements may succeed in another transaction.
    fn may_be_retried(&self) -> bool {
        self.was_aborted_by_conflict.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.observe(self.inner.execute_raw(statement).await)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.observe(self.inner.execute_unprepared(sql).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.observe(self.inner.query_one_raw(statement).await)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.observe(self.inner.query_all_raw(statement).await)
    }
}

impl Store {
    /// Runs `work` in one transaction, and commits it where that succeeds.
    ///
    /// After a deadlock or a serialization failure the whole of `work` runs again in a new transaction, up to
    /// [`RETRIES`] times within [`RETRY_LIMIT`]. Once COMMIT has been sent nothing is repeated: it may have been
    /// carried out although its response is an error or has not arrived.
    pub async fn write<T, E, F>(&self, work: impl Fn(Arc<Transaction>) -> F) -> Result<T, E>
    where
        E: From<DbErr>,
        F: Future<Output = Result<T, E>>,
    {
        let started = Instant::now();
        let mut retries = 0;
        loop {
            let transaction = Arc::new(self.begin().await?);
            let error = match work(transaction.clone()).await {
                Ok(value) => {
                    let only = Arc::into_inner(transaction);
                    let only = only.ok_or_else(still_used)?;
                    only.commit().await?;
                    return Ok(value);
                }
                Err(error) => error,
            };
            retries += 1;
            let pause = BACKOFF.mul_f64(f64::from(retries) * rand::random::<f64>());
            if !transaction.may_be_retried()
                || retries > RETRIES
                || started.elapsed() + pause > RETRY_LIMIT
            {
                return Err(error);
            }
            drop(transaction);
            counter!("almanac_transaction_retries_total").increment(1);
            tokio::time::sleep(pause).await;
        }
    }

    /// Begins the transaction of a write that is not repeated.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let options = TransactionOptions {
            // A deferred transaction that reads first could not be promoted to a writing one
            // when another process (the command line) wrote in between.
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        Ok(Transaction {
            inner: self.writer.begin_with_options(options).await?,
            was_aborted_by_conflict: AtomicBool::new(false),
        })
    }
}
