//! IDs, slugs, coordinates and words read from a database of demo events, from which requests are built.

use std::collections::{HashMap, HashSet};

use almanac::testing::{
    calendar::{html, text},
    store::{
        self, Publishable,
        entity::{event, event_category, event_organizer, event_tag, event_venue, venue},
        links::Link,
        visibility::Visibility,
    },
};
use anyhow::{Context, Result};
use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, EntityTrait, Order, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Alias, Expr, ExprTrait},
};

use crate::search_words::SearchWords;

/// The approximate number of events that are read.
const SAMPLE_SIZE: u64 = 20_000;

/// The resources of a database. The IDs of linked resources are ordered by number of events, most popular first.
pub(crate) struct Dataset {
    pub events: Vec<(i64, String)>,
    /// Titles of events.
    pub titles: Vec<String>,
    pub categories: Vec<i64>,
    pub tags: Vec<i64>,
    pub venues: Vec<i64>,
    pub organizers: Vec<i64>,
    /// Events that are parents of others.
    pub festivals: Vec<i64>,
    /// Latitudes and longitudes of venues, in degrees.
    pub coordinates: Vec<(f64, f64)>,
    pub words: SearchWords,
}

impl Dataset {
    /// Reads the dataset from the database.
    pub(crate) async fn read(url: &str) -> Result<Self> {
        let store = store::open(url, true).await?;
        let database = store.reader();
        let count = event::Entity::find().count(database).await?;
        let step = i64::try_from(Ord::max(count / SAMPLE_SIZE, 1))?;
        let events = sampled_events(database, step).await?;
        let words = words(database, step, count).await?;
        let dataset = Self {
            events,
            titles: titles(database).await?,
            categories: by_popularity::<event_category::Entity>(database).await?,
            tags: by_popularity::<event_tag::Entity>(database).await?,
            venues: linked_resources::<event_venue::Entity>(database).await?,
            organizers: linked_resources::<event_organizer::Entity>(database).await?,
            festivals: festivals(database).await?,
            coordinates: coordinates(database).await?,
            words,
        };
        store.close().await?;
        Ok(dataset)
    }
}

/// The condition of public resources.
fn published<E: Publishable>() -> Condition {
    Visibility::published(chrono::Utc::now().timestamp()).condition::<E>()
}

/// The IDs and slugs of every `step`th event, if published.
async fn sampled_events(database: &DatabaseConnection, step: i64) -> Result<Vec<(i64, String)>> {
    event::Entity::find()
        .select_only()
        .columns([event::Column::Id, event::Column::Slug])
        .filter(published::<event::Entity>())
        .filter(Expr::col(event::Column::Id).modulo(step).eq(0))
        .into_tuple()
        .all(database)
        .await
        .context("cannot read the events")
}

async fn titles(database: &DatabaseConnection) -> Result<Vec<String>> {
    let titles = event::Entity::find()
        .select_only()
        .column(event::Column::Title)
        .filter(published::<event::Entity>())
        .limit(1000);
    Ok(titles.into_tuple().all(database).await?)
}

async fn words(database: &DatabaseConnection, step: i64, count: u64) -> Result<SearchWords> {
    let texts: Vec<(String, String)> = event::Entity::find()
        .select_only()
        .columns([event::Column::Title, event::Column::Description])
        .filter(Expr::col(event::Column::Id).modulo(step).eq(0))
        .into_tuple()
        .all(database)
        .await?;
    let folded = texts.iter().map(|(title, description)| {
        let description = html::text_content(description);
        text::fold(&format!("{title} {description}"))
    });
    Ok(SearchWords::of(&folded.collect::<Vec<_>>(), count))
}

/// The IDs of linked resources, by number of events.
async fn by_popularity<L: Link>(database: &DatabaseConnection) -> Result<Vec<i64>> {
    let rows: Vec<(i64, i64)> = L::find()
        .select_only()
        .column(L::TARGET_ID)
        .column_as(L::EVENT_ID.count(), "count")
        .group_by(L::TARGET_ID)
        .order_by(Expr::col(Alias::new("count")), Order::Desc)
        .into_tuple()
        .all(database)
        .await?;
    Ok(rows.into_iter().map(|(target, _)| target).collect())
}

/// The IDs of public venues or organizers with events, by number of events.
async fn linked_resources<L: Link<Target: Publishable>>(database: &DatabaseConnection) -> Result<Vec<i64>> {
    let published_ids: Vec<i64> = L::Target::find()
        .select_only()
        .column(L::Target::ID)
        .filter(published::<L::Target>())
        .into_tuple()
        .all(database)
        .await?;
    let published_ids: HashSet<i64> = published_ids.into_iter().collect();
    let mut ids = by_popularity::<L>(database).await?;
    ids.retain(|id| published_ids.contains(id));
    Ok(ids)
}

async fn festivals(database: &DatabaseConnection) -> Result<Vec<i64>> {
    let rows: Vec<Option<i64>> = event::Entity::find()
        .select_only()
        .column(event::Column::PostParent)
        .filter(event::Column::PostParent.is_not_null())
        .limit(SAMPLE_SIZE)
        .into_tuple()
        .all(database)
        .await?;
    let mut counts: HashMap<i64, u64> = HashMap::new();
    for festival in rows.into_iter().flatten() {
        *counts.entry(festival).or_default() += 1;
    }
    let mut festivals: Vec<i64> = counts.keys().copied().collect();
    festivals.sort_unstable_by_key(|festival| (std::cmp::Reverse(counts[festival]), *festival));
    Ok(festivals)
}

async fn coordinates(database: &DatabaseConnection) -> Result<Vec<(f64, f64)>> {
    let rows: Vec<(Option<f64>, Option<f64>)> = venue::Entity::find()
        .select_only()
        .columns([venue::Column::GeoLat, venue::Column::GeoLng])
        .filter(venue::Column::GeoLat.is_not_null())
        .limit(1000)
        .into_tuple()
        .all(database)
        .await?;
    Ok(rows
        .into_iter()
        .filter_map(|(latitude, longitude)| latitude.zip(longitude))
        .collect())
}
