//! The compatibility root, for clients of The Events Calendar for WordPress.

#[allow(dead_code, unused_imports, reason = "other tests use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod batches;
mod clients;
mod current_user;
mod disabled;
mod discovery;
mod exchanges;
mod global_parameters;
mod name_reuse;
mod round_trips;
mod shape;
mod terms;
mod trash;
mod urls;
