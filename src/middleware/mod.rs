//! The layers around all routes, and what they share. [`crate::server`] lists them in their order.

pub mod access_log;
pub mod allowed_methods;
pub mod base_url;
pub mod body_limit;
pub mod body_prefetch;
pub mod cache_headers;
pub mod compression;
pub mod cors;
pub mod cross_site;
pub mod error_body;
pub mod etag;
pub mod forwarded;
pub mod host_header;
pub mod layers;
pub mod login_limit;
pub mod negotiation;
pub mod not_modified;
pub mod rate_limit;
pub mod redact;
pub mod response_cache;
