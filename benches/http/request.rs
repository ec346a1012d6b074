//! What is asked of the server.

use hyper::{Method, header::HeaderValue};

/// The root of the interface.
const ROOT: &str = "/calendar/events/v1";

/// One request.
#[derive(Clone, Debug)]
pub struct RequestSpec {
    pub method: Method,
    pub path: String,
    pub if_none_match: Option<HeaderValue>,
    /// JSON. A request with a body is one that writes, and has credentials.
    pub body: Option<String>,
}

impl RequestSpec {
    /// A read. The path is below the root of the interface.
    pub fn get(path: &str) -> Self {
        Self {
            method: Method::GET,
            path: format!("{ROOT}{path}"),
            if_none_match: None,
            body: None,
        }
    }

    /// A write.
    pub fn write(method: Method, path: &str, body: String) -> Self {
        Self {
            method,
            path: format!("{ROOT}{path}"),
            if_none_match: None,
            body: Some(body),
        }
    }
}
