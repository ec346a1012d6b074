//! The rows of the venues and organizers to which events link.

use futures_util::future::try_join;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, Iterable, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, SelectStatement, UnionType},
};

use super::{
    entity::{organizer, venue},
    id_lists::padded,
    publishable::find_all,
    read_connection::ReadConnection,
    row::{FromRows, Row},
    statement_texts::StatementTexts,
};

/// The maximum number of venues, and of organizers, that are read together. Each pair of numbers has its own statement,
/// which every connection keeps prepared. Few events have more.
const MAX_TOGETHER: usize = 2;

/// Rows of venues and organizers to which events link.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkedRows {
    pub venues: Vec<venue::Model>,
    pub organizers: Vec<organizer::Model>,
}

impl LinkedRows {
    /// Reads the venues and organizers with these IDs, in no particular order: those of one event with one statement.
    pub(crate) async fn find(
        database: &impl ReadConnection,
        venues: &[i64],
        organizers: &[i64],
    ) -> Result<Self, DbErr> {
        static TEXTS: StatementTexts<(usize, usize)> = StatementTexts::new();
        let is_together = |ids: &[i64]| (1..=MAX_TOGETHER).contains(&ids.len());
        if !is_together(venues) || !is_together(organizers) {
            let venues = find_all::<venue::Entity>(database, venues);
            let organizers = find_all::<organizer::Entity>(database, organizers);
            let (venues, organizers) = try_join(venues, organizers).await?;
            return Ok(Self { venues, organizers });
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
            false => self.venues.push(row.model(0, venue::Column::iter())?),
            true => self
                .organizers
                .push(row.model(first_of_organizer, organizer::Column::iter())?),
        }
        Ok(())
    }
}
