//! One line in the log and one count in the metrics for each request, under its request id.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bytes::Bytes;
use metrics::{Counter, Histogram, counter, histogram};
use poem::{
    Endpoint, IntoResponse, Request, Response, Result,
    http::{HeaderName, HeaderValue, Method, header},
};
use tracing::{Instrument, Level};

use super::{base_url::Address, redact};
use crate::{Almanac, response::body_length};

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The methods that are counted by their names.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The longest request id that is taken over from a proxy.
const LENGTH: usize = 64;

/// The longest query, path and user agent in a line, in characters.
const LONGEST: usize = 500;

/// The name of the user who sent a request, once the credentials have been checked.
#[derive(Clone, Default)]
pub struct LoggedUser(Arc<OnceLock<String>>);

impl LoggedUser {
    /// Tells the log who sent the request.
    pub fn set(request: &Request, name: &str) {
        if let Some(Self(user)) = request.data() {
            // A second check of the same credentials finds the same user.
            let _ = user.set(name.to_owned());
        }
    }
}

/// Runs the request in a span with its id, which the answer carries too.
pub async fn log<E: Endpoint>(next: Arc<E>, mut request: Request) -> Result<Response> {
    let id = given_id(&request).unwrap_or_else(new_id);
    let method = request.method().clone();
    let received = tracing::enabled!(Level::INFO).then(|| Received::of(&request));
    let address = request
        .data::<Arc<Almanac>>()
        .map(|almanac| Address::known(&request, &almanac.settings));
    let client = address.as_ref().map(|address| address.client);
    if let Some(address) = address {
        request.set_data(address);
    }
    let user = LoggedUser::default();
    request.set_data(user.clone());
    let span = tracing::info_span!("request", id = %id);
    let started = Instant::now();
    let mut response = match next.call(request).instrument(span.clone()).await {
        Ok(response) => response.into_response(),
        Err(error) => error.into_response(),
    };
    let elapsed = started.elapsed();
    let status = response.status().as_u16();
    if let Some(received) = received {
        let bytes = match method {
            // The connection leaves the body out.
            Method::HEAD => Some(0),
            _ => body_length(&mut response),
        };
        span.in_scope(|| {
            tracing::info!(
                %method,
                path = received.path,
                query = received.query,
                status,
                bytes,
                client = client.map(tracing::field::display),
                user = user.0.get(),
                user_agent = received.user_agent,
                milliseconds = milliseconds(elapsed),
                "answered"
            );
        });
    }
    tally(&method, status, elapsed);
    if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(id)) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    Ok(response)
}

/// What a line shows of a request as it came in.
struct Received {
    path: String,
    query: Option<String>,
    user_agent: Option<String>,
}

impl Received {
    fn of(request: &Request) -> Self {
        let uri = request.uri();
        let user_agent = request.headers().get(header::USER_AGENT);
        Self {
            path: redact::printable(uri.path(), LONGEST),
            query: uri
                .query()
                .map(|query| redact::printable(&redact::query(query), LONGEST)),
            user_agent: user_agent
                .map(|value| String::from_utf8_lossy(value.as_bytes()))
                .map(|agent| redact::printable(&agent, LONGEST)),
        }
    }
}

/// To a hundredth of a millisecond.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 100_000.0).round() / 100.0
}

/// The metrics of all requests of one method that were answered with one status.
struct Tally {
    requests: Counter,
    seconds: Histogram,
}

impl Tally {
    fn new(method: &'static str, status: u16) -> Self {
        let labels = [("method", method.to_owned()), ("status", status.to_string())];
        Self {
            requests: counter!("almanac_requests_total", &labels),
            seconds: histogram!("almanac_request_seconds", &labels),
        }
    }
}

fn tally(method: &Method, status: u16, elapsed: Duration) {
    thread_local! {
        // To find a metric by its labels costs more than to count. No thread waits for another one here.
        static TALLIES: RefCell<HashMap<(&'static str, u16), Tally>> = RefCell::default();
    }
    // Anybody may make up methods; metrics are kept for ever.
    let known = METHODS.iter().find(|known| **known == method.as_str());
    let name = known.copied().unwrap_or("other");
    TALLIES.with_borrow_mut(|tallies| {
        let key = (name, status);
        let tally = tallies.entry(key).or_insert_with(|| Tally::new(name, status));
        tally.requests.increment(1);
        tally.seconds.record(elapsed.as_secs_f64());
    });
}

/// A request id that came with the request, if it is harmless.
fn given_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (!id.is_empty() && id.len() <= LENGTH && id.bytes().all(harmless)).then(|| id.to_owned())
}

fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}
