//! The layers around all routes, and code that they share. [`crate::server`] lists the layers in their order.

pub(crate) mod access_log;
pub(crate) mod allowed_methods;
pub(crate) mod base_url;
pub(crate) mod batch_layers;
pub(crate) mod body_limit;
pub(crate) mod body_prefetch;
pub(crate) mod cache_headers;
pub(crate) mod compression;
pub(crate) mod cors;
pub(crate) mod cross_site;
pub(crate) mod error_body;
pub(crate) mod etag;
pub(crate) mod forwarded;
pub(crate) mod host_header;
pub(crate) mod idempotency;
pub(crate) mod layers;
pub(crate) mod login_limit;
pub(crate) mod negotiation;
pub(crate) mod not_modified;
pub(crate) mod rate_limit;
pub(crate) mod redact;
pub(crate) mod response_cache;
