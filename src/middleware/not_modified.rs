//! HEAD, and requests with `If-None-Match` or `If-Modified-Since` (RFC 9110, sections 9.3.2, 13.1.2 and 13.1.3).

use chrono::DateTime;
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

use super::layers::LayeredEndpoint;

/// Turns HEAD into GET, whose body the connection does not send, and responds with 304 if the client already has the
/// response.
pub(crate) async fn check(next: LayeredEndpoint, mut request: Request) -> Result<Response> {
    match *request.method() {
        Method::GET => {}
        Method::HEAD => request.set_method(Method::GET),
        _ => return next.call(request).await,
    }
    let conditions = Conditions::of(request.headers());
    let mut response = next.call(request).await?;
    if conditions.match_response(response.headers()) {
        response.set_status(StatusCode::NOT_MODIFIED);
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_ENCODING);
        response.take_body();
    }
    Ok(response)
}

/// The validators of the response that the client has.
pub(crate) struct Conditions {
    entity_tags: Vec<HeaderValue>,
    /// A Unix timestamp. None if there are entity tags, which take precedence.
    modified_since: Option<i64>,
}

impl Conditions {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let entity_tags: Vec<_> = headers.get_all(header::IF_NONE_MATCH).iter().cloned().collect();
        let modified_since = headers
            .get(header::IF_MODIFIED_SINCE)
            .filter(|_| entity_tags.is_empty());
        Self {
            modified_since: modified_since.and_then(timestamp),
            entity_tags,
        }
    }

    /// Whether the client has the response with these headers: by the weak comparison of entity tags, or by its date.
    pub(crate) fn match_response(&self, response: &HeaderMap) -> bool {
        let tag = response.get(header::ETAG).and_then(|tag| tag.to_str().ok());
        let tag = tag.map(|tag| tag.trim_start_matches("W/"));
        let has_tag = self
            .entity_tags
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|known| known.trim().trim_start_matches("W/"))
            .any(|known| tag.is_some_and(|tag| known == "*" || known == tag));
        let modified = || response.get(header::LAST_MODIFIED).and_then(timestamp);
        has_tag
            || self
                .modified_since
                .is_some_and(|since| modified().is_some_and(|modified| modified <= since))
    }
}

/// A date as a Unix timestamp. None if it is invalid.
fn timestamp(date: &HeaderValue) -> Option<i64> {
    let date = DateTime::parse_from_rfc2822(date.to_str().ok()?).ok()?;
    Some(date.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn headers(headers: &[(header::HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(header::HeaderName, &str)| (name.clone(), value.parse().expect("a value"));
        headers.iter().map(pair).collect()
    }

    #[test]
    fn conditions() {
        for (request, response, expected) in [
            (
                vec![(header::IF_NONE_MATCH, "\"a\"")],
                vec![(header::ETAG, "\"a\"")],
                true,
            ),
            (
                vec![(header::IF_NONE_MATCH, "\"b\", W/\"a\"")],
                vec![(header::ETAG, "W/\"a\"")],
                true,
            ),
            (
                vec![(header::IF_NONE_MATCH, "\"a\"")],
                vec![(header::ETAG, "W/\"a\"")],
                true,
            ),
            (
                vec![(header::IF_NONE_MATCH, "*")],
                vec![(header::ETAG, "W/\"a\"")],
                true,
            ),
            (
                vec![(header::IF_NONE_MATCH, "\"a\"")],
                vec![(header::ETAG, "\"b\"")],
                false,
            ),
            (vec![(header::IF_NONE_MATCH, "\"a\"")], vec![], false),
            (
                vec![(header::IF_MODIFIED_SINCE, DATE)],
                vec![(header::LAST_MODIFIED, DATE)],
                true,
            ),
            (
                vec![(header::IF_MODIFIED_SINCE, DATE)],
                vec![(header::LAST_MODIFIED, "Sun, 06 Nov 1994 08:49:38 GMT")],
                false,
            ),
            (
                vec![(header::IF_MODIFIED_SINCE, DATE), (header::IF_NONE_MATCH, "\"a\"")],
                vec![(header::LAST_MODIFIED, DATE), (header::ETAG, "\"b\"")],
                false,
            ),
            (
                vec![(header::IF_MODIFIED_SINCE, "yesterday")],
                vec![(header::LAST_MODIFIED, DATE)],
                false,
            ),
            (vec![(header::IF_MODIFIED_SINCE, DATE)], vec![], false),
            (
                vec![],
                vec![(header::LAST_MODIFIED, DATE), (header::ETAG, "\"b\"")],
                false,
            ),
        ] {
            let found = Conditions::of(&headers(&request)).match_response(&headers(&response));
            assert_eq!(found, expected, "{request:?} {response:?}");
        }
    }
}
