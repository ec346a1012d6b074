//! The body of a request: how long it may take, and what becomes of its connection when it is not read.
//!
//! A request that is refused may be answered before its body has arrived. The connection is then of no more use: what
//! arrives next on it is the body, and a client that is not told sends its next request after that, and loses it.

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
use tokio::time::{Instant, Sleep, sleep_until};

/// How long the body of a request may take.
#[derive(Clone, Copy, Debug)]
pub struct BodyTimeout {
    /// For any body.
    pub base: Duration,
    /// One second is added for each so many bytes that have arrived.
    pub bytes_per_second: u32,
}

impl BodyTimeout {
    /// Ten seconds, and one for each 16 KiB.
    pub const DEFAULT: Self = Self {
        base: Duration::from_secs(10),
        bytes_per_second: 16 * 1024,
    };

    fn limit_for(self, received: u64) -> Duration {
        self.base + Duration::from_secs(received) / self.bytes_per_second
    }
}

/// How often to look, before the connection is given up, whether the rest of an unread body is there.
const ATTEMPTS: u32 = 4;

/// Limits how long the body may take, and announces the end of the connection if the answer came before it was read.
pub async fn limit<E: Endpoint>(next: Arc<E>, mut request: Request, timeout: BodyTimeout) -> Result<Response> {
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
    // HTTP/2 ends one stream only.
    if version <= Version::HTTP_11 && !unread.has_arrived(awaits_continue).await {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    Ok(response)
}

/// Whether the client sends its body only when it is told to.
pub fn expects_continue(headers: &HeaderMap) -> bool {
    headers
        .get(header::EXPECT)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// What is left of a body that nobody reads any more.
#[derive(Clone, Default)]
struct UnreadBody(Arc<Mutex<Remainder>>);

#[derive(Default)]
enum Remainder {
    /// The body still has its reader.
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

    /// Whether the body has arrived to its end. Reads what is there, and waits for nothing.
    async fn has_arrived(&self, awaits_continue: bool) -> bool {
        let mut body = match self.take() {
            Remainder::Complete => return true,
            Remainder::Unknown => return false,
            // To read it would tell the client to send it.
            Remainder::Unread { has_started, .. } if awaits_continue && !has_started => return false,
            Remainder::Unread { body, .. } => body,
        };
        for _ in 0..ATTEMPTS {
            let polled = std::future::poll_fn(|context| Poll::Ready(discard_available(&mut body, context)));
            if let Some(is_complete) = polled.await {
                return is_complete;
            }
            // The connection may have more by then.
            tokio::task::yield_now().await;
        }
        false
    }
}

/// Reads what has arrived. Returns whether the body came to its end, or none if more may come.
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

/// A body that has to arrive in time.
struct LimitedBody {
    /// None once it has come to its end.
    body: Option<BoxBody<Bytes, io::Error>>,
    received: u64,
    /// Set when the reader first has to wait.
    deadline: Option<Deadline>,
    timeout: BodyTimeout,
    unread: UnreadBody,
}

struct Deadline {
    started: Instant,
    sleep: Pin<Box<Sleep>>,
}

impl LimitedBody {
    /// Ready once the time is over.
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
