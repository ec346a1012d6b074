//! Reads and writes inside a transaction that encloses several requests, such as those of a batch.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use sea_orm::DbErr;

use super::{Store, Transaction};

/// A part of an enclosing transaction. Parts may contain parts: a statement refers to the innermost one.
const BEGIN: &str = "SAVEPOINT part";
const END: &str = "RELEASE SAVEPOINT part";
const UNDO: &str = "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part";

/// A transaction that encloses reads and writes.
#[derive(Clone, Debug)]
pub(super) struct Enclosing {
    pub transaction: Arc<Transaction>,
    undo: Undo,
}

/// How a failed write is undone.
#[derive(Clone, Debug)]
enum Undo {
    /// Alone: each write has a savepoint.
    Alone,
    /// With the whole transaction. True once a write has failed.
    WithTransaction(Arc<AtomicBool>),
}

impl Store {
    /// The same store, whose reads and writes run in a transaction: a write is a part of it, which is undone alone if it
    /// fails, and a read sees the writes before it. The transaction can't be committed before this store is dropped.
    #[must_use]
    pub(crate) fn within(&self, transaction: Arc<Transaction>) -> Self {
        self.enclosed(transaction, Undo::Alone)
    }

    /// Like [`within`](Self::within), without the cost of savepoints. Once a write has failed, the transaction must be
    /// rolled back ([`must_be_rolled_back`](Self::must_be_rolled_back)).
    #[must_use]
    pub(crate) fn within_without_savepoints(&self, transaction: Arc<Transaction>) -> Self {
        self.enclosed(transaction, Undo::WithTransaction(Arc::default()))
    }

    fn enclosed(&self, transaction: Arc<Transaction>, undo: Undo) -> Self {
        Self {
            enclosing: Some(Enclosing { transaction, undo }),
            ..self.clone()
        }
    }

    /// Whether a transaction encloses the reads and writes.
    pub(crate) fn is_enclosed(&self) -> bool {
        self.enclosing.is_some()
    }

    /// Returns true if writes have no savepoints, so that a failed write rolls back the whole transaction.
    pub(crate) fn is_without_savepoints(&self) -> bool {
        let undo = self.enclosing.as_ref().map(|enclosing| &enclosing.undo);
        matches!(undo, Some(Undo::WithTransaction(_)))
    }

    /// Returns true after a write without a savepoint has failed. The enclosing transaction still contains the statements
    /// of that write that have succeeded.
    pub(crate) fn must_be_rolled_back(&self) -> bool {
        match self.enclosing.as_ref().map(|enclosing| &enclosing.undo) {
            Some(Undo::WithTransaction(has_failed)) => has_failed.load(Ordering::Relaxed),
            Some(Undo::Alone) | None => false,
        }
    }
}

impl Enclosing {
    /// Runs a write as a part of the transaction.
    pub(super) async fn run_part<T, E, F>(&self, work: impl Fn(Arc<Transaction>) -> F) -> Result<T, E>
    where
        E: From<DbErr>,
        F: Future<Output = Result<T, E>>,
    {
        let transaction = &self.transaction;
        let work = || transaction.run_work(work(transaction.clone()));
        match &self.undo {
            Undo::WithTransaction(has_failed) => {
                work().await.inspect_err(|_| has_failed.store(true, Ordering::Relaxed))
            }
            Undo::Alone => {
                transaction.execute_mark(BEGIN).await?;
                let result = work().await;
                match &result {
                    Ok(_) => transaction.execute_mark(END).await?,
                    // It can't be committed any more.
                    Err(_) if transaction.has_failed() => {}
                    Err(_) => transaction.execute_mark(UNDO).await?,
                }
                result
            }
        }
    }
}
