//! Sends changes to all endpoints. Each endpoint has a task of its own, so that none waits for another.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::Utc;
use metrics::gauge;
use poem::http::StatusCode;
use tokio::{
    sync::Semaphore,
    task::{Id, JoinSet},
    time::sleep,
};

use super::{
    Message, Sender, disabled, kinds,
    retry::{GIVE_UP_AFTER, delay},
};
use crate::{
    Almanac,
    auth::{Caller, Identity, Role},
    changes::{self, ChangePage, Reading, Start, SyncToken},
    error::Problem,
    store::{
        DataVersion,
        entity::{webhook, webhook_delivery},
        webhooks::{self, DeliveryState, Leased},
    },
};

/// How often the server looks for changes.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often it looks for endpoints that were added or changed, and for those that are tried again.
const LOOK: Duration = Duration::from_secs(1);
/// How often all endpoints are visited, and old attempts are deleted.
const VISIT: Duration = Duration::from_secs(60 * 60);
/// The number of changes that are read for an endpoint at once.
const PAGE: usize = 50;
/// The number of messages that are sent at the same time.
const CONCURRENT: usize = 64;
/// The age of the oldest change that an endpoint has not received.
const AGE: &str = "almanac_webhook_oldest_undelivered_seconds";

/// The message of an error that has no other consequence.
const CANT_TRIM: &str = "can't delete old attempts to send messages";

/// Sends changes to the endpoints.
pub(crate) struct Dispatcher {
    almanac: Arc<Almanac>,
    sender: Sender,
    /// For the URLs in messages.
    base_url: String,
    permits: Semaphore,
}

/// The endpoints that had nothing to receive, each with its cursor.
type Idle = HashMap<i64, String>;

impl Dispatcher {
    pub(crate) fn new(almanac: Arc<Almanac>, sender: Sender, base_url: String) -> Arc<Self> {
        Arc::new(Self {
            almanac,
            sender,
            base_url,
            permits: Semaphore::new(CONCURRENT),
        })
    }

    /// Sends messages until it is aborted.
    pub(crate) async fn run(self: Arc<Self>) {
        let change_log = self.almanac.store.change_log();
        let mut tasks: JoinSet<Option<String>> = JoinSet::new();
        // The endpoint of each task, and the round in which it began.
        let mut endpoints: HashMap<Id, (i64, u64)> = HashMap::new();
        let mut idle = Idle::new();
        // Increases with each change: an endpoint that was visited before is not idle.
        let mut round = 0_u64;
        let mut version: Option<DataVersion> = None;
        let mut next_publication = None;
        let (mut looked, mut visited) = (None::<Instant>, None::<Instant>);
        loop {
            sleep(INTERVAL).await;
            while let Some(ended) = tasks.try_join_next_with_id() {
                let (task, cursor) = match ended {
                    Ok((task, cursor)) => (task, cursor),
                    Err(error) => (error.id(), None),
                };
                if let Some((endpoint, began)) = endpoints.remove(&task)
                    && began == round
                {
                    idle.extend(cursor.map(|cursor| (endpoint, cursor)));
                }
            }
            let now = Utc::now().timestamp();
            let current = change_log.data_version().await;
            let is_due = next_publication.is_some_and(|next| next <= now);
            if current != version || is_due {
                round += 1;
                idle.clear();
            } else if looked.is_some_and(|looked| looked.elapsed() < LOOK) {
                continue;
            }
            if visited.is_none_or(|visited| visited.elapsed() >= VISIT) {
                visited = Some(Instant::now());
                round += 1;
                idle.clear();
                if let Err(error) = webhooks::trim_all_deliveries(&self.almanac.store).await {
                    tracing::warn!(%error, "{CANT_TRIM}");
                }
            }
            looked = Some(Instant::now());
            version = current;
            next_publication = match current {
                Some(current) => change_log
                    .upcoming(current, now)
                    .await
                    .and_then(|next| next.publication),
                None => None,
            };
            let store = &self.almanac.store;
            let due = match store.bounded(webhooks::due(store.reader(), now)).await {
                Ok(due) => due,
                Err(error) => {
                    tracing::warn!(%error, "can't read webhooks");
                    continue;
                }
            };
            for row in due {
                let is_running = endpoints.values().any(|(endpoint, _)| *endpoint == row.id);
                if !is_running && idle.get(&row.id) != Some(&row.cursor) {
                    let endpoint = row.id;
                    let task = tasks.spawn(self.clone().visit(row));
                    endpoints.insert(task.id(), (endpoint, round));
                }
            }
        }
    }

    /// Sends an endpoint what it has not received. Returns its cursor if there was nothing.
    async fn visit(self: Arc<Self>, row: webhook::Model) -> Option<String> {
        let endpoint = row.id;
        match self.send_new(row).await {
            Ok(cursor) => cursor,
            Err(problem) => {
                tracing::warn!(webhook = endpoint, cause = %problem, "can't send changes");
                None
            }
        }
    }

    async fn send_new(&self, mut row: webhook::Model) -> Result<Option<String>, Problem> {
        let store = &self.almanac.store;
        let mut leased: Option<Leased> = None;
        loop {
            let page = self.read(&row).await?;
            let now = Utc::now().timestamp();
            let oldest = page.entries.first().and_then(|entry| entry.change);
            let age = oldest.map_or(0, |change| (now - change.changed_at).max(0));
            #[expect(clippy::cast_precision_loss, reason = "it is far below 2^52")]
            gauge!(AGE, "webhook" => row.id.to_string()).set(age as f64);
            let next = page.next.encode();
            if page.entries.is_empty() && !page.more && leased.is_none() && next == row.cursor {
                return Ok(Some(next));
            }
            let held = match leased.take() {
                Some(leased) => leased,
                None => match webhooks::lease(store, &row, milliseconds()).await? {
                    Some(leased) => leased,
                    None => return Ok(None),
                },
            };
            let more = page.more;
            let Some(held) = self.send_page(held, page).await? else {
                return Ok(None);
            };
            // An import has more changes than should be stored until the next visit.
            if more && let Err(error) = webhooks::trim_deliveries(store, row.id).await {
                tracing::warn!(%error, "{CANT_TRIM}");
            }
            // The kinds and times that the page has skipped.
            let state = DeliveryState {
                cursor: next.clone(),
                failures: held.row.failures,
                failing_since: held.row.failing_since,
                next_attempt_at: held.row.next_attempt_at,
                disabled_reason: None,
                continues_at: more.then(milliseconds),
            };
            match webhooks::advance(store, held, &state, None).await? {
                Some(held) => {
                    row = held.row.clone();
                    leased = Some(held);
                }
                None => return Ok(None),
            }
        }
    }

    /// Sends the messages of a page. Returns none if the endpoint has to wait.
    async fn send_page(&self, mut held: Leased, page: ChangePage) -> Result<Option<Leased>, Problem> {
        for entry in page.entries {
            let message = Message::of_change(held.row.id, &entry);
            let attempt = self.send(&held.row, message).await;
            let state = state_after(&held.row, &attempt, entry.next.encode());
            if let Some(reason) = state.disabled_reason {
                tracing::warn!(webhook = held.row.id, reason, "disabled a webhook");
            }
            match webhooks::advance(&self.almanac.store, held, &state, Some(attempt)).await? {
                Some(next) => held = next,
                None => return Ok(None),
            }
        }
        Ok(Some(held))
    }

    async fn send(&self, row: &webhook::Model, message: Message) -> webhook_delivery::Model {
        let _permit = self.permits.acquire().await;
        self.sender.send(row, message, row.failures + 1).await
    }

    /// Reads what the endpoint has not received. If its cursor has expired, it continues with changes from now on.
    async fn read(&self, row: &webhook::Model) -> Result<ChangePage, Problem> {
        let caller = self.caller(row);
        let oldest = self.almanac.settings.change_retention.since(caller.timestamp());
        let token = SyncToken::decode(&row.cursor).filter(|token| token.time >= oldest);
        let mut reading = Reading {
            start: Start::Now,
            kinds: kinds(row),
        };
        if let Some(token) = token {
            reading.start = Start::After(Box::new(token.for_kinds(&reading.kinds)));
            match changes::read(&caller, &reading, PAGE).await {
                Err(problem) if problem.status() == StatusCode::GONE => reading.start = Start::Now,
                result => return result,
            }
        }
        tracing::warn!(
            webhook = row.id,
            "the changes that a webhook has not received are no longer known; it continues with later ones"
        );
        changes::read(&caller, &reading, PAGE).await
    }

    /// The reader whose view an endpoint receives.
    fn caller(&self, row: &webhook::Model) -> Caller {
        let identity = match row.include_unpublished {
            true => Identity::User {
                id: 0,
                role: Role::Administrator,
            },
            false => Identity::Anonymous,
        };
        Caller::internal(self.almanac.clone(), self.base_url.clone(), identity)
    }
}

/// The state of an endpoint after an attempt. `next` is the cursor after the message.
fn state_after(row: &webhook::Model, attempt: &webhook_delivery::Model, next: String) -> DeliveryState {
    let now = Utc::now().timestamp();
    if attempt.is_success {
        return DeliveryState {
            cursor: next,
            failures: 0,
            failing_since: None,
            next_attempt_at: 0,
            disabled_reason: None,
            continues_at: Some(milliseconds()),
        };
    }
    let failures = row.failures + 1;
    let failing_since = row.failing_since.unwrap_or(now);
    let is_gone = attempt.response_status == Some(i64::from(StatusCode::GONE.as_u16()));
    let is_hopeless = now.saturating_sub(failing_since).unsigned_abs() >= GIVE_UP_AFTER.as_secs();
    DeliveryState {
        cursor: row.cursor.clone(),
        failures,
        failing_since: Some(failing_since),
        next_attempt_at: now + delay(failures),
        disabled_reason: match (is_gone, is_hopeless) {
            (true, _) => Some(disabled::GONE),
            (false, true) => Some(disabled::FAILING),
            (false, false) => None,
        },
        continues_at: None,
    }
}

fn milliseconds() -> i64 {
    Utc::now().timestamp_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(failures: i64, failing_since: Option<i64>) -> webhook::Model {
        webhook::Model {
            cursor: "before".to_owned(),
            failures,
            failing_since,
            ..webhook::Model::default()
        }
    }

    fn attempt(status: Option<i64>) -> webhook_delivery::Model {
        webhook_delivery::Model {
            is_success: status == Some(204),
            response_status: status,
            ..webhook_delivery::Model::default()
        }
    }

    #[test]
    fn success_moves_the_cursor() {
        let state = state_after(&row(3, Some(1)), &attempt(Some(204)), "after".to_owned());
        assert_eq!((state.cursor.as_str(), state.failures), ("after", 0));
        assert_eq!(state.failing_since, None);
        assert!(state.continues_at.is_some());
    }

    #[test]
    fn failure_keeps_the_cursor() {
        for status in [None, Some(500), Some(302), Some(404)] {
            let state = state_after(&row(1, None), &attempt(status), "after".to_owned());
            assert_eq!((state.cursor.as_str(), state.failures), ("before", 2));
            assert_eq!((state.disabled_reason, state.continues_at), (None, None));
        }
    }

    #[test]
    fn failure_waits_longer_each_time() {
        let wait = |failures| {
            let now = Utc::now().timestamp();
            state_after(&row(failures, None), &attempt(Some(500)), String::new()).next_attempt_at - now
        };
        let waits = [0, 1, 2].map(wait);
        assert!(waits.is_sorted_by(|one, next| one < next), "{waits:?}");
    }

    #[test]
    fn hopeless_endpoints_are_disabled() {
        let gone = state_after(&row(0, None), &attempt(Some(410)), String::new());
        assert_eq!(gone.disabled_reason, Some(disabled::GONE));
        let now = Utc::now().timestamp();
        for (days, expected) in [(4, None), (5, Some(disabled::FAILING))] {
            let row = row(9, Some(now - days * 24 * 60 * 60));
            let state = state_after(&row, &attempt(Some(500)), String::new());
            assert_eq!(state.disabled_reason, expected, "{days}");
        }
    }
}
