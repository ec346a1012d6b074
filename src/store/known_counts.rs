//! The counts of earlier reads, in memory, until the data change.

use sea_orm::Statement;

use super::{events::KnownVenueCounts, versioned_cache::VersionedCache};

/// The counts of earlier reads.
#[derive(Debug)]
pub struct KnownCounts {
    /// The results of statements with at most two counts, by the [`key`] of the statement.
    pub(super) of_statements: VersionedCache<String, [i64; 2]>,
    /// The numbers of events at each venue.
    pub(super) at_venues: KnownVenueCounts,
}

impl Default for KnownCounts {
    fn default() -> Self {
        /// The size of all results of statements, in bytes.
        const BYTES: u64 = 4 * 1024 * 1024;
        Self {
            of_statements: VersionedCache::with_bytes(BYTES),
            at_venues: KnownVenueCounts::default(),
        }
    }
}

/// The text and the values of a statement.
pub(super) fn key(statement: &Statement) -> String {
    format!("{} {:?}", statement.sql, statement.values)
}
