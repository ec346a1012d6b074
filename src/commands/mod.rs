//! The subcommands of the command line, one file each.

mod backup;
pub(crate) mod check;
pub(crate) mod database;
pub(crate) mod demo;
mod environment;
pub(crate) mod events;
mod export;
pub(crate) mod healthcheck;
pub(crate) mod import;
mod import_ndjson;
mod import_progress;
mod import_tec;
mod import_undo;
mod log;
pub(crate) mod openapi;
pub(crate) mod output;
mod password_file;
mod progress;
mod restore;
pub(crate) mod serve;
mod service_manager;
mod signals;
pub(crate) mod source;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod webhook;

use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};
use thiserror::Error;

pub use environment::parse;

use crate::{config::ServeArgs, store::OpenError, transfer::TransferError, tzdata::TzdataError};

/// An event calendar server: events, venues, organizers, categories and tags over REST.
#[derive(Debug, Parser)]
#[command(name = "almanac", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server
    Serve(Box<ServeArgs>),
    /// Check that all is well: the database, its derived data, the time zone rules and the disk; the exit code is 1 if
    /// it is not
    Check(check::CheckArgs),
    /// Write the calendar to standard output: all of it as lines of JSON, or objects as CSV or iCalendar
    Export(Box<export::ExportArgs>),
    /// Import events from a site with The Events Calendar, a table, or an iCalendar file or address, or load an export
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// List, import again and remove the sources of imports
    #[command(subcommand)]
    Source(source::SourceCommand),
    /// Take a backup of the database, also while a server is running, or verify one
    Backup(backup::BackupArgs),
    /// Restore a backup into an empty database
    Restore(restore::RestoreArgs),
    /// Migrate the database to the current schema
    Migrate(database::MigrateArgs),
    /// Add, list and remove users, and reset their passwords
    #[command(subcommand)]
    User(user::UserCommand),
    /// Add, list and revoke API tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Add, list, remove and test webhooks
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Follow the changes of a calendar
    #[command(subcommand)]
    Events(events::EventsCommand),
    /// Print the OpenAPI document
    Openapi(openapi::OpenapiArgs),
    /// Fill an empty database with sample events
    Demo(demo::DemoArgs),
    /// Permanently delete the objects in the trash
    Purge(database::PurgeArgs),
    /// Check that a server is running; the exit code is 1 if it is not
    Healthcheck(healthcheck::HealthcheckArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
}

/// The error of a command. The message is printed to the user.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("database error: {0}")]
    Database(#[from] sea_orm::DbErr),
    #[error("can't listen on {0}: {1}")]
    Listen(std::net::SocketAddr, std::io::Error),
    #[error("--tzdata: {0}")]
    Tzdata(#[from] TzdataError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("can't write to standard output: {0}")]
    Print(std::io::Error),
    #[error(transparent)]
    PasswordFile(#[from] password_file::PasswordFileError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("{0}")]
    Refused(String),
}

/// Runs the subcommand.
pub async fn run(cli: Cli) -> Result<(), CommandError> {
    match cli.command {
        Command::Serve(arguments) => serve::run(*arguments).await,
        Command::Check(arguments) => check::run(&arguments).await,
        Command::Export(arguments) => export::run(*arguments).await,
        Command::Import(command) => import::run(command).await,
        Command::Source(command) => source::run(command).await,
        Command::Backup(arguments) => backup::run(&arguments).await,
        Command::Restore(arguments) => restore::run(&arguments).await,
        Command::Migrate(arguments) => database::migrate(&arguments).await,
        Command::User(command) => user::run(command).await,
        Command::Token(command) => token::run(command).await,
        Command::Webhook(command) => webhook::run(command).await,
        Command::Events(command) => events::run(command).await,
        Command::Openapi(arguments) => openapi::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments).await,
        Command::Purge(arguments) => database::purge(&arguments).await,
        Command::Healthcheck(arguments) => healthcheck::run(arguments).await,
        Command::Completions { shell } => {
            let mut command = Cli::command();
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "almanac", &mut script);
            output::print_line(String::from_utf8_lossy(&script).trim_end())
        }
    }
}

/// Parses a duration on the command line.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "must be a number with a unit, such as 90d, 12h or 30min".to_owned())
}

/// The current Unix timestamp.
fn now() -> i64 {
    chrono::Utc::now().timestamp()
}
