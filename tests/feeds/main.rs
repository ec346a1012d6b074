//! Feeds over HTTP, against a real server and a real database. `tests/subscribers` reads them with other programs.

#[allow(dead_code, unused_imports, reason = "other tests use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod calendar;
mod fixtures;
mod full_calendar;
mod http;
mod items;
mod queries;
mod series;
mod stream;
mod wordpress;
