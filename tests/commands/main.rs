//! The command line, as a person types it: the real program, its exit codes and what it prints.

#[allow(dead_code, unused_imports, reason = "the tests of the interface use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod database_file;
mod healthcheck;
mod log;
mod output;
mod password_file;
mod readme;
mod serve;
mod service;
mod time_zones;
mod tokens;
mod trash;
mod usage;
mod users;
