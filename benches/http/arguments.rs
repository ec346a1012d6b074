//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::{baseline::BaselineArguments, size};

/// Measures the server by HTTP, as ratios to what the same library answers without a calendar behind it.
#[derive(Debug, Parser)]
#[command(name = "http", max_term_width = 100)]
pub struct Arguments {
    /// Events in the databases, as in 1k,1m
    #[arg(long, default_value = "1k,100k", value_delimiter = ',', value_parser = size::parse)]
    pub sizes: Vec<u64>,

    /// Connections at a time, as in 1,8
    #[arg(long, default_value = "8", value_delimiter = ',', value_parser = connections)]
    pub connections: Vec<usize>,

    /// Which database
    #[arg(long, default_value = "sqlite")]
    pub database: DatabaseChoice,

    /// Everything: 1k,100k,1m events, 1,8,64 connections, both databases, and instructions
    #[arg(long, conflicts_with_all = ["sizes", "connections", "database"])]
    pub full: bool,

    /// Seconds of one round, of which each operation has three
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,

    /// Only operations whose names contain one of these, as in "by id,memory"
    #[arg(long, value_delimiter = ',', value_name = "PATTERN")]
    pub only: Vec<String>,

    /// Count instructions a request by callgrind too
    #[arg(long)]
    pub callgrind: bool,

    /// Write the tables between the markers of this file
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,

    /// Keep the databases in this folder, and take those of the same day from it
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,

    /// Make the databases on this PostgreSQL server instead of a private one
    #[arg(long, value_name = "URL")]
    pub postgres_url: Option<String>,

    /// Passed by cargo
    #[arg(long, hide = true)]
    pub bench: bool,

    #[command(flatten)]
    pub baseline: BaselineArguments,
}

/// Which databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DatabaseChoice {
    Sqlite,
    Postgres,
    Both,
}

impl Arguments {
    /// What `--full` stands for is filled in, and sizes grow.
    pub fn read() -> Self {
        let mut arguments = Self::parse();
        if arguments.full {
            arguments.sizes = vec![1_000, 100_000, 1_000_000];
            arguments.connections = vec![1, 8, 64];
            arguments.database = DatabaseChoice::Both;
            arguments.callgrind = true;
        }
        arguments.sizes.sort_unstable();
        arguments.sizes.dedup();
        arguments
    }

    /// Whether this is to be measured.
    pub fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=1024).contains(&number) => Ok(number),
        _ => Err("it must be a number from 1 to 1024".to_owned()),
    }
}
