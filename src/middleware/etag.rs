//! How an answer leaves: its ETag, 304 for a reader who has it, compression, and how long it may be kept.

use std::sync::Arc;

use poem::{
    Endpoint, IntoResponse, Request, Response, Result,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    web::{Compress, CompressionAlgo, CompressionLevel},
};
use sha2::{Digest, Sha256};

use crate::response::ResponseMeta;

/// Shorter answers are not compressed: it would make them longer.
const LEAST: usize = 1024;
/// What an answer may depend on beside its address.
const VARY: HeaderValue = HeaderValue::from_static("Accept, Accept-Encoding, Accept-Language, Authorization, Origin");

/// Finishes the answers of all endpoints: gives them their ETag, and compresses them. Assets come finished.
pub async fn finish<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    let takes_gzip = accepts_gzip(request.headers());
    let is_delete = request.method() == Method::DELETE;
    let mut response = next.call(request).await?;
    let is_finished = response.headers().contains_key(header::ETAG);
    if !response.status().is_success() || response.status() == StatusCode::NO_CONTENT || is_finished {
        return Ok(response);
    }
    let bytes = response.take_body().into_bytes().await?;
    let is_compressed = takes_gzip && bytes.len() >= LEAST;
    let tag = entity_tag(ResponseMeta::of(&response).version, &bytes, is_compressed);
    if !is_delete && let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response.set_body(bytes);
    if is_compressed {
        let compressed = Compress::new(response, CompressionAlgo::GZIP);
        let mut response = compressed.with_quality(CompressionLevel::Fastest).into_response();
        // The length is known only to a body that is not streamed.
        let bytes = response.take_body().into_bytes().await?;
        response.set_body(bytes);
        return Ok(response);
    }
    Ok(response)
}

/// Answers HEAD as GET, whose body the connection then leaves out, and leaves out what the reader has already.
pub async fn not_modified<E: Endpoint<Output = Response>>(next: Arc<E>, mut request: Request) -> Result<Response> {
    match *request.method() {
        Method::GET => {}
        Method::HEAD => request.set_method(Method::GET),
        _ => return next.call(request).await,
    }
    let known = Known::of(request.headers());
    let mut response = next.call(request).await?;
    if known.has(response.headers()) {
        response.set_status(StatusCode::NOT_MODIFIED);
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_ENCODING);
        response.take_body();
    }
    Ok(response)
}

/// Says of every answer what it depends on and how long it may be kept, errors too: caches keep 404 and 410
/// unasked. It stands outside the CORS layer, which has its own idea of `Vary`.
pub async fn cache_headers<E: Endpoint>(next: Arc<E>, request: Request) -> Result<Response> {
    let is_read = request.method() == Method::GET || request.method() == Method::HEAD;
    let is_anonymous = !request.headers().contains_key(header::AUTHORIZATION);
    let mut response = next.get_response(request).await;
    let may_be_kept = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    headers.insert(header::VARY, VARY);
    // No browser is to take a text in an answer for a page or a script.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(if is_read && is_anonymous && may_be_kept {
            HeaderValue::from_static("public, no-cache")
        } else {
            HeaderValue::from_static("private, no-store")
        });
    Ok(response)
}

/// The object's own version, for `If-Match`, then what the bytes are: they hold the versions of everything that
/// is shown, in the reader's language, under the root that was asked.
fn entity_tag(version: Option<i64>, bytes: &[u8], is_compressed: bool) -> String {
    let digest = Sha256::digest(bytes);
    let hash: String = digest[..10].iter().map(|byte| format!("{byte:02x}")).collect();
    let encoding = if is_compressed { "-gzip" } else { "" };
    match version {
        Some(version) => format!("\"{version}-{hash}{encoding}\""),
        None => format!("\"{hash}{encoding}\""),
    }
}

/// The tags of what the reader has.
struct Known(Vec<HeaderValue>);

impl Known {
    fn of(headers: &HeaderMap) -> Self {
        let tags = headers.get_all(header::IF_NONE_MATCH).iter();
        Self(tags.cloned().collect())
    }

    /// Whether the tag of the answer is among them. The comparison is weak (RFC 9110, section 13.1.2).
    fn has(&self, answer: &HeaderMap) -> bool {
        let tag = answer.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        self.0
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|known| known.trim().trim_start_matches("W/"))
            .any(|known| tag.is_some_and(|tag| known == "*" || known == tag))
    }
}

/// Whether the reader takes answers that are compressed.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let is_refused = parts
                .filter_map(|part| part.strip_prefix("q="))
                .any(|quality| quality.parse() == Ok(0.0_f32));
            is_gzip && !is_refused
        })
}
