//! Buffers the links of events, and inserts them with the columns that are denormalised from events.

use std::iter;

use sea_orm::{DbErr, EntityName, IdenStatic, ModelTrait, Value};

use super::{MAX_PARAMETERS, insert_chunks, insert_values};
use crate::store::{
    Transaction,
    denormalised::{self, LISTING_COLUMNS},
    entity::{
        event::{self, Column},
        event_category, event_category_closure, event_organizer, event_tag, event_venue,
    },
    links::Link,
};

/// The IDs that an event links to.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLinks {
    pub venues: Vec<i64>,
    pub organizers: Vec<i64>,
    pub categories: Vec<i64>,
    /// The categories with all their ancestors, once each.
    pub category_closure: Vec<i64>,
    pub tags: Vec<i64>,
}

/// The links that are not yet inserted.
pub(crate) struct LinkBuffers {
    venues: LinkBuffer,
    organizers: LinkBuffer,
    categories: LinkBuffer,
    category_closure: LinkBuffer,
    tags: LinkBuffer,
}

/// The values of an event in the [`LISTING_COLUMNS`] of its links.
pub(crate) type ListingValues = [Value; LISTING_COLUMNS.len()];

/// Those of an event.
pub(crate) fn listing_values(event: &event::Model) -> ListingValues {
    LISTING_COLUMNS.map(|column| match column {
        Column::PublishedAt => denormalised::published_at(event).into(),
        _ => event.get(column),
    })
}

impl LinkBuffers {
    pub(crate) fn new() -> Self {
        Self {
            venues: LinkBuffer::of::<event_venue::Entity>(),
            organizers: LinkBuffer::of::<event_organizer::Entity>(),
            categories: LinkBuffer::of::<event_category::Entity>(),
            category_closure: LinkBuffer::new(&event_category_closure::Entity, &["event_id", "target_id"]),
            tags: LinkBuffer::of::<event_tag::Entity>(),
        }
    }

    /// Adds the links of an event.
    pub(crate) fn add(&mut self, event: i64, links: &EventLinks, listing_values: &ListingValues) {
        let EventLinks {
            venues,
            organizers,
            categories,
            category_closure,
            tags,
        } = links;
        self.venues.add(event, venues, listing_values);
        self.organizers.add(event, organizers, listing_values);
        self.categories.add(event, categories, listing_values);
        self.category_closure.add(event, category_closure, listing_values);
        self.tags.add(event, tags, listing_values);
    }

    /// Inserts the links that fill statements, so that all statements of a table but the last have the same SQL.
    pub(crate) async fn insert_full(&mut self, transaction: &Transaction) -> Result<(), DbErr> {
        for buffer in self.all() {
            let mut values = std::mem::take(&mut buffer.values).into_iter();
            let full = MAX_PARAMETERS / buffer.columns * buffer.columns;
            let chunks = iter::from_fn(|| (values.len() >= full).then(|| values.by_ref().take(full).collect()));
            insert_chunks(transaction, &buffer.into, buffer.columns, chunks).await?;
            buffer.values = values.collect();
        }
        Ok(())
    }

    /// Inserts the remaining links.
    pub(crate) async fn insert_rest(mut self, transaction: &Transaction) -> Result<(), DbErr> {
        self.insert_full(transaction).await?;
        for buffer in self.all() {
            let rest = std::mem::take(&mut buffer.values);
            if !rest.is_empty() {
                insert_values(transaction, &buffer.into, buffer.columns, rest).await?;
            }
        }
        Ok(())
    }

    fn all(&mut self) -> [&mut LinkBuffer; 5] {
        [
            &mut self.venues,
            &mut self.organizers,
            &mut self.categories,
            &mut self.category_closure,
            &mut self.tags,
        ]
    }
}

/// The links of one table.
struct LinkBuffer {
    /// The statement up to the word `VALUES`.
    into: String,
    columns: usize,
    has_position: bool,
    values: Vec<Value>,
}

impl LinkBuffer {
    fn of<L: Link>() -> Self {
        let columns = [L::EVENT_ID, L::TARGET_ID, L::POSITION];
        Self::new(&L::default(), &columns.map(|column| column.as_str()))
    }

    /// For a table with these columns, and with the [`LISTING_COLUMNS`].
    fn new(table: &impl EntityName, columns: &[&str]) -> Self {
        let listing = LISTING_COLUMNS.map(|column| column.as_str());
        let all = [columns, &listing].concat();
        Self {
            into: format!("INSERT INTO {} ({})", table.table_name(), all.join(", ")),
            columns: all.len(),
            has_position: columns.contains(&"position"),
            values: Vec::new(),
        }
    }

    fn add(&mut self, event: i64, targets: &[i64], listing_values: &ListingValues) {
        for (position, target) in (0_i64..).zip(targets) {
            self.values.extend([event, *target].map(Value::from));
            self.values.extend(self.has_position.then(|| position.into()));
            self.values.extend_from_slice(listing_values);
        }
    }
}
