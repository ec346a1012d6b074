//! The access log and the metrics of requests.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bytes::Bytes;
use metrics::{Counter, Histogram, counter, histogram};
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderName, HeaderValue, Method, header},
};
use tracing::Instrument;

use super::{base_url::Address, layers::LayeredEndpoint, redact};
use crate::{Almanac, response::body_length};

/// The header with the ID of a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The methods that are labels of metrics. Others are counted as `other`.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The maximum length of a request ID from a proxy.
const MAX_ID_LENGTH: usize = 64;

/// The maximum length of a logged path, query or user agent, in characters.
const MAX_LOGGED_LENGTH: usize = 500;

/// The name of the authenticated user.
#[derive(Clone, Default)]
pub(crate) struct LoggedUser(Arc<OnceLock<String>>);

impl LoggedUser {
    /// Sets the user that the access log shows for the request.
    pub(crate) fn set(request: &Request, name: &str) {
        if let Some(Self(user)) = request.data() {
            // The same credentials may be checked twice.
            let _ = user.set(name.to_owned());
        }
    }
}

/// Processes the request in a span with its ID, adds the ID to the response, and logs and counts both.
pub(crate) async fn log(next: LayeredEndpoint, mut request: Request) -> Result<Response> {
    let id = incoming_id(&request).unwrap_or_else(new_id);
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = %id);
    let logged = (!span.is_disabled()).then(|| LoggedRequest::of(&request));
    let address = request
        .data::<Arc<Almanac>>()
        .map(|almanac| Address::known(&request, &almanac.settings));
    let client = address.as_ref().map(|address| address.client);
    if let Some(address) = address {
        request.set_data(address);
    }
    let user = LoggedUser::default();
    request.set_data(user.clone());
    let started = Instant::now();
    let result = next.call(request).instrument(span.clone()).await;
    let mut response = result.unwrap_or_else(poem::Error::into_response);
    let elapsed = started.elapsed();
    let status = response.status().as_u16();
    if let Some(logged) = logged {
        let bytes = match method {
            // The connection does not send the body.
            Method::HEAD => Some(0),
            _ => body_length(&mut response),
        };
        span.in_scope(|| {
            tracing::info!(
                %method,
                path = logged.path,
                query = logged.query,
                status,
                bytes,
                client = client.map(tracing::field::display),
                user = user.0.get(),
                user_agent = logged.user_agent,
                milliseconds = milliseconds(elapsed),
                "request completed"
            );
        });
    }
    count(&method, status, elapsed);
    if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(id)) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    Ok(response)
}

/// The logged parts of a request, copied before other layers change it.
struct LoggedRequest {
    path: String,
    query: Option<String>,
    user_agent: Option<String>,
}

impl LoggedRequest {
    fn of(request: &Request) -> Self {
        let uri = request.uri();
        let user_agent = request.headers().get(header::USER_AGENT);
        Self {
            path: redact::printable(uri.path(), MAX_LOGGED_LENGTH),
            query: uri
                .query()
                .map(|query| redact::printable(&redact::query(query), MAX_LOGGED_LENGTH)),
            user_agent: user_agent
                .map(|value| String::from_utf8_lossy(value.as_bytes()))
                .map(|agent| redact::printable(&agent, MAX_LOGGED_LENGTH)),
        }
    }
}

/// In milliseconds, rounded to two decimals.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 100_000.0).round() / 100.0
}

/// The metrics of the requests with one method and one response status.
struct RequestMetrics {
    requests: Counter,
    seconds: Histogram,
}

impl RequestMetrics {
    fn new(method: &'static str, status: u16) -> Self {
        let labels = [("method", method.to_owned()), ("status", status.to_string())];
        Self {
            requests: counter!("almanac_requests_total", &labels),
            seconds: histogram!("almanac_request_seconds", &labels),
        }
    }
}

fn count(method: &Method, status: u16, elapsed: Duration) {
    thread_local! {
        // Looking up a metric by its labels costs more than incrementing it. Each thread has its own map, without locks.
        static METRICS: RefCell<HashMap<(&'static str, u16), RequestMetrics>> = RefCell::default();
    }
    // Clients may invent methods, and metrics are never removed.
    let known = METHODS.iter().find(|known| **known == method.as_str());
    let name = known.copied().unwrap_or("other");
    METRICS.with_borrow_mut(|metrics| {
        let key = (name, status);
        let metric = metrics.entry(key).or_insert_with(|| RequestMetrics::new(name, status));
        metric.requests.increment(1);
        metric.seconds.record(elapsed.as_secs_f64());
    });
}

/// The request ID that the client or a proxy sent, if it is safe to log.
fn incoming_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (!id.is_empty() && id.len() <= MAX_ID_LENGTH && id.bytes().all(is_safe)).then(|| id.to_owned())
}

fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}
