//! The published venues with coordinates, in memory, until the data change.

use std::sync::Arc;

use sea_orm::{DbErr, sea_query::Expr};

use super::{geo, position::Position};
use crate::store::{
    ListVersion,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    versioned_cache::VersionedCache,
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

/// The venues that were read last, and the second at which they are published, since 1970 UTC.
#[derive(Debug)]
pub(super) struct KnownVenues(VersionedCache<(), (i64, Arc<[MappedVenue]>)>);

impl Default for KnownVenues {
    fn default() -> Self {
        let bytes = (MAX_VENUES * size_of::<MappedVenue>() * 2) as u64;
        Self(VersionedCache::for_entries_of(bytes, bytes))
    }
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
        let known = self.0.get(Some(version), &());
        if let Some((_, venues)) = known.filter(|(published_at, _)| *published_at == now) {
            return Ok(Some(venues));
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
        let bytes = size_of_val(&venues[..]);
        self.0.insert(Some(version), (), (now, venues.clone()), bytes);
        Ok(Some(venues))
    }
}
