//! Bulk creates: one statement per table inserts the events of consecutive requests in a batch with one transaction.
//!
//! The endpoint of each request passes its payload to [`BulkCreate`] and waits for the stored event. The transaction writes
//! all events as soon as each endpoint has passed its payload or has responded with an error.

use std::iter::zip;

use futures_util::future::{join, join_all};
use poem::http::{Method, StatusCode};
use tokio::sync::{mpsc, oneshot};

use super::request::BatchRequest;
use crate::{
    api::events::{self, CreatedEvent, EventPayload, MAX_CREATED},
    auth::Caller,
    error::Problem,
    services::Validated,
    views::{ROOT, batch::BatchResponseView},
};

/// The payload of one request, and where to send the stored event.
struct Create {
    index: usize,
    caller: Caller,
    payload: Validated<EventPayload>,
    created: oneshot::Sender<CreatedEvent>,
}

/// A message from a request. The write begins when it has received the first message of each request.
enum Arrival {
    Create(Box<Create>),
    /// The endpoint has responded.
    Response,
}

/// Data of a request: the bulk create that it is part of.
#[derive(Clone)]
pub(crate) struct BulkCreate {
    index: usize,
    arrivals: mpsc::UnboundedSender<Arrival>,
}

impl BulkCreate {
    /// Creates the event of this request together with those of the other requests. If one of them is invalid, all requests
    /// fail, and the batch runs again without bulk creates to find the errors.
    pub(crate) async fn create(
        &self,
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

/// The number of requests at the start of the list that can be one bulk create. The time limit of a batch applies between
/// bulk creates. `responded` is the number of requests before them. Requests with headers of their own may differ in
/// language, and a series has many events.
pub(super) fn length(requests: &[BatchRequest], responded: usize) -> usize {
    let is_part = |request: &&BatchRequest| {
        let path = request.uri.path_and_query();
        request.method == Method::POST
            && path.and_then(|path| path.as_str().strip_prefix(ROOT)) == Some("/events")
            && request.headers.is_empty()
            && !request.body.contains_key("recurrence")
            && request.latest_reference <= responded
    };
    requests.iter().take(MAX_CREATED).take_while(is_part).count()
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
            // After the write, the receiver no longer exists.
            let _ = arrivals.send(Arrival::Response);
            response
        }
    });
    let (responses, ()) = join(join_all(requests), write(count, arrived)).await;
    responses
}

/// Receives the payloads of all requests, creates the events, and sends each event to its request.
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
    // After an error, dropping the senders makes the requests fail.
    if let Ok(events) = events::create(&caller, payloads).await {
        for (created, event) in zip(created, events) {
            // A receiver is dropped only together with the batch.
            let _ = created.send(event);
        }
    }
}
