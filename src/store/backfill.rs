//! Fills in derived columns of rows that were stored before the columns existed.
//!
//! Each batch is a transaction, so that other writers wait for one batch at most and a killed server resumes where it
//! stopped. Several servers can run it at the same time: a row is written only if it still has no value and has not changed
//! since it was read.

use std::time::Duration;

use sea_orm::DbErr;
use tokio::time::sleep;

use super::{Store, description_texts, event_keys};

/// Rows per transaction, to limit how long other writers wait.
pub(super) const BATCH: u64 = 100;
/// The pause between two batches, for other writers.
pub(super) const PAUSE: Duration = Duration::from_millis(20);
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Fills in all missing values and retries after errors.
pub(crate) async fn run(store: Store) {
    loop {
        match fill(&store).await {
            Ok(0) => return,
            Ok(rows) => return tracing::info!(rows, "stored derived columns"),
            Err(error) => tracing::warn!(%error, "can't store derived columns yet"),
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Fills in all missing values. Returns the number of rows written.
async fn fill(store: &Store) -> Result<u64, DbErr> {
    // Lists need the keys, and reads can do without the texts.
    Ok(event_keys::fill(store).await? + description_texts::fill(store).await?)
}
