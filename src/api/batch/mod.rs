//! Batches: several writes in one request, in the format of WordPress
//! (<https://make.wordpress.org/core/2020/11/20/rest-api-batch-framework-in-wordpress-5-6/>).
//!
//! Each request of a batch is sent to the endpoints of its path like any other request. In a batch that is stored
//! completely or not at all, the store of each request is that of one transaction ([`Store::within`]).

pub(super) mod bulk_create;
mod context;
mod payload;
mod references;
mod request;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use sea_orm::DbErr;

use self::{
    bulk_create::BulkCreate,
    context::BatchContext,
    payload::Validation,
    references::{FailedDependency, resolve},
    request::BatchRequest,
};
pub(crate) use self::{
    context::{BatchEndpoint, is_in_batch},
    payload::BatchPayload,
};
use super::Tag;
use crate::{
    auth::Writer,
    error::Problem,
    extract::Create,
    response::{MultiStatus, Reply},
    store::{
        Store, Transaction,
        locks::{self, AdvisoryLock},
    },
    views::batch::{BatchResponseView, BatchView},
};

/// The endpoint of batches.
pub(crate) struct BatchApi;

/// How long the requests of one transaction may take. Other writers wait for them.
const TIME_LIMIT: Duration = Duration::from_secs(10);

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Batches")]
impl BatchApi {
    /// Run several writes
    ///
    /// Sends up to 100 writes of events, series, venues, organizers, categories and tags with one request. The responses
    /// have the order of the requests. By default, each request succeeds or fails on its own. With `require-all-validate`,
    /// everything is stored or nothing: if a request fails, `failed` is `validation`, and `responses` has the errors, and
    /// null for requests that would have succeeded.
    /// In `venue`, `organizer`, `categories`, `tags`, `parent` and `post_parent`, `$1.id` is the ID of the object to which
    /// the first request responds, for requests after it; if that has failed, they respond with 424. Each request counts
    /// towards the rate limit.
    #[oai(path = "/batch", method = "post", operation_id = "runBatch")]
    async fn run(
        &self,
        writer: Writer,
        context: BatchContext,
        body: Create<BatchPayload>,
    ) -> Result<MultiStatus<BatchView>, Problem> {
        let (payload, errors) = body.read().await?;
        errors.into_result()?;
        let (validation, requests) = payload.into_parts();
        let others = requests.len().saturating_sub(1);
        writer.count_requests(u32::try_from(others).unwrap_or(u32::MAX))?;
        let batch = Batch {
            context: context.with_login(writer.login.clone()),
            requests,
        };
        match validation {
            // In boxes, because the futures of all requests are inside of them, and the stack of a thread is small.
            Validation::Normal => Box::pin(batch.run_each(writer.store())).await,
            Validation::RequireAll => Box::pin(batch.run_all(writer.store())).await,
        }
    }
}

struct Batch {
    context: BatchContext,
    requests: Vec<BatchRequest>,
}

/// Why nothing of a batch is stored.
enum Failure {
    /// The responses to the requests that were run, of which some have failed.
    Responses(Vec<BatchResponseView>),
    Problem(Problem),
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        Self::Problem(error.into())
    }
}

impl Batch {
    /// Runs each request on its own. With a key, they have one transaction nevertheless, which also stores the response.
    async fn run_each(self, store: &Store) -> Result<MultiStatus<BatchView>, Problem> {
        if store.is_enclosed() {
            let lock =
                |transaction: Arc<Transaction>| async move { locks::take(&*transaction, [AdvisoryLock::Batch]).await };
            store.write(lock).await?;
        }
        let started = Instant::now();
        let mut responses = Vec::with_capacity(self.requests.len());
        for request in &self.requests {
            if store.is_enclosed() {
                check_time(started)?;
            }
            let response = self.send(request, &responses, None, None).await;
            // The enclosing transaction may be unable to continue.
            if store.is_enclosed() && is_server_error(&response) {
                return Err(as_problem(&response));
            }
            responses.push(response);
        }
        Ok(Reply::new(BatchView::completed(responses)))
    }

    /// Runs all requests in one transaction, and stores nothing if one fails.
    ///
    /// Savepoints are expensive. They are needed only if a write fails, to find the errors of the requests after it. In
    /// that case, all requests run again with savepoints.
    async fn run_all(self, store: &Store) -> Result<MultiStatus<BatchView>, Problem> {
        let run = async |enclose: fn(&Store, Arc<Transaction>) -> Store| {
            let attempt = |transaction: Arc<Transaction>| {
                let (batch, store) = (&self, store);
                async move {
                    locks::take(&*transaction, [AdvisoryLock::Batch]).await?;
                    batch.run_within(&enclose(store, transaction)).await
                }
            };
            store.write(attempt).await
        };
        let completed = match run(Store::within_without_savepoints).await {
            Err(Failure::Responses(responses)) if responses.len() < self.requests.len() => run(Store::within).await,
            completed => completed,
        };
        match completed {
            Ok(responses) => Ok(Reply::new(BatchView::completed(responses))),
            Err(Failure::Responses(responses)) => Ok(Reply::new(BatchView::failed(responses)).rolled_back()),
            Err(Failure::Problem(problem)) => Err(problem),
        }
    }

    /// Runs the requests in the transaction of the store. After one has failed, the others run too, so that the client
    /// learns of all errors, unless the transaction must be rolled back.
    async fn run_within(&self, store: &Store) -> Result<Vec<BatchResponseView>, Failure> {
        let started = Instant::now();
        let mut responses = Vec::with_capacity(self.requests.len());
        while responses.len() < self.requests.len() {
            check_time(started).map_err(Failure::Problem)?;
            let next = self.send_next(&responses, store).await;
            if store.must_be_rolled_back() {
                return Err(Failure::Responses(responses));
            }
            if let Some(response) = next.iter().find(|response| is_server_error(response)) {
                return Err(Failure::Problem(as_problem(response)));
            }
            responses.extend(next);
        }
        match responses.iter().all(BatchResponseView::is_success) {
            true => Ok(responses),
            false => Err(Failure::Responses(responses)),
        }
    }

    /// Sends the next request, or the requests of a bulk create. A failed bulk create can't be undone alone: it needs a store
    /// without savepoints, whose transaction is rolled back.
    async fn send_next(&self, earlier: &[BatchResponseView], store: &Store) -> Vec<BatchResponseView> {
        let requests = &self.requests[earlier.len()..];
        let count = match store.is_without_savepoints() {
            true => bulk_create::length(requests, earlier.len()),
            false => 1,
        };
        match requests {
            [request, ..] if count <= 1 => vec![self.send(request, earlier, Some(store), None).await],
            _ => {
                let send = |index: usize, bulk| self.send(&requests[index], earlier, Some(store), Some(bulk));
                bulk_create::run(count, send).await
            }
        }
    }

    /// Sends a request to its endpoint. `earlier` has the responses to the requests before it.
    async fn send(
        &self,
        request: &BatchRequest,
        earlier: &[BatchResponseView],
        store: Option<&Store>,
        bulk: Option<BulkCreate>,
    ) -> BatchResponseView {
        let mut body = request.body.clone();
        let id = |number: usize| earlier.get(number - 1).and_then(BatchResponseView::id);
        if let Err(FailedDependency(number)) = resolve(&mut body, id) {
            return BatchResponseView::of_problem(&failed_dependency(number));
        }
        self.context.send(request, body, store, bulk).await
    }
}

/// Ends a transaction that other writers have waited for too long.
fn check_time(started: Instant) -> Result<(), Problem> {
    match started.elapsed() > TIME_LIMIT {
        true => Err(Problem::batch_takes_too_long(TIME_LIMIT.as_secs())),
        false => Ok(()),
    }
}

fn is_server_error(response: &BatchResponseView) -> bool {
    response.status >= StatusCode::INTERNAL_SERVER_ERROR.as_u16()
}

/// The error of a request as that of the batch.
fn as_problem(response: &BatchResponseView) -> Problem {
    match StatusCode::from_u16(response.status) {
        Ok(StatusCode::INSUFFICIENT_STORAGE) => Problem::insufficient_storage(),
        Ok(StatusCode::SERVICE_UNAVAILABLE) => Problem::unavailable("a request of the batch"),
        _ => Problem::internal("a request of the batch has failed"),
    }
}

/// 424: a request refers to what another one should have created.
fn failed_dependency(number: usize) -> Problem {
    Problem::new(
        StatusCode::FAILED_DEPENDENCY,
        "rest_failed_dependency",
        format!("Request {number}, to which this one refers, has failed."),
    )
}
