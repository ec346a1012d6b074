//! The stream of changes, as server-sent events.

use std::{io, time::Duration};

use bytes::Bytes;
use futures_util::stream::unfold;
use metrics::gauge;
use poem::Body;
use tokio::{
    sync::broadcast,
    time::{Instant, sleep, sleep_until},
};

use super::{ChangePage, Reading, Start, listeners::MAX_CHANGES, read};
use crate::{auth::Caller, error::Problem, views::change::ChangesView};

/// A comment is sent after this time without a message, so that proxies keep the connection open, and so that the
/// server notices when the client is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// A stream ends after this time, so that the credentials of its request are checked again.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// How long the client waits until it connects again, in milliseconds.
const RETRY: u32 = 2_000;

/// Counts open streams.
const LISTENERS: &str = "almanac_change_listeners";

/// A listener, counted while it exists.
struct Counted;

impl Counted {
    fn new() -> Self {
        gauge!(LISTENERS).increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(LISTENERS).decrement(1.0);
    }
}

struct Listener {
    caller: Caller,
    reading: Reading,
    /// The next message, if it has been read already.
    next: Option<Bytes>,
    /// Whether older changes have to be read before those of the channel.
    is_behind: bool,
    channel: broadcast::Receiver<Bytes>,
    ends_at: Instant,
    _counted: Counted,
}

/// The body of a stream. It begins with the changes after the reader's place, or with a message without changes, whose
/// token is that of the beginning.
pub(crate) async fn listen(caller: &Caller, reading: Reading) -> Result<Body, Problem> {
    // Before the first page is read, so that nothing is missed in between. Some changes may be sent twice.
    let channel = caller.almanac.listeners.subscribe(caller, &reading.kinds).await?;
    let page = read(caller, &reading, MAX_CHANGES).await?;
    let mut listener = Listener {
        caller: caller.clone().without_data_version(),
        reading,
        next: None,
        is_behind: false,
        channel,
        ends_at: Instant::now() + LIFETIME,
        _counted: Counted::new(),
    };
    let first = listener.advance(page)?;
    listener.next = Some([format!("retry: {RETRY}\n").as_bytes(), &first].concat().into());
    Ok(Body::from_bytes_stream(unfold(listener, Listener::next)))
}

impl Listener {
    /// Moves on after the page, and returns it as a message.
    fn advance(&mut self, page: ChangePage) -> Result<Bytes, Problem> {
        self.is_behind = page.more;
        self.reading.start = Start::After(Box::new(page.next.clone()));
        message(page)
    }

    /// The next message or comment. None at the end of the stream.
    async fn next(mut self) -> Option<(io::Result<Bytes>, Self)> {
        if let Some(next) = self.next.take() {
            return Some((Ok(next), self));
        }
        if self.is_behind {
            let page = read(&self.caller, &self.reading, MAX_CHANGES).await;
            return match page.and_then(|page| self.advance(page)) {
                Ok(message) => Some((Ok(message), self)),
                Err(problem) => {
                    tracing::warn!(cause = %problem, "a stream of changes was ended");
                    None
                }
            };
        }
        let bytes = tokio::select! {
            // The channel is closed, or the client is too slow: it connects again, and continues after its last message.
            received = self.channel.recv() => received.ok()?,
            () = sleep_until(self.ends_at) => return None,
            () = sleep(KEEP_ALIVE) => Bytes::from_static(b": keep-alive\n\n"),
        };
        Some((Ok(bytes), self))
    }
}

/// A page as a message, whose ID is the token.
pub(super) fn message(page: ChangePage) -> Result<Bytes, Problem> {
    let view = ChangesView::from(page);
    let json = serde_json::to_string(&view).map_err(Problem::internal)?;
    Ok(format!("id: {}\ndata: {json}\n\n", view.token).into())
}
