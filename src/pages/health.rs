//! What machines ask that watch the server.

use std::{sync::OnceLock, time::Duration};

use chrono::SecondsFormat;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use poem::{IntoResponse, Request, Response, handler, http::StatusCode};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    Almanac,
    error::Problem,
    store::{self, Refusal, failure::StorageFailure},
};

/// Upper bounds of the buckets of request times, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// How often measured times are summed up.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// How long `/readyz` waits for the database.
const READINESS_TIMEOUT: Duration = Duration::from_millis(900);

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts to count. Later calls change nothing: a process has one recorder.
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

/// Each time that is measured waits in memory until it is summed up, whether anybody asks for metrics or not.
fn run_upkeep(recorder: PrometheusHandle) {
    let upkeep = move || {
        loop {
            std::thread::sleep(UPKEEP_INTERVAL);
            recorder.run_upkeep();
        }
    };
    let started = std::thread::Builder::new().name("metrics".to_owned()).spawn(upkeep);
    if let Err(error) = started {
        tracing::warn!(%error, "metrics are summed up only when they are asked for");
    }
}

/// The process is up.
#[handler]
pub fn liveness() -> Response {
    poem::web::Json(json!({"status": "ok"})).into_response()
}

/// The database answers, its schema is the present one, and the server is not about to stop. Whether it takes writes is
/// in the body: reads work without.
#[handler]
pub async fn readiness(request: &Request) -> Result<Response, Problem> {
    let almanac = Almanac::of(request)?;
    if almanac.draining.has_begun() {
        let stopping = poem::web::Json(json!({"status": "stopping"}));
        return Ok(stopping.with_status(StatusCode::SERVICE_UNAVAILABLE).into_response());
    }
    let is_current = almanac.store.bounded(store::is_present(almanac.store.reader()));
    let is_current = timeout(READINESS_TIMEOUT, is_current)
        .await
        .map_err(|_| Problem::unavailable("the database takes too long to respond"))?
        .map_err(Problem::unavailable)?;
    if !is_current {
        return Err(Problem::unavailable("the schema is not the present one"));
    }
    let body = match almanac.store.refusal() {
        None => json!({"status": "ok", "writes": "accepted"}),
        Some(Refusal { since, reason }) => json!({
            "status": "ok",
            "writes": "refused",
            "reason": reason.to_string(),
            "since": since.to_rfc3339_opts(SecondsFormat::Secs, true),
        }),
    };
    Ok(poem::web::Json(body).into_response())
}

/// Counts and times in Prometheus' text format.
#[handler]
pub fn metrics() -> Response {
    let text = RECORDER
        .get()
        .and_then(Option::as_ref)
        .map(PrometheusHandle::render)
        .unwrap_or_default();
    Response::builder()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(text)
}
