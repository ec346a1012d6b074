//! Almanac: an event calendar server. README.md describes its use, and [`server`] lists the layers and routes that
//! process a request.

// Use `commands::output`, which handles closed pipes.
#![deny(clippy::print_stdout)]

mod api;
mod auth;
mod calendar;
mod changes;
mod commands;
mod compat;
mod config;
mod demo;
mod egress;
mod error;
mod extract;
mod feeds;
mod import;
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
mod transfer;
mod tzdata;
mod views;
mod webhooks;

use std::{net::IpAddr, sync::Arc};

use api::document::Documents;
use changes::Listeners;
pub use commands::{output::print_error_line, parse, run};
use config::Settings;
use error::Problem;
use feeds::LinkedCaches;
use listen::Draining;
use middleware::{idempotency::KeysInProgress, login_limit::FailedLogins, rate_limit::Limiter, response_cache::Cache};
use pages::calendar::{Choices, ChoicesCache, MonthCache, MonthEvents};
use store::{Store, calendar_uuid::CalendarUuid};
use views::shared::SharedViews;

/// The state that all requests of a server share.
pub struct Almanac {
    /// The database.
    pub store: Store,
    /// The flags and environment variables of the start.
    pub settings: Settings,
    /// The OpenAPI documents as served.
    pub documents: Documents,
    /// The failed logins of the last minutes, by address and user.
    pub failed_logins: FailedLogins,
    /// The idempotency keys of requests in progress.
    pub keys_in_progress: KeysInProgress,
    /// None without `--rate-limit`.
    pub rate_limiter: Option<Limiter<IpAddr>>,
    /// None if `--cache-size` is 0.
    pub cache: Option<Cache>,
    /// The representations that many events contain.
    pub(crate) shared_views: SharedViews,
    /// The UUID of the calendar.
    pub(crate) calendar_uuid: CalendarUuid,
    /// What the events of feeds link to.
    pub(crate) linked: LinkedCaches,
    /// The options of the filter bar of pages.
    pub(crate) choices: ChoicesCache,
    /// The events of months on pages.
    pub(crate) months: MonthCache,
    /// The listeners of the stream of changes.
    pub(crate) listeners: Listeners,
    /// Whether the server has begun to shut down.
    pub draining: Draining,
}

impl Almanac {
    /// The server that handles the request.
    pub fn of(request: &poem::Request) -> Result<&Arc<Self>, Problem> {
        request
            .data()
            .ok_or_else(|| Problem::internal("the request has no server state"))
    }

    /// The state of a server whose database has the current schema.
    pub fn new(store: Store, settings: Settings) -> Self {
        Self {
            store: match settings.cache_size {
                0 => store.uncached(),
                _ => store,
            },
            documents: Documents::new(settings.variant, settings.language),
            rate_limiter: settings.rate_limit.map(Limiter::per_second),
            failed_logins: FailedLogins::default(),
            keys_in_progress: KeysInProgress::default(),
            cache: Cache::with_mebibytes(settings.cache_size),
            shared_views: SharedViews::default(),
            calendar_uuid: CalendarUuid::default(),
            linked: LinkedCaches::default(),
            choices: Choices::cache(),
            months: MonthEvents::cache(),
            listeners: Listeners::default(),
            draining: Draining::default(),
            settings,
        }
    }
}
