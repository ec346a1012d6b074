//! Almanac: an event calendar server. See README.md for what it does, and [`server`] for how a request goes
//! through it.

// `command::output` prints, and copes with pipes whose reader is gone.
#![deny(clippy::print_stdout)]

pub mod api;
pub mod auth;
pub mod calendar;
pub mod command;
pub mod compat;
pub mod config;
pub mod demo;
pub mod edge;
pub mod edit;
pub mod listen;
#[path = "../migrations/mod.rs"]
pub mod migrations;
pub mod pages;
pub mod server;
pub mod store;
pub mod tzdata;
pub mod view;
pub mod wire;

use api::document::Documents;
use config::Settings;
use edge::{cache::Cache, logins::Logins, rate::Limiter};
use listen::Draining;
use store::Store;

/// What all requests of one server share.
pub struct Almanac {
    pub store: Store,
    pub settings: Settings,
    pub documents: Documents,
    pub logins: Logins,
    /// Where `--rate-limit` is given.
    pub requests: Option<Limiter>,
    /// Unless `--cache-size` is 0.
    pub cache: Option<Cache>,
    pub draining: Draining,
}

impl Almanac {
    /// A service on a database that is at the present schema.
    pub fn new(store: Store, settings: Settings) -> Self {
        Self {
            store,
            documents: Documents::new(settings.variant, settings.language),
            requests: settings.rate_limit.map(edge::rate::limiter),
            logins: Logins::default(),
            cache: Cache::of_size(settings.cache_size),
            draining: Draining::default(),
            settings,
        }
    }
}
