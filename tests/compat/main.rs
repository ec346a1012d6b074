//! The compatibility root, as clients of The Events Calendar for WordPress see it.

#[allow(dead_code, unused_imports, reason = "the tests of the interface use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod clients;
mod controls;
mod discovery;
mod exchanges;
mod me;
mod names;
mod round_trips;
mod shape;
mod switch;
mod terms;
mod trash;
