//! Requests whose `Host` header is missing, doubtful or no host are refused (RFC 9112, section 3.2).

use std::sync::Arc;

use poem::{
    Endpoint, IntoResponse, Request, Response, Result,
    http::{Version, header},
};

use super::base_url::is_host;
use crate::error::Problem;

/// Answers 400 to a request that does not say for which host it is.
pub async fn require<E: Endpoint>(next: Arc<E>, request: Request) -> Result<Response> {
    match host_error(&request) {
        Some(message) => Err(Problem::bad_request("rest_invalid_host", message).into()),
        None => next.call(request).await.map(IntoResponse::into_response),
    }
}

/// What is wrong with the request's host.
fn host_error(request: &Request) -> Option<&'static str> {
    let mut lines = request.headers().get_all(header::HOST).iter();
    match (lines.next(), lines.next()) {
        // HTTP/2 has the authority in its place, and HTTP/1.0 need not have it.
        (None, _) => {
            (request.version() == Version::HTTP_11).then_some("A request of HTTP/1.1 must have a Host header.")
        }
        (Some(_), Some(_)) => Some("A request must have no more than one Host header."),
        (Some(host), None) => {
            // One without an authority has it empty.
            let is_valid = host.is_empty() || host.to_str().is_ok_and(is_host);
            (!is_valid).then_some(
                "The Host header must be a name or an address, with or without a port, as in example.org:8080.",
            )
        }
    }
}
