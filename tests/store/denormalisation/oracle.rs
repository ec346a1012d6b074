//! An oracle that recomputes all denormalised data from the source data.

use std::collections::{BTreeMap, BTreeSet};

use almanac::testing::store::{
    Store,
    entity::{
        category, category_closure, category_event_count, event, event_category, event_category_closure,
        event_organizer, event_tag, event_time_bucket, event_venue, organizer, tag_event_count, venue,
    },
};
use sea_orm::{DatabaseConnection, EntityTrait, QuerySelect, sea_query::Expr};

/// The denormalised columns of a link: start, end, publication, and whether the event is hidden, featured, ticketed and
/// located.
type Listing = (i64, i64, Option<i64>, bool, bool, bool, bool);

/// The source data.
struct Source {
    events: BTreeMap<i64, event::Model>,
    venues: BTreeMap<i64, venue::Model>,
    organizers: BTreeMap<i64, organizer::Model>,
    /// The parent of each category.
    categories: BTreeMap<i64, i64>,
}

impl Source {
    async fn read(database: &DatabaseConnection) -> Self {
        let events = event::Entity::find().all(database).await.expect("the events");
        let venues = venue::Entity::find().all(database).await.expect("the venues");
        let organizers = organizer::Entity::find().all(database).await.expect("the organizers");
        let categories = category::Entity::find().all(database).await.expect("the categories");
        Self {
            events: events.into_iter().map(|row| (row.id, row)).collect(),
            venues: venues.into_iter().map(|row| (row.id, row)).collect(),
            organizers: organizers.into_iter().map(|row| (row.id, row)).collect(),
            categories: categories.into_iter().map(|row| (row.id, row.parent)).collect(),
        }
    }

    fn is_published(&self, event: i64) -> bool {
        self.events[&event].status == "publish"
    }

    fn listing(&self, event: i64) -> Listing {
        let row = &self.events[&event];
        (
            row.starts_at,
            row.ends_at,
            self.is_published(event).then_some(row.published_at),
            row.hide_from_listings,
            row.featured,
            row.ticketed,
            row.located,
        )
    }

    /// The category with all its ancestors.
    fn ancestors(&self, category: i64) -> Vec<i64> {
        let above = |id: &i64| Some(self.categories[id]).filter(|parent| *parent != 0);
        std::iter::successors(Some(category), above).collect()
    }

    /// The number of published, listed events of each target.
    fn counts(&self, links: &Links) -> BTreeMap<i64, i64> {
        let mut counts = BTreeMap::new();
        for (event, target) in links.keys() {
            if self.is_published(*event) && !self.events[event].hide_from_listings {
                *counts.entry(*target).or_default() += 1;
            }
        }
        counts
    }

    /// The end of the last published event of a target.
    fn last_end(&self, links: &Links, target: i64) -> Option<i64> {
        let events = links
            .keys()
            .filter(|(event, other)| *other == target && self.is_published(*event));
        events.map(|(event, _)| self.events[event].ends_at).max()
    }
}

/// An event, a target, and the denormalised columns.
type LinkRow = (i64, i64, i64, i64, Option<i64>, bool, bool, bool, bool);

/// The rows of a table of links, by event and target.
type Links = BTreeMap<(i64, i64), Listing>;

async fn links<E: EntityTrait>(database: &DatabaseConnection, _: E) -> Links {
    let columns = [
        "event_id",
        "target_id",
        "starts_at",
        "ends_at",
        "published_at",
        "hide_from_listings",
        "featured",
        "ticketed",
        "located",
    ];
    let rows: Vec<LinkRow> = E::find()
        .select_only()
        .exprs(columns.map(Expr::col))
        .into_tuple()
        .all(database)
        .await
        .expect("the links");
    rows.into_iter()
        .map(
            |(event, target, start, end, published, hidden, featured, ticketed, located)| {
                let listing = (start, end, published, hidden, featured, ticketed, located);
                ((event, target), listing)
            },
        )
        .collect()
}

/// Compares all denormalised data with the source data.
pub(crate) async fn assert_denormalised(store: &Store) {
    let database = store.reader();
    let source = Source::read(database).await;
    let venues = links(database, event_venue::Entity).await;
    let organizers = links(database, event_organizer::Entity).await;
    let categories = links(database, event_category::Entity).await;
    let tags = links(database, event_tag::Entity).await;

    for (id, event) in &source.events {
        let is_located = venues.range((*id, i64::MIN)..=(*id, i64::MAX)).any(|((_, venue), _)| {
            let venue = &source.venues[venue];
            venue.status == "publish" && venue.geo_lat.is_some() && venue.geo_lng.is_some()
        });
        assert_eq!(event.located, is_located, "located: event {id}");
    }
    for links in [&venues, &organizers, &categories, &tags] {
        let expected: Links = links
            .keys()
            .map(|(event, target)| ((*event, *target), source.listing(*event)))
            .collect();
        assert_eq!(*links, expected);
    }
    assert_closures(database, &source, &categories).await;
    assert_counts(database, &source, &categories, &tags).await;
    for (id, venue) in &source.venues {
        assert_eq!(
            venue.last_ends_at,
            source.last_end(&venues, *id),
            "last end of venue {id}"
        );
    }
    for (id, organizer) in &source.organizers {
        assert_eq!(
            organizer.last_ends_at,
            source.last_end(&organizers, *id),
            "last end of organizer {id}"
        );
    }
}

async fn assert_closures(database: &DatabaseConnection, source: &Source, categories: &Links) {
    let found = category_closure::Entity::find()
        .all(database)
        .await
        .expect("the closure");
    let found: BTreeSet<(i64, i64)> = found.iter().map(|row| (row.category_id, row.ancestor_id)).collect();
    let pairs = |id: &i64| {
        source
            .ancestors(*id)
            .into_iter()
            .map(|ancestor| (*id, ancestor))
            .collect::<Vec<_>>()
    };
    assert_eq!(found, source.categories.keys().flat_map(pairs).collect());

    let found = links(database, event_category_closure::Entity).await;
    let mut expected = Links::new();
    for (event, category) in categories.keys() {
        for ancestor in source.ancestors(*category) {
            expected.insert((*event, ancestor), source.listing(*event));
        }
    }
    assert_eq!(found, expected);
}

async fn assert_counts(database: &DatabaseConnection, source: &Source, categories: &Links, tags: &Links) {
    let mut found = BTreeMap::new();
    for row in event_time_bucket::Entity::find()
        .all(database)
        .await
        .expect("the buckets")
    {
        let flags = (row.hide_from_listings, row.featured, row.ticketed, row.located);
        add(&mut found, (row.status, row.time_bucket, flags), row.event_count);
    }
    let mut expected = BTreeMap::new();
    for row in source.events.values() {
        let flags = (row.hide_from_listings, row.featured, row.ticketed, row.located);
        add(
            &mut expected,
            (row.status.clone(), row.starts_at.div_euclid(1 << 18), flags),
            1,
        );
    }
    assert_eq!(found, expected);

    let mut found = BTreeMap::new();
    for row in category_event_count::Entity::find()
        .all(database)
        .await
        .expect("the counts of categories")
    {
        add(&mut found, row.target_id, row.event_count);
    }
    assert_eq!(found, source.counts(categories));
    let mut found = BTreeMap::new();
    for row in tag_event_count::Entity::find()
        .all(database)
        .await
        .expect("the counts of tags")
    {
        add(&mut found, row.target_id, row.event_count);
    }
    assert_eq!(found, source.counts(tags));
}

/// Adds to the count of a key. On PostgreSQL the count is the sum of several rows. A count of 0 equals a missing row.
fn add<K: Ord + Clone>(counts: &mut BTreeMap<K, i64>, key: K, amount: i64) {
    let count = counts.entry(key.clone()).or_default();
    *count += amount;
    if *count == 0 {
        counts.remove(&key);
    }
}
