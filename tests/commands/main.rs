//! The command line: exit codes, output and effects of the real program.

#[allow(dead_code, unused_imports, reason = "other test targets use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod backup;
mod check;
mod database_file;
mod export;
mod healthcheck;
mod log;
mod output;
mod password_file;
mod read_only;
mod readme;
mod renewal;
mod sample_calendar;
mod serve;
mod service;
mod time_zones;
mod tokens;
mod trash;
mod usage;
mod users;
mod webhooks;
