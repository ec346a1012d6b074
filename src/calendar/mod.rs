//! Domain rules without I/O: dates and time zones, windows, costs, slugs, text and publication status.
//!
//! The lowest layer: it depends on no other module of the crate. The current time and the site's time zone are
//! arguments. Time zone rules other than the bundled ones are installed when the process starts ([`tzdb::install`]).

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
mod term_reference;
pub mod text;
pub mod tzdb;
mod variant;
pub mod window;
pub mod zone;
pub mod zone_2025b;
#[cfg(test)]
mod zone_oracle;

pub use kind::Kind;
pub use term_reference::TermReference;
pub use variant::Variant;
