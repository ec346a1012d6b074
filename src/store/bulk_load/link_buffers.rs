//! Buffers the links of events, and inserts them with the columns that are denormalised from events.

use std::iter;

use sea_orm::{DbBackend, DbErr, EntityTrait, Iterable, ModelTrait, Statement, Value};

use super::{inserted_table::InsertedTable, run_statements};
use crate::store::{
    Transaction,
    denormalised::{self, LISTING_COLUMNS},
    entity::{
        event::{self, Column},
        event_category, event_category_closure, event_organizer, event_tag, event_venue,
    },
    read_connection::ReadConnection,
};

/// The IDs that an event links to.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadedLinks {
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
            category_closure: LinkBuffer::of::<event_category_closure::Entity>(),
            tags: LinkBuffer::of::<event_tag::Entity>(),
        }
    }

    /// Adds the links of an event.
    pub(crate) fn add(&mut self, event: i64, links: &LoadedLinks, listing_values: &ListingValues) {
        let LoadedLinks {
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
        let backend = transaction.backend();
        let buffers = self.all().into_iter();
        let statements = buffers.flat_map(|buffer| iter::from_fn(move || buffer.take_full(backend)));
        run_statements(transaction, statements).await
    }

    /// Inserts the remaining links.
    pub(crate) async fn insert_rest(mut self, transaction: &Transaction) -> Result<(), DbErr> {
        self.insert_full(transaction).await?;
        let backend = transaction.backend();
        let buffers = self.all().into_iter().filter(|buffer| !buffer.values.is_empty());
        let statements = buffers.map(|buffer| buffer.take(buffer.values.len(), backend));
        run_statements(transaction, statements).await
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
    /// Its columns are the IDs of the event and of its target, the position in all but one table, and the
    /// [`LISTING_COLUMNS`], in this order.
    table: InsertedTable,
    values: Vec<Value>,
}

impl LinkBuffer {
    fn of<E: EntityTrait>() -> Self {
        Self {
            table: InsertedTable::of::<E>(E::Column::iter()),
            values: Vec::new(),
        }
    }

    fn add(&mut self, event: i64, targets: &[i64], listing_values: &ListingValues) {
        let has_position = self.table.has_column("position");
        for (position, target) in (0_i64..).zip(targets) {
            self.values.extend([event, *target].map(Value::from));
            self.values.extend(has_position.then(|| position.into()));
            self.values.extend_from_slice(listing_values);
        }
    }

    /// Takes the links of a full statement.
    fn take_full(&mut self, backend: DbBackend) -> Option<Statement> {
        let full = self.table.max_rows(backend) * self.table.width();
        (self.values.len() >= full).then(|| self.take(full, backend))
    }

    /// Takes links with this number of values.
    fn take(&mut self, values: usize, backend: DbBackend) -> Statement {
        let values = self.values.drain(..values).collect();
        self.table.insertion(backend, values)
    }
}
