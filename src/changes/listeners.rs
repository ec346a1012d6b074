//! Listeners of the stream of changes. Listeners who may see the same share one reader, and the bytes that it reads.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use chrono::{SubsecRound, Utc};
use metrics::histogram;
use poem::http::StatusCode;
use tokio::{sync::broadcast, time::sleep};

use super::{Reading, Start, read, stream::message};
use crate::{
    auth::{Caller, Identity},
    calendar::Kind,
    error::Problem,
    store::{DataVersion, users},
};

/// How often the reader of an audience looks for changes.
const INTERVAL: Duration = Duration::from_millis(250);
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// The maximum number of changes in a message.
pub(super) const MAX_CHANGES: usize = 100;
/// The maximum number of messages that wait for a listener. One that is further behind is dropped.
const MAX_MESSAGES: usize = 16;
/// The maximum number of audiences of one user, and of anonymous listeners. Without `--base-url`, each host that a
/// client names is another one.
const MAX_AUDIENCES: usize = 64;

/// The time from the oldest change of a message until it is sent.
const LAG: &str = "almanac_change_lag_seconds";

/// Listeners for whom changes have the same representation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Audience {
    base_url: String,
    /// The ID of the user and the name of the role; none for anonymous listeners.
    user: Option<(i64, &'static str)>,
    kinds: Vec<Kind>,
}

impl Audience {
    fn of(caller: &Caller, kinds: &[Kind]) -> Self {
        Self {
            base_url: caller.address.base.clone(),
            user: match caller.identity {
                Identity::Anonymous => None,
                Identity::User { id, role } => Some((id, role.name())),
            },
            kinds: kinds.to_vec(),
        }
    }
}

/// The channel to the listeners of each audience.
type Audiences = HashMap<Audience, broadcast::Sender<Bytes>>;

/// Subscribes to an audience that has listeners already. None if it is new.
///
/// # Errors
/// 503 for a new audience, if its user has the maximum number of audiences.
fn subscribe_to_existing(
    audiences: &Audiences,
    audience: &Audience,
) -> Result<Option<broadcast::Receiver<Bytes>>, Problem> {
    if let Some(sender) = audiences.get(audience) {
        return Ok(Some(sender.subscribe()));
    }
    let similar = audiences.keys().filter(|existing| existing.user == audience.user);
    match similar.count() < MAX_AUDIENCES {
        true => Ok(None),
        false => Err(Problem::too_many_streams()),
    }
}

/// The listeners of all streams of changes.
#[derive(Clone, Default)]
pub(crate) struct Listeners(Arc<Mutex<Audiences>>);

impl Listeners {
    fn audiences(&self) -> MutexGuard<'_, Audiences> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives messages with all changes after the call.
    pub(super) async fn subscribe(
        &self,
        caller: &Caller,
        kinds: &[Kind],
    ) -> Result<broadcast::Receiver<Bytes>, Problem> {
        let audience = Audience::of(caller, kinds);
        if let Some(receiver) = subscribe_to_existing(&self.audiences(), &audience)? {
            return Ok(receiver);
        }
        let reading = Reading {
            start: Start::Now,
            kinds: kinds.to_vec(),
        };
        let now = read(caller, &reading, 1).await?;
        let mut audiences = self.audiences();
        // Another listener may have been faster.
        if let Some(receiver) = subscribe_to_existing(&audiences, &audience)? {
            return Ok(receiver);
        }
        let (sender, receiver) = broadcast::channel(MAX_MESSAGES);
        audiences.insert(audience.clone(), sender.clone());
        let reader = AudienceReader {
            caller: caller.clone().without_data_version(),
            reading: Reading {
                start: Start::After(Box::new(now.next)),
                ..reading
            },
            sender,
            version: None,
            next_publication: None,
        };
        tokio::spawn(reader.run(self.clone(), audience));
        Ok(receiver)
    }

    /// Removes the audience with this channel, if nobody listens or `even_if_heard` is true. Returns whether it is gone.
    fn remove(&self, audience: &Audience, channel: &broadcast::Sender<Bytes>, even_if_heard: bool) -> bool {
        // While it is locked, nobody subscribes.
        let mut audiences = self.audiences();
        let is_removed = even_if_heard || channel.receiver_count() == 0;
        // After its end, another channel may have taken its place.
        if is_removed && audiences.get(audience).is_some_and(|known| known.same_channel(channel)) {
            audiences.remove(audience);
        }
        is_removed
    }
}

/// Reads changes for an audience.
struct AudienceReader {
    caller: Caller,
    reading: Reading,
    sender: broadcast::Sender<Bytes>,
    /// The version up to which changes have been read.
    version: Option<DataVersion>,
    /// When the next scheduled publication is due, as a Unix timestamp.
    next_publication: Option<i64>,
}

impl AudienceReader {
    /// Sends changes until nobody listens, the server stops, or the listeners must authenticate again. Dropping the
    /// channel ends their streams.
    async fn run(mut self, listeners: Listeners, audience: Audience) {
        let draining = self.caller.almanac.draining.clone();
        loop {
            sleep(INTERVAL).await;
            if draining.has_begun() || listeners.remove(&audience, &self.sender, false) {
                break;
            }
            match self.send_new().await {
                Ok(true) => {}
                Ok(false) => break,
                // The database was restored: the tokens of the listeners have expired.
                Err(problem) if problem.status() == StatusCode::GONE => break,
                Err(problem) => {
                    tracing::warn!(cause = %problem, "can't read changes for listeners");
                    sleep(RETRY_DELAY).await;
                }
            }
        }
        listeners.remove(&audience, &self.sender, true);
    }

    /// Sends the changes since the last call, if there are any. Returns false if the user no longer exists or has
    /// another role.
    async fn send_new(&mut self) -> Result<bool, Problem> {
        let almanac = self.caller.almanac.clone();
        let change_log = almanac.store.change_log();
        let Some(version) = change_log.data_version().await else {
            return Ok(true);
        };
        self.caller.now = Utc::now().trunc_subsecs(0);
        let now = self.caller.timestamp();
        let is_due = self.next_publication.is_some_and(|next| next <= now);
        if self.version == Some(version) && !is_due {
            return Ok(true);
        }
        if let Identity::User { id, role } = self.caller.identity {
            let user = almanac.store.bounded(users::find(almanac.store.reader(), id)).await?;
            if user.is_none_or(|user| user.role != role.name()) {
                return Ok(false);
            }
        }
        loop {
            let page = read(&self.caller, &self.reading, MAX_CHANGES).await?;
            let (more, next) = (page.more, page.next.clone());
            if let Some(change) = page.entries.first().and_then(|entry| entry.change) {
                let age = (now - change.changed_at).max(0);
                histogram!(LAG).record(Duration::from_secs(age.unsigned_abs()));
            }
            if !page.entries.is_empty() {
                // Without listeners, the audience is removed soon.
                _ = self.sender.send(message(page)?);
            }
            self.reading.start = Start::After(Box::new(next));
            if !more {
                break;
            }
        }
        let upcoming = change_log.upcoming(version, now).await;
        self.next_publication = upcoming.and_then(|upcoming| upcoming.publication);
        self.version = upcoming.map(|_| version);
        Ok(true)
    }
}
