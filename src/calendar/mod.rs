//! The calendar's own rules: dates and zones, windows, prices, slugs, text and publication status.
//!
//! Nothing in here reads a clock, a file or a database, and nothing knows of HTTP: the time of now
//! and the site's zone are arguments, and other time zone rules than the bundled ones are handed in
//! at the start of a process. The other layers call down into this one, and it calls nobody.

mod absolute_date;
pub mod cost;
pub mod currency;
pub mod date;
pub mod geo;
pub mod html;
mod jiff_conversion;
mod kind;
pub mod local_time;
pub mod relative_date;
pub mod search;
pub mod slug;
pub mod status;
pub mod text;
pub mod tzdb;
mod variant;
pub mod window;
pub mod zone;
#[cfg(test)]
mod zone_oracle;

pub use kind::Kind;
pub use variant::Variant;
