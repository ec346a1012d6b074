//! Domain rules without I/O: dates and time zones, windows, costs, slugs, text and publication status.
//!
//! The lowest layer, which depends on no other module of the crate. The current time and the site's time zone are
//! arguments. Time zone rules other than the bundled ones are installed when the process starts ([`tzdb::install`]).

mod absolute_date;
pub(crate) mod cost;
pub(crate) mod currency;
pub(crate) mod date;
pub(crate) mod event_status;
pub(crate) mod geo;
pub(crate) mod html;
mod jiff_conversion;
mod kind;
mod language;
pub(crate) mod local_time;
pub(crate) mod observance;
pub(crate) mod recurrence;
pub(crate) mod relative_date;
pub(crate) mod search;
pub(crate) mod slug;
pub(crate) mod status;
mod term_reference;
pub(crate) mod text;
pub(crate) mod title_key;
pub(crate) mod tzdb;
pub(crate) mod uploads;
mod variant;
pub(crate) mod window;
pub(crate) mod words;
pub(crate) mod zone;
pub(crate) mod zone_2025b;
#[cfg(test)]
mod zone_oracle;

pub(crate) use kind::Kind;
pub use language::Language;
pub use term_reference::TermReference;
pub use variant::Variant;
