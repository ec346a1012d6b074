//! Merges the segments of SQLite's full-text indexes.
//!
//! FTS5 stores the words of each batch as a segment, and searches read all segments. Batches merge few of them, because
//! other writes wait (`migrations/m0023_cheaper_writes`). The server merges the others in small steps, between writes.

use std::{sync::Arc, time::Duration};

use sea_orm::{
    DbBackend, DbErr,
    sea_query::{Func, Query},
};
use tokio::time::sleep;

use super::{
    Store, Transaction, read_connection::ReadConnection, search_index::FULL_TEXT_INDEXES,
    write_connection::WriteConnection,
};

/// The maximum number of pages that a step writes, so that other writes wait only briefly.
const PAGES: u32 = 256;
/// The pause between two steps, for writes.
const PAUSE: Duration = Duration::from_millis(50);
/// The number of writes after which there may be something to merge.
const WRITES: u64 = 16;
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Merges segments after writes. On PostgreSQL there is nothing to do.
pub(crate) async fn run(store: Store) {
    if store.reader().backend() != DbBackend::Sqlite {
        return;
    }
    // An earlier process may have left segments to merge.
    let mut is_pending = true;
    let mut seen = 0;
    loop {
        sleep(PAUSE).await;
        if !is_pending && store.writer.writes() < seen + WRITES {
            continue;
        }
        is_pending = match merge(&store).await {
            Ok(merged) => merged,
            Err(error) => {
                tracing::warn!(%error, "can't merge the segments of the full-text indexes yet");
                sleep(RETRY_DELAY).await;
                true
            }
        };
        seen = store.writer.writes();
    }
}

/// Merges some segments of each index. Returns whether there were any to merge.
pub async fn merge(store: &Store) -> Result<bool, DbErr> {
    let mut has_merged = false;
    for index in FULL_TEXT_INDEXES {
        has_merged |= store.write(|transaction| merge_step(transaction, index)).await?;
    }
    Ok(has_merged)
}

/// Merges some segments of an index. Returns whether there were any to merge.
async fn merge_step(transaction: Arc<Transaction>, index: &str) -> Result<bool, DbErr> {
    let merge = format!("INSERT INTO {index} ({index}, rank) VALUES ('merge', {PAGES})");
    let before = changes(&transaction).await?;
    transaction.execute_unprepared(&merge).await?;
    // The command itself counts as a change (https://www.sqlite.org/fts5.html#the_merge_command).
    Ok(changes(&transaction).await? - before > 1)
}

/// The number of rows that the connection has changed so far.
async fn changes(transaction: &Transaction) -> Result<i64, DbErr> {
    let changes = Query::select().expr(Func::cust("total_changes")).to_owned();
    let rows: Vec<[i64; 1]> = transaction.rows(&changes).await?;
    Ok(rows.into_iter().flatten().sum())
}
