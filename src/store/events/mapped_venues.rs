//! The published venues with coordinates, in memory, until the data change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::{DbErr, sea_query::Expr};

use super::{geo, position::Position};
use crate::store::{
    ListVersion,
    read_connection::ReadConnection,
    row::{FromRow, Row},
};

/// The maximum number of venues that are kept in memory.
const MAX_VENUES: usize = 100_000;

/// A published venue with coordinates.
#[derive(Debug)]
pub(super) struct MappedVenue {
    pub id: i64,
    pub position: Position,
}

impl FromRow for MappedVenue {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            id: row.integer(0)?,
            position: Position::from_row(row, 1)?,
        })
    }
}

/// The venues that were read last.
#[derive(Debug, Default)]
pub(super) struct KnownVenues(Mutex<Option<Known>>);

#[derive(Clone, Debug)]
struct Known {
    version: ListVersion,
    /// The second at which they are published, since 1970 UTC.
    now: i64,
    venues: Arc<[MappedVenue]>,
}

impl KnownVenues {
    /// Reads the venues that are published at this second, sorted by ID, unless they are in memory. None if there are too
    /// many.
    pub(super) async fn read(
        &self,
        database: &impl ReadConnection,
        version: ListVersion,
        now: i64,
    ) -> Result<Option<Arc<[MappedVenue]>>, DbErr> {
        let known = self.lock().clone();
        if let Some(known) = known.filter(|known| known.version == version && known.now == now) {
            return Ok(Some(known.venues));
        }
        let mut select = geo::mapped_venues(now);
        select
            .exprs(Position::COLUMNS.map(Expr::col))
            .limit(MAX_VENUES as u64 + 1);
        let mut venues: Vec<MappedVenue> = database.rows(&select).await?;
        if venues.len() > MAX_VENUES {
            return Ok(None);
        }
        venues.sort_unstable_by_key(|venue| venue.id);
        let venues: Arc<[MappedVenue]> = venues.into();
        *self.lock() = Some(Known {
            version,
            now,
            venues: venues.clone(),
        });
        Ok(Some(venues))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
