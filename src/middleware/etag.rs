//! Entity tags (RFC 9110, section 8.8.3).

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderValue, StatusCode, header},
};

use super::layers::LayeredEndpoint;
use crate::response::{ResponseMeta, body_length, entity_tag};

/// Adds an entity tag to a successful response to a read, or to a write of an object. Streams and responses with a tag pass
/// unchanged.
pub(crate) async fn add(next: LayeredEndpoint, request: Request) -> Result<Response> {
    let is_read = request.method().is_safe();
    let mut response = next.call(request).await?;
    let has_representation = response.status().is_success() && response.status() != StatusCode::NO_CONTENT;
    let has_tag = response.headers().contains_key(header::ETAG);
    let version = ResponseMeta::of(&response).version;
    let is_object = is_read || version.is_some();
    if !is_object || !has_representation || has_tag || body_length(&mut response).is_none() {
        return Ok(response);
    }
    let bytes = response.take_body().into_bytes().await?;
    // The bytes also change with embedded objects, the language and the requested root.
    let tag = entity_tag(version, &bytes);
    if let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response.set_body(bytes);
    Ok(response)
}
