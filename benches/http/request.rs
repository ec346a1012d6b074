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
    /// A read of a path of the site, such as that of a page.
    pub(crate) fn get_site(path: &str) -> Self {
        Self {
            method: Method::GET,
            path: path.to_owned(),
            if_none_match: None,
            accepts_gzip: false,
            body: None,
        }
    }

    /// A read of a path below the root.
    pub(crate) fn get(path: &str) -> Self {
        Self::get_site(&format!("{ROOT}{path}"))
    }

    /// Adds a parameter that the server ignores, so that the response is not cached. It has a unique name and no value:
    /// pages show each parameter with a value as a filter, and link to it.
    pub(crate) fn made_unique(self, number: u64) -> Self {
        let join = if self.path.contains('?') { '&' } else { '?' };
        Self {
            path: format!("{}{join}_{number}=", self.path),
            ..self
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
