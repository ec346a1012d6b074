//! The queue of creates: events that one user creates at the same time share a transaction, with one statement for each
//! table.
//!
//! Creates wait while transactions are in progress. The next transaction takes the first create in the queue, and other
//! creates of the same user. If one of them is invalid, the transaction is rolled back, and each create runs in its own.

use std::{collections::VecDeque, iter::zip, mem, sync::Arc, time::Duration};

use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};
use tracing::{Instrument, Span};

use super::{CreatedEvent, EventPayload, MAX_CREATED, create, create_one};
use crate::{auth::Caller, error::Problem, services::Validated};

/// The maximum number of transactions in progress. While the database runs the statements of one, the server prepares those
/// of the other.
const WORKERS: usize = 2;
/// How long a worker waits for further creates of clients whose creates have just finished: an event costs less in a larger
/// transaction.
const GATHERING_TIME: Duration = Duration::from_millis(1);

/// Returns true if the create can join a transaction with others. A payload with errors would roll the transaction back. A
/// series is a transaction of many events. A caller who reuses names updates stored objects, one event after the other. An
/// enclosed request must write in its enclosing transaction.
pub(super) fn may_share(caller: &Caller, (payload, errors): &Validated<EventPayload>) -> bool {
    payload.recurrence.is_undefined()
        && errors.is_empty()
        && !caller.leniency.reuse_names
        && !caller.store().is_enclosed()
}

/// The queue, in a channel that notifies workers of new creates.
#[derive(Default)]
pub(crate) struct CreateQueue(watch::Sender<Queue>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<WaitingCreate>,
    /// The number of creates in transactions.
    in_progress: usize,
    /// The number of tasks that run one transaction after the other.
    workers: usize,
}

struct WaitingCreate {
    caller: Caller,
    /// The span of the request.
    span: Span,
    payload: Validated<EventPayload>,
    result: oneshot::Sender<Result<CreatedEvent, Problem>>,
}

impl CreateQueue {
    /// Creates the event of a payload that [may share](may_share) a transaction.
    pub(super) async fn create(
        self: &Arc<Self>,
        caller: &Caller,
        payload: Validated<EventPayload>,
    ) -> Result<CreatedEvent, Problem> {
        let (sender, result) = oneshot::channel();
        let create = WaitingCreate {
            caller: caller.clone(),
            span: Span::current(),
            payload,
            result: sender,
        };
        let mut needs_worker = false;
        self.0.send_modify(|queue| {
            queue.waiting.push_back(create);
            needs_worker = queue.workers < WORKERS;
            queue.workers += usize::from(needs_worker);
        });
        if needs_worker {
            // A task of its own: a client that disconnects must not end the transaction of others.
            tokio::spawn(self.clone().work());
        }
        let ended = |_| Err(Problem::internal("the task that creates events has ended"));
        result.await.unwrap_or_else(ended)
    }

    /// Runs transactions until no create waits.
    async fn work(self: Arc<Self>) {
        let mut finished = 0;
        while let Some(group) = self.next_group(finished).await {
            finished = group.len();
            // A task of its own, so that a panic does not end this one.
            let _ = tokio::spawn(create_together(group)).await;
        }
    }

    /// Waits for the creates of a worker's next transaction. Returns None if there are none, which ends the worker.
    /// `finished` is the number of creates in its last transaction.
    async fn next_group(&self, finished: usize) -> Option<Vec<WaitingCreate>> {
        let mut expected = 0;
        self.0.send_modify(|queue| {
            expected = queue.fair_share();
            queue.in_progress -= finished;
        });
        let mut arrivals = self.0.subscribe();
        let arrived = arrivals.wait_for(|queue| queue.waiting.len() >= expected);
        // Creates that arrive later join another transaction.
        let _ = timeout(GATHERING_TIME, arrived).await;
        let mut group = None;
        self.0.send_modify(|queue| group = queue.take_group());
        group
    }
}

impl Queue {
    /// The number of creates that each worker would have if all had the same. Clients whose creates have just finished are
    /// expected to send further ones.
    fn fair_share(&self) -> usize {
        let creates = self.in_progress + self.waiting.len();
        creates.div_ceil(WORKERS).min(MAX_CREATED)
    }

    /// Removes the first create from the queue, and those that can share its transaction. Returns None if no create waits,
    /// and counts one worker less.
    fn take_group(&mut self) -> Option<Vec<WaitingCreate>> {
        let mut group: Vec<WaitingCreate> = Vec::new();
        // The receiver of a result is dropped when the client disconnects.
        let connected = |create: &WaitingCreate| !create.result.is_closed();
        for create in mem::take(&mut self.waiting).into_iter().filter(connected) {
            let is_similar = |first: &WaitingCreate| first.caller.is_interchangeable_with(&create.caller);
            match group.len() < MAX_CREATED && group.first().is_none_or(is_similar) {
                true => group.push(create),
                false => self.waiting.push_back(create),
            }
        }
        self.in_progress += group.len();
        self.workers -= usize::from(group.is_empty());
        (!group.is_empty()).then_some(group)
    }
}

/// Creates the events, and sends each one to its request.
async fn create_together(group: Vec<WaitingCreate>) {
    let Some((caller, span)) = group.first().map(|first| (first.caller.clone(), first.span.clone())) else {
        return;
    };
    let (payloads, requests): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|create| (create.payload, (create.span, create.result)))
        .unzip();
    // Messages in the log belong to the first request.
    let created = Box::pin(create(&caller, payloads.clone())).instrument(span).await;
    // The receiver of a result may have been dropped.
    match created {
        Ok(events) => {
            for ((_, result), event) in zip(requests, events) {
                let _ = result.send(Ok(event));
            }
        }
        // A commit whose response is an error may have taken effect: it must not be repeated.
        Err(problem) if requests.len() == 1 || problem.status().is_server_error() => {
            for (_, result) in requests {
                let _ = result.send(Err(problem.clone()));
            }
        }
        Err(_) => {
            for ((span, result), payload) in zip(requests, payloads) {
                let created = Box::pin(create_one(&caller, payload)).instrument(span).await;
                let _ = result.send(created);
            }
        }
    }
}
