//! The numbers of concurrent connections with which operations are measured.

use crate::{arguments::Arguments, operations::Class};

/// The maximum number of connections for uncached lists in a full run. Eight keep both processors busy.
const MAX_LIST_CONNECTIONS: usize = 8;

impl Class {
    /// The numbers of connections with which operations of the class are measured.
    pub(crate) fn connections(self, arguments: &Arguments) -> Vec<usize> {
        let requested = &arguments.connections[..];
        match self {
            // A read is measured alone only if no other connection writes. A feed takes as long as many responses, and
            // its target is the speed of one.
            Self::AfterWrite | Self::FeedNew => vec![1],
            // The target is the time in which the writer is busy.
            Self::SeriesCreates | Self::SeriesUpdates | Self::Batches => vec![1],
            // The targets are for one connection.
            Self::ListPageNew | Self::MonthPageNew if !requested.contains(&1) => [&[1][..], requested].concat(),
            // With more connections, requests only wait longer for a processor.
            Self::OneFilter
            | Self::GeoRadius
            | Self::SeveralFilters
            | Self::Search
            | Self::LinkedResources
            | Self::Untargeted
                if arguments.full =>
            {
                let few = |number: &usize| *number <= MAX_LIST_CONNECTIONS;
                requested.iter().copied().filter(few).collect()
            }
            _ => requested.to_vec(),
        }
    }
}
