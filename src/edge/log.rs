//! One line in the log and one count in the metrics for each request, under its request id.

use std::{sync::Arc, time::Instant};

use poem::{
    Endpoint, IntoResponse, Request, Response, Result,
    http::{HeaderName, HeaderValue},
};
use tracing::Instrument;

use super::address::Address;
use crate::Almanac;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id that is taken over from a proxy.
const LENGTH: usize = 64;

/// Runs the request in a span with its id, which the answer carries too.
pub async fn log<E: Endpoint>(next: Arc<E>, mut request: Request) -> Result<Response> {
    let id = given_id(&request).unwrap_or_else(new_id);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let address = request
        .data::<Arc<Almanac>>()
        .map(|almanac| Address::known(&request, &almanac.settings));
    let client = address.as_ref().map(|address| address.client);
    if let Some(address) = address {
        request.set_data(address);
    }
    let span = tracing::info_span!("request", id = %id);
    let started = Instant::now();
    let mut response = match next.call(request).instrument(span.clone()).await {
        Ok(response) => response.into_response(),
        Err(error) => error.into_response(),
    };
    let elapsed = started.elapsed();
    let status = response.status().as_u16();
    span.in_scope(|| {
        tracing::info!(
            %method,
            path,
            status,
            client = client.map(|client| client.to_string()),
            milliseconds = elapsed.as_secs_f64() * 1000.0,
            "answered"
        );
    });
    let labels = [
        ("method", method.to_string()),
        ("status", status.to_string()),
    ];
    metrics::counter!("almanac_requests_total", &labels).increment(1);
    metrics::histogram!("almanac_request_seconds", &labels).record(elapsed.as_secs_f64());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    Ok(response)
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
