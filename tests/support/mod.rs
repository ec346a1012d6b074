//! What the tests stand on: a real server on a real database, and a client that speaks HTTP to it.

mod client;
#[allow(dead_code, reason = "most tests use the cluster of their program")]
pub mod cluster;
mod database;
#[allow(dead_code, reason = "most tests do not call PostgreSQL's programs")]
pub mod postgres;
#[allow(dead_code, reason = "most tests run the server in their own process")]
pub mod program;
#[allow(dead_code, reason = "most tests speak HTTP through a library")]
pub mod raw;
mod server;
#[allow(dead_code, reason = "few tests depend on other programs")]
pub mod skipped;
#[allow(dead_code, reason = "most tests have the bundled rules")]
pub mod tzdata;

pub use client::{Client, Response};
pub use database::Database;
pub use server::Server;

/// Runs each test on SQLite and on PostgreSQL. A test is named as a sentence, and takes the [`Database`] on which
/// it starts its server.
#[macro_export]
macro_rules! on_both_databases {
    ($($(#[$attribute:meta])* async fn $name:ident($on:ident) $body:block)*) => {
        $($(#[$attribute])* async fn $name($on: $crate::support::Database) $body)*

        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::support::Database::sqlite()).await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(database) = $crate::support::Database::postgres() {
                    super::$name(database).await;
                }
            })*
        }
    };
}
