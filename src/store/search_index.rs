//! The indexes of searches: the words of the texts of events, venues and organizers.
//!
//! Triggers queue each row that is new or deleted, or whose text has changed. On PostgreSQL, the index also has copies
//! of columns of events, and changes to these are queued, too. A task of the server indexes these rows in batches,
//! which costs a fraction of indexing each write while its client waits. Until then, searches read the rows themselves
//! ([`super::search`]), so that the result of a search does not depend on what has been indexed. Rows that were written
//! by other programs, by servers of older releases or before the indexes existed are indexed in the same way.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use sea_orm::{
    ColumnTrait, DbBackend, DbErr, EntityTrait, IdenStatic, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Statement,
    sea_query::{Expr, ExprTrait, Order, Query},
};
use tokio::{
    task::{spawn_blocking, yield_now},
    time::sleep,
};

use super::{
    Publishable, Store, Transaction,
    denormalised::{SEARCH_COLUMNS, event_value},
    entity::{event, organizer, venue},
    locks::{self, AdvisoryLock},
    read_connection::ReadConnection,
    vocabulary,
    write_connection::WriteConnection,
};
use crate::calendar::words::words;

/// The queue of rows to index.
pub(super) const QUEUE: &str = "search_queue";

/// Rows per transaction, to limit how long other writers wait.
const BATCH: u64 = 500;
/// The size of the texts, in bytes, after which a batch ends.
const BATCH_BYTES: usize = 256 * 1024;
/// The pause between two batches, for other writers.
const BATCH_PAUSE: Duration = Duration::from_millis(10);
/// The pause after writes of this process, in which they gather: a batch has a fixed cost, for which other writers wait.
const PAUSE: Duration = Duration::from_millis(500);
/// The interval between two looks for writes of other processes.
const INTERVAL: Duration = Duration::from_secs(2);
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// Events per statement of a bulk load.
const LOADED_AT_ONCE: u64 = 2000;

/// SQLite's full-text indexes.
pub(super) const FULL_TEXT_INDEXES: [&str; 4] = [
    event::Entity::SEARCH_INDEX,
    venue::Entity::SEARCH_INDEX,
    organizer::Entity::SEARCH_INDEX,
    "word_search",
];

/// The columns of events that an index has copies of. With them, lists need not look up each event that a search finds.
pub(super) fn copied_columns(backend: DbBackend, index: &str) -> &'static [event::Column] {
    match backend {
        DbBackend::Postgres if index == event::Entity::SEARCH_INDEX => &SEARCH_COLUMNS,
        // Only the IDs can be read from SQLite's indexes.
        _ => &[],
    }
}

/// Indexes queued rows, until it is aborted.
pub(crate) async fn run(store: Store) {
    let mut seen = None;
    let mut looked = Instant::now();
    loop {
        sleep(PAUSE).await;
        let writes = Some(store.writer.writes());
        if writes == seen && looked.elapsed() < INTERVAL {
            continue;
        }
        (seen, looked) = (writes, Instant::now());
        match index_queued(&store).await {
            // An upgrade has queued all rows.
            Ok(rows) if rows > BATCH => tracing::info!(rows, "indexed texts for searches"),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "can't index texts for searches yet");
                seen = None;
                sleep(RETRY_DELAY).await;
            }
        }
    }
}

/// Indexes the rows that are queued now. Returns their number. Those that are queued while it runs gather for the next
/// time: batches of a few rows would slow down all writers.
pub async fn index_queued(store: &Store) -> Result<u64, DbErr> {
    let last = Query::select()
        .column("id")
        .from(QUEUE)
        .order_by("id", Order::Desc)
        .limit(1)
        .to_owned();
    let last: Vec<i64> = store.bounded(store.reader().rows(&last)).await?;
    let Some(last) = last.into_iter().next() else {
        return Ok(0);
    };
    let events = index_kind::<event::Entity>(store, last).await?;
    let venues = index_kind::<venue::Entity>(store, last).await?;
    Ok(events + venues + index_kind::<organizer::Entity>(store, last).await?)
}

/// Indexes the rows of one kind up to this ID in the queue.
async fn index_kind<E: Publishable>(store: &Store, last: i64) -> Result<u64, DbErr> {
    let mut indexed = 0;
    loop {
        let any = Query::select()
            .column("id")
            .from(QUEUE)
            .and_where(Expr::col("kind").eq(E::KIND.name()))
            .and_where(Expr::col("id").lte(last))
            .limit(1)
            .to_owned();
        let any: Vec<[i64; 1]> = store.bounded(store.reader().rows(&any)).await?;
        if any.is_empty() {
            return Ok(indexed);
        }
        indexed += store
            .write(|transaction| async move { index_batch::<E>(&transaction).await })
            .await?;
        sleep(BATCH_PAUSE).await;
    }
}

/// Indexes some of the queued rows of one kind. Returns their number in the queue.
async fn index_batch<E: Publishable>(transaction: &Transaction) -> Result<u64, DbErr> {
    locks::take(transaction, [AdvisoryLock::SearchIndex]).await?;
    // The queue is read before the texts. Later changes of the same rows are queued again.
    let queued = Query::select()
        .columns(["id", "target_id"])
        .from(QUEUE)
        .and_where(Expr::col("kind").eq(E::KIND.name()))
        .order_by("id", Order::Asc)
        .limit(BATCH)
        .to_owned();
    let mut queued: Vec<[i64; 2]> = transaction.rows(&queued).await?;
    let targets: BTreeSet<i64> = queued.iter().map(|[_, target]| *target).collect();
    let texts = E::find()
        .select_only()
        .columns([E::ID, E::SEARCH_TEXT])
        .filter(E::ID.is_in(targets));
    // Those of deleted rows are missing.
    let mut texts: Vec<(i64, String)> = transaction.rows(&texts.into_query()).await?;
    let postponed = postpone(&mut texts);
    queued.retain(|[_, target]| !postponed.contains(target));
    if queued.is_empty() {
        return Ok(0);
    }
    let (ids, targets): (Vec<i64>, BTreeSet<i64>) = queued.into_iter().map(|[id, target]| (id, target)).unzip();
    let key = match transaction.backend() {
        DbBackend::Postgres => "id",
        _ => "rowid",
    };
    let outdated = Query::delete()
        .from_table(E::SEARCH_INDEX)
        .and_where(Expr::col(key).is_in(targets))
        .to_owned();
    transaction.execute(&outdated).await?;
    add(transaction, E::SEARCH_INDEX, texts).await?;
    let count = ids.len() as u64;
    let done = Query::delete()
        .from_table(QUEUE)
        .and_where(Expr::col("id").is_in(ids))
        .to_owned();
    transaction.execute(&done).await?;
    Ok(count)
}

/// Removes the texts that are too many for a batch. Returns the IDs of their rows.
fn postpone(texts: &mut Vec<(i64, String)>) -> BTreeSet<i64> {
    let mut bytes = 0;
    let fits = |(_, text): &&(i64, String)| {
        let fits = bytes < BATCH_BYTES;
        bytes += text.len();
        fits
    };
    let fitting = texts.iter().take_while(fits).count();
    texts.split_off(fitting).into_iter().map(|(id, _)| id).collect()
}

/// Adds the IDs and folded texts of rows to an index that does not have them. The caller holds the lock of the indexes.
async fn add(transaction: &Transaction, index: &str, texts: Vec<(i64, String)>) -> Result<(), DbErr> {
    if texts.is_empty() {
        return Ok(());
    }
    let with_words = spawn_blocking(move || {
        let divide = |text: &str| words(text).into_iter().map(str::to_owned).collect::<Vec<_>>();
        texts.iter().map(|(id, text)| (*id, divide(text))).collect::<Vec<_>>()
    });
    let with_words = with_words.await.map_err(|panic| DbErr::Custom(panic.to_string()))?;
    let distinct: BTreeSet<String> = with_words.iter().flat_map(|(_, words)| words.iter().cloned()).collect();
    let ids = vocabulary::ids_of(transaction, &distinct).await?;
    let backend = transaction.backend();
    let rows: Vec<(i64, String)> = with_words
        .into_iter()
        .map(|(id, words)| {
            let words: Vec<String> = words
                .iter()
                .filter_map(|word| ids.get(word))
                .map(i64::to_string)
                .collect();
            match backend {
                DbBackend::Postgres => (id, format!("{{{}}}", words.join(","))),
                _ => (id, words.join(" ")),
            }
        })
        .collect();
    let rows = serde_json::to_string(&rows).map_err(|error| DbErr::Json(error.to_string()))?;
    // The value is a JSON array of arrays of the ID of a row and those of its words.
    let insert = match backend {
        DbBackend::Postgres => {
            let copied = copied_columns(backend, index);
            let columns: String = copied.iter().map(|column| format!(", {}", column.as_str())).collect();
            let values: String = copied
                .iter()
                .map(|column| format!(", {}", event_value("e", *column)))
                .collect();
            let join = match copied.is_empty() {
                true => "",
                // An event that has been deleted since then is queued again.
                false => "JOIN events AS e ON e.id = CAST(indexed.pair->>0 AS bigint)",
            };
            format!(
                "INSERT INTO {index} (id, word_ids{columns}) \
                 SELECT CAST(indexed.pair->>0 AS bigint), CAST(indexed.pair->>1 AS integer[]){values} \
                 FROM json_array_elements(CAST($1 AS json)) AS indexed(pair) {join}"
            )
        }
        _ => format!(
            "INSERT INTO {index} (rowid, word_ids) \
             SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)"
        ),
    };
    let insert = Statement::from_sql_and_values(backend, insert, [rows.into()]);
    transaction.execute_raw(insert).await?;
    Ok(())
}

/// Fills the empty index of events from the stored events, and indexes queued venues and organizers. The caller holds
/// the lock of the indexes.
pub(crate) async fn fill(transaction: &Transaction) -> Result<(), DbErr> {
    let is_sqlite = transaction.backend() == DbBackend::Sqlite;
    let index = event::Entity::SEARCH_INDEX;
    let set = |option: &str, value: u32| format!("INSERT INTO {index} ({index}, rank) VALUES ('{option}', {value})");
    // Otherwise later writes would have to merge the segments.
    let optimize = format!("INSERT INTO {index} ({index}) VALUES ('optimize')");
    if is_sqlite {
        // A larger buffer and no incremental merges, since 'optimize' merges all segments at the end.
        transaction
            .execute_unprepared(&set("hashsize", 32 * 1024 * 1024))
            .await?;
        transaction.execute_unprepared(&set("automerge", 0)).await?;
    }
    let mut last = 0;
    loop {
        // Two segments at least, so that the merged one is not on the lowest level, to which each batch adds one.
        let limit = if last == 0 { 1 } else { LOADED_AT_ONCE };
        let texts = event::Entity::find()
            .select_only()
            .columns([event::Column::Id, event::Column::SearchText])
            .filter(event::Column::Id.gt(last))
            .order_by_asc(event::Column::Id)
            .limit(limit);
        let texts: Vec<(i64, String)> = transaction.rows(&texts.into_query()).await?;
        let Some((id, _)) = texts.last() else {
            break;
        };
        let is_first = last == 0;
        last = *id;
        add(transaction, index, texts).await?;
        if is_first && is_sqlite {
            transaction.execute_unprepared(&optimize).await?;
        }
        yield_now().await;
    }
    if is_sqlite {
        transaction.execute_unprepared(&optimize).await?;
        // FTS5's defaults.
        transaction.execute_unprepared(&set("hashsize", 1024 * 1024)).await?;
        transaction.execute_unprepared(&set("automerge", 4)).await?;
    }
    while index_batch::<venue::Entity>(transaction).await? > 0 {}
    while index_batch::<organizer::Entity>(transaction).await? > 0 {}
    Ok(())
}
