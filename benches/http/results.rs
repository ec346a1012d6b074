//! All that a run finds out.

use std::time::Duration;

use crate::{database::Backend, measurement::Row, memory::Memory, operations::Class};

/// What is known of one database as a whole.
#[derive(Clone, Debug)]
pub struct DatabaseFigures {
    pub database: Backend,
    pub events: u64,
    /// How long the events took, and what the command said about them.
    pub load: (Duration, String),
    pub time_to_first_response: Duration,
    /// Resident memory after the first answers, in bytes.
    pub idle: u64,
    pub under_load: Option<Memory>,
    /// Instructions a request.
    pub instructions: Vec<(&'static str, u64)>,
}

impl DatabaseFigures {
    /// Events a second.
    pub fn load_rate(&self) -> f64 {
        self.events as f64 / self.load.0.as_secs_f64()
    }

    /// Events a second of the bulk load without the index of words, as the command says it: "(… a second)".
    pub fn load_rate_without_search(&self) -> Option<f64> {
        let (_, rest) = self.load.1.split_once(" s (")?;
        let (rate, _) = rest.split_once(" a second")?;
        rate.parse().ok()
    }
}

/// Everything.
#[derive(Default)]
pub struct Results {
    pub rows: Vec<Row>,
    pub figures: Vec<DatabaseFigures>,
    /// Bytes of the program.
    pub program: u64,
}

impl Results {
    /// The databases, in the order in which they were measured.
    pub fn databases(&self) -> Vec<Backend> {
        let mut databases: Vec<Backend> = self.figures.iter().map(|figures| figures.database).collect();
        databases.dedup();
        databases
    }

    /// The figures of a database, by size.
    pub fn figures(&self, database: Backend) -> impl Iterator<Item = &DatabaseFigures> {
        self.figures.iter().filter(move |figures| figures.database == database)
    }

    /// The lines of one class with so many connections, by size.
    pub fn rows(&self, database: Backend, class: Class, connections: usize) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(move |row| row.database == database && row.class == class && row.connections == connections)
    }
}
