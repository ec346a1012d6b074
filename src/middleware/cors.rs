//! Cross-origin resource sharing (the CORS protocol of the Fetch standard).

use poem::{
    Request,
    http::{Method, header},
    middleware::Cors,
};

use crate::config::AllowedOrigins;

/// All methods that a path may allow.
pub(crate) const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];

/// The middleware for the allowed origins. Credentials are never allowed.
pub(crate) fn cors(origins: &AllowedOrigins) -> Cors {
    let cors = Cors::new()
        .allow_methods(METHODS)
        .allow_headers([
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "If-Match",
            "If-None-Match",
            "Last-Event-ID",
            "Prefer",
            "X-HTTP-Method-Override",
            "X-WP-Nonce",
        ])
        .expose_headers([
            "ETag",
            "Idempotent-Replayed",
            "Link",
            "Location",
            "Preference-Applied",
            "Retry-After",
            "WWW-Authenticate",
            "X-Ignored",
            "X-Request-Id",
            "X-TEC-Total",
            "X-TEC-TotalPages",
            "X-WP-Total",
            "X-WP-TotalPages",
        ])
        .allow_credentials(false)
        .max_age(86_400);
    match origins {
        AllowedOrigins::All => cors,
        AllowedOrigins::Listed(origins) => origins
            .iter()
            .fold(cors, |cors, origin| cors.allow_origin(origin.as_str())),
    }
}

/// Removes the CORS headers from a request that is not a CORS request or has an origin that is not allowed. poem's
/// middleware would respond with an error, but the protocol requires a response without CORS headers.
pub(crate) fn strip_foreign_origin(origins: &AllowedOrigins, mut request: Request) -> Request {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let may_read = origin.is_some_and(|origin| origins.may_read(origin));
    let is_preflight = headers
        .get(header::ACCESS_CONTROL_REQUEST_METHOD)
        .and_then(|method| method.to_str().ok()?.parse::<Method>().ok())
        .is_some_and(|method| METHODS.contains(&method));
    let is_options = request.method() == Method::OPTIONS;
    let headers = request.headers_mut();
    if !may_read || (is_options && !is_preflight) {
        headers.remove(header::ORIGIN);
    }
    // A preflight response lists all allowed headers, regardless of the requested ones.
    headers.remove(header::ACCESS_CONTROL_REQUEST_HEADERS);
    request
}
