//! Descriptions of requests.

use hyper::{Method, header::HeaderValue};

/// The root of the native API.
const ROOT: &str = "/calendar/events/v1";

/// A request to the server.
#[derive(Clone, Debug)]
pub(crate) struct RequestSpec {
    pub method: Method,
    pub path: String,
    pub if_none_match: Option<HeaderValue>,
    pub accepts_gzip: bool,
    /// JSON. Requests with a body are sent with credentials.
    pub body: Option<String>,
}

impl RequestSpec {
    /// A read of a path below the root.
    pub(crate) fn get(path: &str) -> Self {
        Self {
            method: Method::GET,
            path: format!("{ROOT}{path}"),
            if_none_match: None,
            accepts_gzip: false,
            body: None,
        }
    }

    /// A write to a path below the root.
    pub(crate) fn write(method: Method, path: &str, body: String) -> Self {
        Self {
            method,
            path: format!("{ROOT}{path}"),
            if_none_match: None,
            accepts_gzip: false,
            body: Some(body),
        }
    }
}
