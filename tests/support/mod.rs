//! A real server on a real database, and HTTP clients for it.

#[allow(dead_code, reason = "tests of pages mostly read")]
mod client;
#[allow(dead_code, reason = "most tests use the shared cluster")]
pub(crate) mod cluster;
mod database;
#[allow(dead_code, reason = "most tests do not call PostgreSQL's programs")]
pub(crate) mod postgres;
#[allow(dead_code, reason = "most tests run the server in their own process")]
pub(crate) mod program;
#[allow(dead_code, reason = "most tests use an HTTP library")]
pub(crate) mod raw;
#[allow(dead_code, reason = "few tests receive requests")]
pub(crate) mod receiver;
mod server;
#[allow(dead_code, reason = "few tests depend on other programs")]
pub(crate) mod skipped;
#[allow(dead_code, reason = "most tests use the bundled rules")]
pub(crate) mod tzdata;
#[allow(dead_code, reason = "few tests wait")]
pub(crate) mod wait;

pub(crate) use client::{Client, Response};
pub(crate) use database::Database;
pub(crate) use server::Server;

/// Defines tests that run on SQLite and on PostgreSQL. Each has the [`Database`] as its parameter.
#[macro_export]
macro_rules! on_both_databases {
    ($($(#[$attribute:meta])* async fn $name:ident($database:ident) $body:block)*) => {
        $($(#[$attribute])* async fn $name($database: $crate::support::Database) $body)*

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
