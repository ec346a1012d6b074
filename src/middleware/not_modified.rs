//! HEAD, and requests with `If-None-Match` (RFC 9110, sections 9.3.2 and 13.1.2).

use std::sync::Arc;

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

/// Turns HEAD into GET, whose body the connection does not send, and responds with 304 if the client already has the
/// response.
pub(crate) async fn check<E: Endpoint<Output = Response>>(next: Arc<E>, mut request: Request) -> Result<Response> {
    match *request.method() {
        Method::GET => {}
        Method::HEAD => request.set_method(Method::GET),
        _ => return next.call(request).await,
    }
    let if_none_match = IfNoneMatch::of(request.headers());
    let mut response = next.call(request).await?;
    if if_none_match.matches(response.headers()) {
        response.set_status(StatusCode::NOT_MODIFIED);
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_ENCODING);
        response.take_body();
    }
    Ok(response)
}

/// The entity tags that the client has.
struct IfNoneMatch(Vec<HeaderValue>);

impl IfNoneMatch {
    fn of(headers: &HeaderMap) -> Self {
        let tags = headers.get_all(header::IF_NONE_MATCH).iter();
        Self(tags.cloned().collect())
    }

    /// Whether the entity tag of the response is one of them, by the weak comparison.
    fn matches(&self, response: &HeaderMap) -> bool {
        let tag = response.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        self.0
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|known| known.trim().trim_start_matches("W/"))
            .any(|known| tag.is_some_and(|tag| known == "*" || known == tag))
    }
}
