//! Reads and writes inside a transaction that encloses several requests, such as those of a batch.

use std::sync::Arc;

use sea_orm::DbErr;

use super::{Store, Transaction};

/// A part of an enclosing transaction. Parts may contain parts: a statement refers to the innermost one.
const BEGIN: &str = "SAVEPOINT part";
const END: &str = "RELEASE SAVEPOINT part";
const UNDO: &str = "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part";

impl Store {
    /// The same store, whose reads and writes run in a transaction: a write is a part of it, which is undone alone if it
    /// fails, and a read sees the writes before it. The transaction can't be committed before this store is dropped.
    #[must_use]
    pub(crate) fn within(&self, transaction: Arc<Transaction>) -> Self {
        Self {
            enclosing: Some(transaction),
            ..self.clone()
        }
    }

    /// Whether a transaction encloses the reads and writes.
    pub(crate) fn is_enclosed(&self) -> bool {
        self.enclosing.is_some()
    }
}

/// Runs a write as a part of the transaction.
pub(super) async fn run_part<T, E, F>(
    transaction: &Arc<Transaction>,
    work: impl Fn(Arc<Transaction>) -> F,
) -> Result<T, E>
where
    E: From<DbErr>,
    F: Future<Output = Result<T, E>>,
{
    transaction.execute_mark(BEGIN).await?;
    let result = transaction.run_work(work(transaction.clone())).await;
    match &result {
        Ok(_) => transaction.execute_mark(END).await?,
        // It can't be committed any more.
        Err(_) if transaction.has_failed() => {}
        Err(_) => transaction.execute_mark(UNDO).await?,
    }
    result
}
