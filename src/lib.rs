//! Almanac: an event calendar server. See README.md for what it does, and [`server`] for how a request goes
//! through it.

// `commands::output` prints, and copes with pipes whose reader is gone.
#![deny(clippy::print_stdout)]

mod api;
mod auth;
mod calendar;
mod commands;
mod compat;
mod config;
mod demo;
mod error;
mod extract;
mod listen;
mod middleware;
#[path = "../migrations/mod.rs"]
mod migrations;
mod pages;
mod response;
mod server;
mod services;
mod store;
#[doc(hidden)]
pub mod testing;
mod tzdata;
mod views;

pub use commands::{output::print_error_line, parse, run};

use std::sync::Arc;

use api::document::Documents;
use config::Settings;
use error::Problem;
use listen::Draining;
use middleware::{login_limit::FailedLogins, rate_limit::Limiter, response_cache::Cache};
use store::Store;

/// What all requests of one server share.
pub struct Almanac {
    /// The database.
    pub store: Store,
    /// The flags and environment variables of the start.
    pub settings: Settings,
    /// The OpenAPI documents as served.
    pub documents: Documents,
    /// Recent failed logins, which are limited.
    pub failed_logins: FailedLogins,
    /// Where `--rate-limit` is given.
    pub rate_limiter: Option<Limiter>,
    /// Unless `--cache-size` is 0.
    pub cache: Option<Cache>,
    /// Whether the server has begun to shut down.
    pub draining: Draining,
}

impl Almanac {
    /// The server that handles the request.
    pub fn of(request: &poem::Request) -> Result<&Arc<Self>, Problem> {
        request
            .data()
            .ok_or_else(|| Problem::internal("no server behind the request"))
    }

    /// A service on a database that is at the present schema.
    pub fn new(store: Store, settings: Settings) -> Self {
        Self {
            store,
            documents: Documents::new(settings.variant, settings.language),
            rate_limiter: settings.rate_limit.map(middleware::rate_limit::limiter),
            failed_logins: FailedLogins::default(),
            cache: Cache::with_mebibytes(settings.cache_size),
            draining: Draining::default(),
            settings,
        }
    }
}
