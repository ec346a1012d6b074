//! The rows of the venues and organizers to which events link.

use std::sync::Arc;

use futures_util::future::try_join;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, Iterable, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, SelectStatement, UnionType},
};

use super::{
    ListVersion, Publishable,
    entity::{organizer, venue},
    id_lists::padded,
    publishable::{PublishableRow, find_all},
    read_connection::ReadConnection,
    row::{FromRows, Row},
    statement_texts::StatementTexts,
    versioned_cache::VersionedCache,
};

/// The maximum number of venues, and of organizers, that are read together. Each pair of numbers has its own statement,
/// which every connection keeps prepared. Few events have more.
const MAX_TOGETHER: usize = 2;

/// Rows of venues and organizers to which events link.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkedRows {
    pub venues: Vec<Arc<venue::Model>>,
    pub organizers: Vec<Arc<organizer::Model>>,
}

impl LinkedRows {
    /// Finds the venues and organizers with these IDs, in no particular order. Those that are in memory are not read.
    pub(crate) async fn find(
        database: &impl ReadConnection,
        venues: &[i64],
        organizers: &[i64],
    ) -> Result<Self, DbErr> {
        let Some((known, version)) = database.known_results() else {
            return Self::read(database, venues, organizers).await;
        };
        let (known_venues, missing_venues) = known.venues.split(version, venues);
        let (known_organizers, missing_organizers) = known.organizers.split(version, organizers);
        let mut found = Self::read(database, &missing_venues, &missing_organizers).await?;
        known.venues.add(version, &found.venues);
        known.organizers.add(version, &found.organizers);
        found.venues.extend(known_venues);
        found.organizers.extend(known_organizers);
        Ok(found)
    }

    /// Reads the venues and organizers with these IDs: those of one event with one statement.
    async fn read(database: &impl ReadConnection, venues: &[i64], organizers: &[i64]) -> Result<Self, DbErr> {
        static TEXTS: StatementTexts<(usize, usize)> = StatementTexts::new();
        let is_together = |ids: &[i64]| (1..=MAX_TOGETHER).contains(&ids.len());
        if !is_together(venues) || !is_together(organizers) {
            let venues = find_all::<venue::Entity>(database, venues);
            let organizers = find_all::<organizer::Entity>(database, organizers);
            let (venues, organizers) = try_join(venues, organizers).await?;
            return Ok(Self {
                venues: venues.into_iter().map(Arc::new).collect(),
                organizers: organizers.into_iter().map(Arc::new).collect(),
            });
        }
        let (venues, organizers) = (padded(venues), padded(organizers));
        let key = (venues.len(), organizers.len());
        let values = venues.iter().chain(&organizers).map(|id| (*id).into()).collect();
        let select = || select(&venues, &organizers);
        let statement = TEXTS.statement(database.backend(), key, values, select);
        database.collect(statement).await
    }
}

/// Selects the columns of venues, and then those of organizers. In each row, the columns of the other table are null.
fn select(venues: &[i64], organizers: &[i64]) -> SelectStatement {
    let mut of_venues = venue::Entity::find()
        .filter(venue::Column::Id.is_in(venues.iter().copied()))
        .into_query();
    of_venues.exprs(nulls::<organizer::Entity>());
    let mut of_organizers = organizer::Entity::find()
        .select_only()
        .filter(organizer::Column::Id.is_in(organizers.iter().copied()))
        .into_query();
    of_organizers
        .exprs(nulls::<venue::Entity>())
        .exprs(organizer::Column::iter().map(|column| Expr::col(column.as_column_ref())));
    of_venues.union(UnionType::All, of_organizers).take()
}

/// A null for each column of the table.
fn nulls<E: EntityTrait>() -> impl Iterator<Item = Expr> {
    E::Column::iter().map(|_| Expr::null())
}

impl FromRows for LinkedRows {
    fn add(&mut self, row: &Row<'_>) -> Result<(), DbErr> {
        let first_of_organizer = venue::Column::iter().count();
        match row.is_null(0)? {
            false => self.venues.push(Arc::new(row.model(0, venue::Column::iter())?)),
            true => {
                let organizer = row.model(first_of_organizer, organizer::Column::iter())?;
                self.organizers.push(Arc::new(organizer));
            }
        }
        Ok(())
    }
}

/// Rows in memory, until the data change.
#[derive(Debug)]
pub(super) struct KnownRows<E: Publishable>(VersionedCache<i64, Arc<E::Model>>);

impl<E: Publishable> KnownRows<E> {
    pub(super) fn with_bytes(bytes: u64) -> Self {
        Self(VersionedCache::with_bytes(bytes))
    }

    /// Returns the rows that are in memory, and the IDs of the others.
    fn split(&self, version: ListVersion, ids: &[i64]) -> (Vec<Arc<E::Model>>, Vec<i64>) {
        let (known, missing) = self.0.split(Some(version), ids.iter().copied());
        (known.into_iter().map(|(_, row)| row).collect(), missing)
    }

    fn add(&self, version: ListVersion, rows: &[Arc<E::Model>]) {
        for row in rows {
            // All texts have about three times the size of the one that searches match, which repeats most of them.
            let bytes = size_of::<E::Model>() + 3 * row.search_text().len();
            self.0.insert(Some(version), row.id(), row.clone(), bytes);
        }
    }
}
