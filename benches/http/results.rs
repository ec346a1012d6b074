//! The results of a run.

use std::time::Duration;

use crate::{
    database::Backend, measurement::Row, memory::Memory, site_import::SiteImport, slow_feed::SlowFeed,
    transfer_times::TransferTimes,
};

/// Figures of one database.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseFigures {
    pub database: Backend,
    pub events: u64,
    /// Duration and output of `almanac demo`.
    pub load: (Duration, String),
    pub time_to_first_response: Duration,
    /// Resident memory after the first response, in bytes.
    pub idle: u64,
    pub under_load: Option<Memory>,
    pub slow_feed: Option<SlowFeed>,
    pub transfer: Option<TransferTimes>,
    /// Instructions per request, by name of the operation.
    pub instructions: Vec<(&'static str, u64)>,
}

impl DatabaseFigures {
    /// Events per second.
    pub(crate) fn load_rate(&self) -> f64 {
        self.events as f64 / self.load.0.as_secs_f64()
    }

    /// Events per second of the bulk load without the search index: the first number in parentheses in the output of the
    /// command, such as "… s (12345 per second)".
    pub(crate) fn load_rate_without_search(&self) -> Option<f64> {
        let (_, rest) = self.load.1.split_once(" s (")?;
        let (rate, _) = rest.split_once(' ')?;
        rate.parse().ok()
    }
}

/// All results.
#[derive(Default)]
pub(crate) struct Results {
    pub rows: Vec<Row>,
    pub figures: Vec<DatabaseFigures>,
    pub site_imports: Vec<SiteImport>,
    /// The size of the program in bytes.
    pub program: u64,
}

impl Results {
    /// The backends in the order of measurement.
    pub(crate) fn databases(&self) -> Vec<Backend> {
        let mut databases: Vec<Backend> = self.figures.iter().map(|figures| figures.database).collect();
        databases.dedup();
        databases
    }

    /// The figures of a backend, by size.
    pub(crate) fn figures(&self, database: Backend) -> impl Iterator<Item = &DatabaseFigures> {
        self.figures.iter().filter(move |figures| figures.database == database)
    }
}
