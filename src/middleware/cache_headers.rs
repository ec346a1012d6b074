//! The headers for caches between the server and its clients, and in browsers (RFC 9111).

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderValue, Method, StatusCode, header},
};

use super::layers::LayeredEndpoint;

/// The request headers that select a representation.
const VARY: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Encoding, Accept-Language, Authorization, Origin, Prefer");

/// Adds `Vary` and `Cache-Control` to every response. Errors need them too, because caches may store 404 and 410 by
/// default. Must be outside the CORS layer, which overwrites `Vary`.
pub(crate) async fn add(next: LayeredEndpoint, request: Request) -> Result<Response> {
    let is_read = request.method() == Method::GET || request.method() == Method::HEAD;
    let is_anonymous = !request.headers().contains_key(header::AUTHORIZATION);
    let mut response = next.get_response(request).await;
    let is_cacheable = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    headers.insert(header::VARY, VARY);
    // Browsers must not guess that a text in a response is a page or a script.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(if is_read && is_anonymous && is_cacheable {
            HeaderValue::from_static("public, no-cache")
        } else {
            HeaderValue::from_static("private, no-store")
        });
    Ok(response)
}
