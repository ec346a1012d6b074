//! Normalisation of a request as in WordPress, before it is routed: path, method and credentials.

use poem::{
    Request,
    http::{
        Method, Uri, header,
        uri::{Parts, PathAndQuery},
    },
    web::headers::{
        Authorization, HeaderMapExt,
        authorization::{Basic, Bearer},
    },
};
use url::form_urlencoded;

use super::route::PREFIX;
use crate::{auth::secret::TOKEN_PREFIX, middleware::cors::METHODS};

/// The query parameter for the route, which WordPress sites without pretty permalinks use.
const ROUTE_PARAMETER: &str = "rest_route";
/// Query parameter and header for the method, from clients that can only send GET and POST.
const METHOD_PARAMETER: &str = "_method";
const METHOD_HEADER: &str = "x-http-method-override";

/// Normalises a request to the compatibility root. Other requests are unchanged.
pub(crate) fn rewrite_request(mut request: Request) -> Request {
    for rewrite in [from_rest_route, canonical_path] {
        if let Some(uri) = rewrite(request.uri()) {
            *request.uri_mut() = uri;
        }
    }
    let path = request.uri().path();
    if path == PREFIX || path.starts_with("/wp-json/") {
        if let Some(method) = overriding_method(&request) {
            request.set_method(method);
            let query = request.uri().query().unwrap_or_default();
            let query = remove_parameters(query, |name| name == METHOD_PARAMETER);
            if let Some(uri) = with_path_and_query(request.uri(), request.uri().path(), &query) {
                *request.uri_mut() = uri;
            }
        }
        if !has_known_credentials(&request) {
            request.headers_mut().remove(header::AUTHORIZATION);
        }
    }
    request
}

/// The URI of the path in `?rest_route=`.
fn from_rest_route(uri: &Uri) -> Option<Uri> {
    let query = uri.query()?;
    if !matches!(uri.path(), "/" | "/index.php") {
        return None;
    }
    let (_, route) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == ROUTE_PARAMETER)?;
    let route = route.trim_start_matches('/');
    // Percent-encodes characters that are not allowed in a path.
    let mut url = url::Url::parse("http://host/").ok()?;
    url.set_path(&format!("{PREFIX}/{route}"));
    let query = remove_parameters(query, |name| name == ROUTE_PARAMETER);
    with_path_and_query(uri, url.path(), &query)
}

/// The URI in lower case and without the prefix `/index.php`, which sites without URL rewriting have.
fn canonical_path(uri: &Uri) -> Option<Uri> {
    let path = uri.path().to_ascii_lowercase();
    let path = path.strip_prefix("/index.php").unwrap_or(&path);
    let is_below = path == PREFIX || path.starts_with("/wp-json/");
    if !is_below || path == uri.path() {
        return None;
    }
    with_path_and_query(uri, path, uri.query().unwrap_or_default())
}

/// Replaces path and query of a URI.
pub(super) fn with_path_and_query(uri: &Uri, path: &str, query: &str) -> Option<Uri> {
    let path_and_query = match query {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    };
    let mut parts: Parts = uri.clone().into_parts();
    parts.path_and_query = Some(path_and_query.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

/// Removes the parameters with these names from a query.
pub(super) fn remove_parameters(query: &str, is_removed: impl Fn(&str) -> bool) -> String {
    let is_kept = |pair: &&str| {
        let mut pairs = form_urlencoded::parse(pair.as_bytes());
        pairs.next().is_none_or(|(name, _)| !is_removed(&name))
    };
    let others: Vec<&str> = query.split('&').filter(is_kept).collect();
    others.join("&")
}

/// The method that overrides POST. The parameter takes precedence over the header. Other methods can't be overridden: a
/// link on another site, which is a GET, must not become a write.
fn overriding_method(request: &Request) -> Option<Method> {
    if request.method() != Method::POST {
        return None;
    }
    let query = request.uri().query().unwrap_or_default();
    let parameter = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == METHOD_PARAMETER)
        .map(|(_, method)| method.into_owned());
    let name = parameter.or_else(|| request.header(METHOD_HEADER).map(str::to_owned))?;
    let is_named = |method: &Method| method.as_str().eq_ignore_ascii_case(name.trim());
    // No route accepts TRACE. The unknown name must not become a label of a metric.
    Some(METHODS.into_iter().find(is_named).unwrap_or(Method::TRACE))
}

/// Whether the credentials have a known form: Basic, or a token of this server. As WordPress does, others are ignored.
fn has_known_credentials(request: &Request) -> bool {
    let headers = request.headers();
    headers.typed_get::<Authorization<Basic>>().is_some()
        || headers
            .typed_get::<Authorization<Bearer>>()
            .is_some_and(|bearer| bearer.token().starts_with(TOKEN_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(method: Method, uri: &str, headers: &[(&str, &str)]) -> Request {
        let mut builder = Request::builder().method(method).uri_str(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        rewrite_request(builder.finish())
    }

    #[test]
    fn rest_route_parameter() {
        for (uri, expected) in [
            (
                "/?rest_route=/tribe/events/v1/events&per_page=3",
                "/wp-json/tribe/events/v1/events?per_page=3",
            ),
            (
                "/index.php?a=1&rest_route=%2Ftribe%2Fevents%2Fv1",
                "/wp-json/tribe/events/v1?a=1",
            ),
            ("/?rest_route=/", "/wp-json/"),
            ("/?rest_route=/a%20b%3Fc", "/wp-json/a%20b%3fc"),
            ("/event/x?rest_route=/a", "/event/x?rest_route=/a"),
            ("/?a=1", "/?a=1"),
        ] {
            let request = rewritten(Method::GET, uri, &[]);
            assert_eq!(request.uri().to_string(), expected, "{uri}");
        }
    }

    #[test]
    fn path_normalisation() {
        for (uri, expected) in [
            (
                "/WP-JSON/Tribe/Events/V1/Events?Search=Jazz",
                "/wp-json/tribe/events/v1/events?Search=Jazz",
            ),
            ("/index.php/wp-json/tribe/events/v1", "/wp-json/tribe/events/v1"),
            ("/Index.PHP/WP-JSON", "/wp-json"),
            ("/?rest_route=/Tribe/Events/v1", "/wp-json/tribe/events/v1"),
            ("/index.php/event/X", "/index.php/event/X"),
            ("/Event/X", "/Event/X"),
        ] {
            let request = rewritten(Method::GET, uri, &[]);
            assert_eq!(request.uri().to_string(), expected, "{uri}");
        }
    }

    #[test]
    fn method_override_below_root_only() {
        let header = [("x-http-method-override", "put")];
        for (uri, headers, expected) in [
            ("/wp-json/tribe/events/v1/tags/5", &header[..], Method::PUT),
            ("/wp-json/a?_method=DELETE&b=1", &header[..], Method::DELETE),
            ("/calendar/events/v1/tags/5", &header[..], Method::POST),
            ("/wp-json/a?_method=nonsense", &[][..], Method::TRACE),
            ("/wp-json/a", &[][..], Method::POST),
        ] {
            let request = rewritten(Method::POST, uri, headers);
            assert_eq!(request.method(), expected, "{uri}");
        }
        let request = rewritten(Method::POST, "/wp-json/a?_method=DELETE&b=1", &[]);
        assert_eq!(request.uri().to_string(), "/wp-json/a?b=1");
    }

    #[test]
    fn only_post_is_overridden() {
        let header = [("x-http-method-override", "DELETE")];
        for method in METHODS.into_iter().filter(|method| *method != Method::POST) {
            for (uri, headers) in [("/wp-json/a?_method=DELETE", &[][..]), ("/wp-json/a", &header)] {
                let request = rewritten(method.clone(), uri, headers);
                assert_eq!(request.method(), method, "{uri}");
            }
        }
    }

    #[test]
    fn unknown_credentials_are_removed() {
        for (value, kept) in [
            ("Basic YWRtaW46c2VjcmV0", true),
            ("Basic ???", false),
            ("Bearer alm_abc", true),
            ("Bearer eyJhbGciOi", false),
            ("Digest x", false),
        ] {
            let headers = [("authorization", value)];
            let request = rewritten(Method::GET, "/wp-json/a", &headers);
            assert_eq!(request.headers().contains_key("authorization"), kept, "{value}");
            let native = rewritten(Method::GET, "/calendar/events/v1/events", &headers);
            assert!(native.headers().contains_key("authorization"), "{value}");
        }
    }
}
