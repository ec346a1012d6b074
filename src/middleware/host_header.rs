//! Validation of the `Host` header (RFC 9112, section 3.2).

use poem::{
    Request, Result,
    http::{Version, header},
};

use super::base_url::is_host;
use crate::error::Problem;

/// Responds with 400 to a request without exactly one valid host.
pub(crate) fn require(request: Request) -> Result<Request> {
    match host_error(&request) {
        Some(message) => Err(Problem::bad_request("rest_invalid_host", message).into()),
        None => Ok(request),
    }
}

/// The error of the `Host` header, if there is one.
fn host_error(request: &Request) -> Option<&'static str> {
    let mut lines = request.headers().get_all(header::HOST).iter();
    match (lines.next(), lines.next()) {
        // HTTP/2 has an authority instead, and HTTP/1.0 does not require it.
        (None, _) => (request.version() == Version::HTTP_11).then_some("An HTTP/1.1 request must have a Host header."),
        (Some(_), Some(_)) => Some("A request must not have more than one Host header."),
        (Some(host), None) => {
            // A target without an authority has an empty Host header.
            let is_valid = host.is_empty() || host.to_str().is_ok_and(is_host);
            (!is_valid).then_some(
                "The Host header must be a host name or an address with an optional port, such as example.org:8080.",
            )
        }
    }
}
