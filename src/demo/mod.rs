//! Generates a demo calendar of any size, for evaluation and for benchmarks.
//!
//! Generation is deterministic: on the same day, the same size gives the same calendar.

mod days;
mod event_texts;
mod event_type;
#[rustfmt::skip] // Keeps one sentence per line.
mod event_type_table;
mod events;
mod geography;
mod images;
mod organizers;
pub(crate) mod picture;
mod price;
mod publication;
mod random;
mod reference_data;
mod series;
mod size;
mod slugs;
mod template;
mod terms;
mod venues;
#[rustfmt::skip] // Keeps many words per line.
mod words;

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use sea_orm::DbErr;
use tokio::{sync::mpsc, task};

pub use size::Size;

use crate::{
    calendar::zone::Zone,
    store::{
        Store, Transaction,
        bulk_load::{self, DeferredSchema, LinkBuffers, ListingValues, LoadedLinks, is_empty, listing_values},
        entity::event,
        object_changes,
    },
};
use days::Days;
use events::{EventGenerator, NewEvent};
use random::Random;
use reference_data::ReferenceData;

/// Events per batch. One batch is generated while the previous one is inserted.
const BATCH_EVENTS: usize = 1000;

/// Indexes that stay empty: the generated events have no `series_id`, no external ID and no UID.
const EMPTY_INDEXES: [&str; 5] = [
    "events_external",
    "events_external_listing",
    "events_series",
    "events_series_listing",
    "events_uid",
];

/// Fills an empty database with a calendar around `now`, in one transaction. Fastest on a store from
/// [`open_to_load`](crate::store::open_to_load).
///
/// Returns `None` without changes if the database has a calendar already, including one that another process inserted
/// concurrently. `author` is the ID of the user who owns all resources. Calls `progress` with the number of events
/// inserted so far.
pub async fn fill(
    store: &Store,
    size: &Size,
    author: Option<i64>,
    now: DateTime<Utc>,
    site: &Zone,
    progress: impl Fn(u64) + Send + Sync,
) -> Result<Option<FillTimes>, DbErr> {
    let today = site.to_local(now).date();
    let midnight = site.day_start(today).timestamp();
    let days = Days::around(today, size.events);
    let mut random = Random::new();
    let transaction = bulk_load::begin(store).await?;
    if !is_empty(&transaction).await? {
        return Ok(None);
    }
    let started = Instant::now();
    let mut deferred_schema = DeferredSchema::drop_for_load(&transaction, &EMPTY_INDEXES).await?;
    let reference_data = ReferenceData::insert(&transaction, &mut random, size, author, midnight).await?;
    let mut generator = EventGenerator::new(random, reference_data, days);
    let mut links = LinkBuffers::new();
    let festivals = generator.generate_festivals(size.festivals());
    let ids = insert_events(&transaction, festivals, &mut links).await?;
    generator.set_festival_ids(ids);
    let mut done = size.festivals();
    let (sender, mut batches) = mpsc::channel(1);
    let remaining = size.events - done;
    let generation = task::spawn_blocking(move || send_batches(generator, remaining, &sender));
    while let Some(batch) = batches.recv().await {
        done += batch.len() as u64;
        insert_events(&transaction, batch, &mut links).await?;
        progress(done);
    }
    generation.await.map_err(|panic| DbErr::Custom(panic.to_string()))?;
    links.insert_rest(&transaction).await?;
    deferred_schema.rebuild(&transaction).await?;
    // The triggers have not logged all rows.
    object_changes::begin_epoch(&transaction, now.timestamp()).await?;
    let rows = started.elapsed();
    deferred_schema.rebuild_search_index(&transaction).await?;
    transaction.commit().await?;
    store.analyze().await?;
    Ok(Some(FillTimes {
        rows,
        search: started.elapsed() - rows,
    }))
}

/// Durations of filling a database.
#[derive(Clone, Copy, Debug)]
pub struct FillTimes {
    /// All rows, their indexes and the derived tables.
    pub rows: Duration,
    /// The search index, and the commit.
    pub search: Duration,
}

/// Sends `count` events in batches, until the receiver is dropped.
fn send_batches(generator: EventGenerator, count: u64, sender: &mpsc::Sender<Vec<NewEvent>>) {
    let mut events = (0..count).zip(generator).map(|(_, event)| event);
    loop {
        let batch: Vec<NewEvent> = events.by_ref().take(BATCH_EVENTS).collect();
        if batch.is_empty() || sender.blocking_send(batch).is_err() {
            return;
        }
    }
}

/// Inserts events, and buffers their links or inserts them.
async fn insert_events(
    transaction: &Transaction,
    events: Vec<NewEvent>,
    buffers: &mut LinkBuffers,
) -> Result<Range<i64>, DbErr> {
    let split = |event: NewEvent| ((listing_values(&event.row), event.links), event.row);
    let (links, rows): (Vec<(ListingValues, LoadedLinks)>, Vec<event::Model>) = events.into_iter().map(split).unzip();
    let ids = bulk_load::insert::<event::Entity>(transaction, rows).await?;
    for (id, (listing_values, links)) in ids.clone().zip(&links) {
        buffers.add(id, links, listing_values);
    }
    buffers.insert_full(transaction).await?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, PaginatorTrait, Statement};

    use super::*;
    use crate::store::{
        self,
        entity::{category, organizer, tag, venue},
    };

    async fn schema(store: &Store) -> Vec<String> {
        let all = Statement::from_string(
            DbBackend::Sqlite,
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' \
             UNION ALL SELECT idx || ': ' || stat FROM sqlite_stat1 ORDER BY 1",
        );
        let rows = store.reader().query_all_raw(all).await.unwrap();
        let statements = rows.iter().map(|row| row.try_get("", "sql"));
        statements.collect::<Result<_, _>>().unwrap()
    }

    #[tokio::test]
    async fn fill_restores_schema() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("demo.db").display());
        let store = store::open(&url, true).await.unwrap();
        assert!(is_empty(store.reader()).await.unwrap());
        let before = schema(&store).await;

        let size = Size {
            events: 1_100,
            categories: 100,
            tags: 3_100,
            ..Size::DEFAULT
        };
        let filled = fill(&store, &size, None, Utc::now(), &Zone::UTC, |_| ()).await;
        assert!(filled.unwrap().is_some());

        let database = store.reader();
        assert!(!is_empty(database).await.unwrap());
        assert_eq!(event::Entity::find().count(database).await.unwrap(), size.events);
        assert_eq!(venue::Entity::find().count(database).await.unwrap(), size.venues);
        assert_eq!(
            organizer::Entity::find().count(database).await.unwrap(),
            size.organizers
        );
        assert_eq!(category::Entity::find().count(database).await.unwrap(), size.categories);
        assert_eq!(tag::Entity::find().count(database).await.unwrap(), size.tags);
        assert_eq!(schema(&store).await, before);

        let again = fill(&store, &size, None, Utc::now(), &Zone::UTC, |_| ()).await;
        assert!(again.unwrap().is_none());
    }
}
