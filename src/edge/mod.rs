//! What every request passes on its way in and out, whatever it asks.

pub mod address;
pub mod allow;
pub mod cache;
pub mod cors;
pub mod cross_site;
pub mod delivery;
pub mod forwarded;
pub mod host;
pub mod idle;
pub mod log;
pub mod logins;
pub mod negotiation;
pub mod prefetch;
pub mod problems;
pub mod rate;
pub mod redact;
pub mod request_body;
