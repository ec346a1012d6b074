//! Entity tags (RFC 9110, section 8.8.3).

use std::sync::Arc;

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderValue, StatusCode, header},
};
use sha2::{Digest, Sha256};

use crate::response::{ResponseMeta, body_length};

/// Adds an entity tag to a successful response to a read, or to a write of an object. Streams and responses with a tag pass
/// unchanged.
pub(crate) async fn add<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
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
    let tag = entity_tag(version, &bytes);
    if let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response.set_body(bytes);
    Ok(response)
}

/// The version of the object, for `If-Match`, and a hash of the body, which also changes with embedded objects, the
/// language and the requested root.
fn entity_tag(version: Option<i64>, bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hash: String = digest[..10].iter().map(|byte| format!("{byte:02x}")).collect();
    match version {
        Some(version) => format!("\"{version}-{hash}\""),
        None => format!("\"{hash}\""),
    }
}
