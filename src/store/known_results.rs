//! The results of earlier reads, in memory, until the data change.

use sea_orm::Statement;

use super::{
    entity::{organizer, venue},
    events::KnownVenueCounts,
    linked_rows::KnownRows,
    versioned_cache::VersionedCache,
};

/// The results of earlier reads.
#[derive(Debug)]
pub struct KnownResults {
    /// The results of statements with at most two counts, by the [`key`] of the statement.
    pub(super) counts: VersionedCache<String, [i64; 2]>,
    /// The numbers of events at each venue.
    pub(super) at_venues: KnownVenueCounts,
    /// The venues to which events link.
    pub(super) venues: KnownRows<venue::Entity>,
    /// The organizers to which events link.
    pub(super) organizers: KnownRows<organizer::Entity>,
}

impl Default for KnownResults {
    fn default() -> Self {
        const MEBIBYTE: u64 = 1024 * 1024;
        Self {
            counts: VersionedCache::with_bytes(4 * MEBIBYTE),
            at_venues: KnownVenueCounts::default(),
            venues: KnownRows::with_bytes(12 * MEBIBYTE),
            organizers: KnownRows::with_bytes(4 * MEBIBYTE),
        }
    }
}

/// The text and the values of a statement.
pub(super) fn key(statement: &Statement) -> String {
    format!("{} {:?}", statement.sql, statement.values)
}
