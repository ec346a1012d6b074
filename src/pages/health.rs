//! Health checks and metrics.

use std::{sync::OnceLock, time::Duration};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use poem::{IntoResponse, Request, Response, handler, http::StatusCode};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    Almanac,
    calendar::date::format_utc,
    error::Problem,
    store::{self, Refusal, failure::StorageFailure},
};

/// Upper bounds of the buckets of the request duration, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// How often recorded samples are aggregated.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// How long `/readyz` waits for the database.
const READINESS_TIMEOUT: Duration = Duration::from_millis(900);

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Installs the metrics recorder. Later calls do nothing: a process has one recorder.
pub fn start_recording() {
    RECORDER.get_or_init(|| {
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)
            .ok()?
            .install_recorder()
            .ok()?;
        StorageFailure::register_counters();
        run_upkeep(recorder.clone());
        Some(recorder)
    });
}

/// Aggregates samples at an interval, as they would otherwise accumulate in memory until the next scrape.
fn run_upkeep(recorder: PrometheusHandle) {
    let upkeep = move || {
        loop {
            std::thread::sleep(UPKEEP_INTERVAL);
            recorder.run_upkeep();
        }
    };
    let started = std::thread::Builder::new().name("metrics".to_owned()).spawn(upkeep);
    if let Err(error) = started {
        tracing::warn!(%error, "metrics are aggregated only when they are scraped");
    }
}

/// Liveness: the process is running.
#[handler]
pub(crate) fn liveness() -> Response {
    poem::web::Json(json!({"status": "ok"})).into_response()
}

/// Readiness: the database responds, its schema is current, and the server is not shutting down. The body states
/// whether writes are accepted, which readiness does not require.
#[handler]
pub(crate) async fn readiness(request: &Request) -> Result<Response, Problem> {
    let almanac = Almanac::of(request)?;
    if almanac.draining.has_begun() {
        let stopping = poem::web::Json(json!({"status": "stopping"}));
        return Ok(stopping.with_status(StatusCode::SERVICE_UNAVAILABLE).into_response());
    }
    let is_current = almanac.store.bounded(store::is_schema_current(almanac.store.reader()));
    let is_current = timeout(READINESS_TIMEOUT, is_current)
        .await
        .map_err(|_| Problem::unavailable("the database takes too long to respond"))?
        .map_err(Problem::unavailable)?;
    if !is_current {
        return Err(Problem::unavailable("the database schema is not the current one"));
    }
    let body = match almanac.store.refusal() {
        None => json!({"status": "ok", "writes": "accepted"}),
        Some(Refusal { since, reason }) => json!({
            "status": "ok",
            "writes": "refused",
            "reason": reason.to_string(),
            "since": format_utc(since),
        }),
    };
    Ok(poem::web::Json(body).into_response())
}

/// Metrics in the Prometheus text format.
#[handler]
pub(crate) fn metrics() -> Response {
    let text = RECORDER
        .get()
        .and_then(Option::as_ref)
        .map(PrometheusHandle::render)
        .unwrap_or_default();
    Response::builder()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(text)
}
