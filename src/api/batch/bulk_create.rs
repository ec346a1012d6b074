//! Bulk creates: consecutive creates of events in a batch with one transaction, which have one statement for each table
//! instead of one for each event.
//!
//! Each request is sent to its endpoint, which leaves the write to [`BulkCreate`] and continues with the result. The write
//! begins once every request has come this far, or has been responded to without a write.

use std::iter::zip;

use futures_util::future::{join, join_all};
use poem::{
    FromRequest, Request, RequestBody, Result,
    http::{Method, StatusCode},
};
use tokio::sync::{mpsc, oneshot};

use super::request::BatchRequest;
use crate::{
    api::events::{self, EventPayload},
    auth::Caller,
    error::Problem,
    services::Validated,
    store::entity::event,
    views::{ROOT, batch::BatchResponseView, event::EventView},
};

/// The maximum number of events in a bulk create. The time limit of a batch applies between bulk creates.
const MAX_REQUESTS: usize = 25;

/// A stored event and its representation.
type CreatedEvent = (event::Model, EventView);

/// The create of one request.
struct Create {
    index: usize,
    caller: Caller,
    payload: Validated<EventPayload>,
    created: oneshot::Sender<CreatedEvent>,
}

/// What the write waits for, once for each request.
enum Arrival {
    Create(Box<Create>),
    Response,
}

/// Data of a request: the bulk create that it is part of.
#[derive(Clone)]
pub(crate) struct BulkCreate {
    index: usize,
    arrivals: mpsc::UnboundedSender<Arrival>,
}

impl<'a> FromRequest<'a> for BulkCreate {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> Result<Self> {
        let bulk = request.data::<Self>().cloned();
        bulk.ok_or_else(|| Problem::internal("the request is not part of a bulk create").into())
    }
}

impl BulkCreate {
    /// Creates the event of this request with those of the other requests. If one fails, all do. The batch then runs again
    /// without bulk creates, which finds the errors.
    pub(crate) async fn create(
        self,
        caller: &Caller,
        payload: Validated<EventPayload>,
    ) -> Result<CreatedEvent, Problem> {
        let (created, result) = oneshot::channel();
        let create = Box::new(Create {
            index: self.index,
            caller: caller.clone(),
            payload,
            created,
        });
        self.arrivals.send(Arrival::Create(create)).map_err(|_| has_failed())?;
        result.await.map_err(|_| has_failed())
    }
}

fn has_failed() -> Problem {
    Problem::new(
        StatusCode::FAILED_DEPENDENCY,
        "rest_failed_dependency",
        "A request of the batch has failed.",
    )
}

/// The number of requests at the start of the list that can be one bulk create. `responded` is the number of requests
/// before them. Requests with headers of their own may differ in language, and a series has many events.
pub(super) fn length(requests: &[BatchRequest], responded: usize) -> usize {
    let is_part = |request: &&BatchRequest| {
        let path = request.uri.path_and_query();
        request.method == Method::POST
            && path.and_then(|path| path.as_str().strip_prefix(ROOT)) == Some("/events")
            && request.headers.is_empty()
            && !request.body.contains_key("recurrence")
            && request.latest_reference <= responded
    };
    requests.iter().take(MAX_REQUESTS).take_while(is_part).count()
}

/// Runs a bulk create. `send` sends the request at an index with its part of it.
pub(super) async fn run<R>(count: usize, send: impl Fn(usize, BulkCreate) -> R) -> Vec<BatchResponseView>
where
    R: Future<Output = BatchResponseView>,
{
    let (arrivals, arrived) = mpsc::unbounded_channel();
    let requests = (0..count).map(|index| {
        let arrivals = arrivals.clone();
        let bulk = BulkCreate {
            index,
            arrivals: arrivals.clone(),
        };
        let response = send(index, bulk);
        async move {
            let response = response.await;
            // Nobody waits for it after the write.
            let _ = arrivals.send(Arrival::Response);
            response
        }
    });
    let (responses, ()) = join(join_all(requests), write(count, arrived)).await;
    responses
}

/// Waits for all requests, creates their events, and hands them to the requests.
async fn write(count: usize, mut arrived: mpsc::UnboundedReceiver<Arrival>) {
    let mut creates = Vec::with_capacity(count);
    for _ in 0..count {
        if let Some(Arrival::Create(create)) = arrived.recv().await {
            creates.push(create);
        }
    }
    creates.sort_by_key(|create| create.index);
    let Some(caller) = creates.first().map(|create| create.caller.clone()) else {
        return;
    };
    let (payloads, created): (Vec<_>, Vec<_>) = creates
        .into_iter()
        .map(|create| (create.payload, create.created))
        .unzip();
    // Otherwise the requests fail, because their senders are dropped.
    if let Ok(events) = events::create(&caller, payloads).await {
        for (created, event) in zip(created, events) {
            // A request ends early only if the batch does.
            let _ = created.send(event);
        }
    }
}
