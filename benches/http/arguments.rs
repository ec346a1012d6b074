//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::{baseline::BaselineArguments, size};

/// Measures the throughput and latency of the server over HTTP, relative to a bare handler of the same library.
#[derive(Debug, Parser)]
#[command(name = "http", max_term_width = 100)]
pub(crate) struct Arguments {
    /// Numbers of events in the databases, such as 1k,1m
    #[arg(long, default_value = "1k,100k", value_delimiter = ',', value_parser = size::parse)]
    pub sizes: Vec<u64>,

    /// Numbers of concurrent connections, such as 1,8
    #[arg(long, default_value = "8", value_delimiter = ',', value_parser = connections)]
    pub connections: Vec<usize>,

    /// Databases to measure
    #[arg(long, default_value = "sqlite", default_value_if("full", "true", "both"))]
    pub database: DatabaseChoice,

    /// Measure everything: 1k,100k,1m events, 1,8,64 connections, instructions, and both databases unless one is chosen
    #[arg(long, conflicts_with_all = ["sizes", "connections"])]
    pub full: bool,

    /// Duration of a round in seconds; each operation has five rounds
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,

    /// Measure only operations whose names contain this, such as "by id"; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Also count instructions per request with callgrind
    #[arg(long)]
    pub callgrind: bool,

    /// Compare creates with those of this older program, on a database that it fills
    #[arg(long, value_name = "PROGRAM")]
    pub against: Option<String>,

    /// Write the report between the markers in this file
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,

    /// Keep the databases in this folder, and reuse those of the same day
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,

    /// Create the databases on this PostgreSQL server instead of a private one
    #[arg(long, value_name = "URL")]
    pub postgres_url: Option<String>,

    /// Passed by cargo
    #[arg(long, hide = true)]
    pub bench: bool,

    #[command(flatten)]
    pub baseline: BaselineArguments,
}

/// The values of `--database`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DatabaseChoice {
    Sqlite,
    Postgres,
    Both,
}

impl Arguments {
    /// Parses the command line, expands `--full`, and sorts the sizes.
    pub(crate) fn read() -> Self {
        let mut arguments = Self::parse();
        if arguments.full {
            arguments.sizes = vec![1_000, 100_000, 1_000_000];
            arguments.connections = vec![1, 8, 64];
            arguments.callgrind = true;
        }
        arguments.sizes.sort_unstable();
        arguments.sizes.dedup();
        arguments
    }

    /// Whether `--only` selects the operation.
    pub(crate) fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=1024).contains(&number) => Ok(number),
        _ => Err("must be a number from 1 to 1024".to_owned()),
    }
}
