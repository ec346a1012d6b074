//! The time limit on request bodies, and the end of connections whose request body was not read.
//!
//! A request may be refused before its body has arrived. The connection can't be reused then: the rest of the body
//! would arrive next on it. Without an announcement of its end, the client would lose its next request.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, HeaderValue, Version, header},
};

use super::layers::LayeredEndpoint;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long the body of a request may take to arrive.
#[derive(Clone, Copy, Debug)]
pub struct BodyTimeout {
    /// For a body of any size.
    pub base: Duration,
    /// One second is added for each of this many bytes that have arrived.
    pub bytes_per_second: u32,
}

impl BodyTimeout {
    /// Ten seconds, and one second per 16 KiB.
    pub const DEFAULT: Self = Self {
        base: Duration::from_secs(10),
        bytes_per_second: 16 * 1024,
    };

    fn limit_for(self, received: u64) -> Duration {
        self.base + Duration::from_secs(received) / self.bytes_per_second
    }
}

/// How often to check whether the rest of an unread body has arrived before the connection is closed.
const ATTEMPTS: u32 = 4;

/// Limits how long the body may take to arrive. Announces the end of the connection if the body was not read to its end.
pub(crate) async fn limit(next: LayeredEndpoint, mut request: Request, timeout: BodyTimeout) -> Result<Response> {
    let body = request.take_body();
    if body.is_empty() {
        return Ok(next.get_response(request).await);
    }
    let version = request.version();
    let awaits_continue = expects_continue(request.headers());
    let unread = UnreadBody::default();
    let limited = LimitedBody {
        body: Some(body.into()),
        received: 0,
        deadline: None,
        timeout,
        unread: unread.clone(),
    };
    request.set_body(BoxBody::new(limited));
    let mut response = next.get_response(request).await;
    // HTTP/2 only resets the stream.
    if version <= Version::HTTP_11 && !unread.has_arrived(awaits_continue).await {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    Ok(response)
}

/// Whether the client sends the body only after `100 Continue`.
pub(crate) fn expects_continue(headers: &HeaderMap) -> bool {
    headers
        .get(header::EXPECT)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// The rest of a body that is no longer being read.
#[derive(Clone, Default)]
struct UnreadBody(Arc<Mutex<Remainder>>);

#[derive(Default)]
enum Remainder {
    /// The body is still being read.
    #[default]
    Unknown,
    Complete,
    Unread {
        body: BoxBody<Bytes, io::Error>,
        has_started: bool,
    },
}

impl UnreadBody {
    fn set(&self, remainder: Remainder) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = remainder;
    }

    fn take(&self) -> Remainder {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the body has arrived completely. Discards what has arrived, and does not wait.
    async fn has_arrived(&self, awaits_continue: bool) -> bool {
        let mut body = match self.take() {
            Remainder::Complete => return true,
            Remainder::Unknown => return false,
            // Reading would send `100 Continue`.
            Remainder::Unread { has_started, .. } if awaits_continue && !has_started => return false,
            Remainder::Unread { body, .. } => body,
        };
        for _ in 0..ATTEMPTS {
            let polled = std::future::poll_fn(|context| Poll::Ready(discard_available(&mut body, context)));
            if let Some(is_complete) = polled.await {
                return is_complete;
            }
            // Lets the connection read more.
            tokio::task::yield_now().await;
        }
        false
    }
}

/// Discards what has arrived. Returns whether the body is complete, or none if more may arrive.
fn discard_available(body: &mut BoxBody<Bytes, io::Error>, context: &mut Context<'_>) -> Option<bool> {
    loop {
        match Pin::new(&mut *body).poll_frame(context) {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(_))) => return Some(false),
            Poll::Ready(None) => return Some(true),
            Poll::Pending => return None,
        }
    }
}

/// A body with a time limit.
struct LimitedBody {
    /// None at its end.
    body: Option<BoxBody<Bytes, io::Error>>,
    received: u64,
    /// Set when the reader first waits.
    deadline: Option<Deadline>,
    timeout: BodyTimeout,
    unread: UnreadBody,
}

struct Deadline {
    started: Instant,
    sleep: Pin<Box<Sleep>>,
}

impl LimitedBody {
    /// Ready once the time limit is exceeded.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let allowed = self.timeout.limit_for(self.received);
        let deadline = self.deadline.get_or_insert_with(|| {
            let started = Instant::now();
            Deadline {
                started,
                sleep: Box::pin(sleep_until(started + allowed)),
            }
        });
        let end = deadline.started + allowed;
        while deadline.sleep.as_mut().poll(context).is_ready() {
            if end <= Instant::now() {
                return Poll::Ready(());
            }
            // More has arrived since it was set.
            deadline.sleep.as_mut().reset(end);
        }
        Poll::Pending
    }
}

impl Body for LimitedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        match Pin::new(body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.received += bytes as u64;
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error))),
            Poll::Ready(None) => {
                self.body = None;
                Poll::Ready(None)
            }
            Poll::Pending => self
                .poll_deadline(context)
                .map(|()| Some(Err(io::ErrorKind::TimedOut.into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for LimitedBody {
    fn drop(&mut self) {
        let remainder = match self.body.take() {
            Some(body) if !body.is_end_stream() => Remainder::Unread {
                has_started: self.received > 0 || self.deadline.is_some(),
                body,
            },
            _ => Remainder::Complete,
        };
        self.unread.set(remainder);
    }
}
