//! `almanac import`.

use clap::Subcommand;

use super::{CommandError, import_ndjson};

/// The subcommands of `almanac import`.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Load a calendar that `almanac export` has written into an empty database
    Ndjson(import_ndjson::ImportNdjsonArgs),
}

/// Runs the subcommand.
pub(crate) async fn run(command: ImportCommand) -> Result<(), CommandError> {
    match command {
        ImportCommand::Ndjson(arguments) => import_ndjson::run(&arguments).await,
    }
}
