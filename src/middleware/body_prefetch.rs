//! Reading of the request body while the request waits for a database connection.
//!
//! hyper notices a closed connection only after it has read the body. Until then it continues a request whose client has
//! disconnected: the request queues for a database connection, and delays those behind it. Once the body is read, hyper
//! drops the request together with its connection.

use std::{
    collections::VecDeque,
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use poem::{Endpoint, Request, Response, Result};

use super::{body_limit::expects_continue, layers::LayeredEndpoint};

/// The number of bytes that are read ahead.
const READ_AHEAD: usize = 64 * 1024;

/// Reads ahead while the request is processed, unless the client waits for `100 Continue`.
pub(crate) async fn prefetch(next: LayeredEndpoint, mut request: Request) -> Result<Response> {
    let body = request.take_body();
    if body.is_empty() || expects_continue(request.headers()) {
        request.set_body(body);
        return Ok(next.get_response(request).await);
    }
    let buffered = BufferedBody::new(body.into());
    request.set_body(BoxBody::new(buffered.clone()));
    let mut response = pin!(next.get_response(request));
    let response = std::future::poll_fn(|context| {
        buffered.lock().read_ahead(context);
        response.as_mut().poll(context)
    });
    Ok(response.await)
}

/// A body with the part that has been read ahead.
#[derive(Clone)]
struct BufferedBody(Arc<Mutex<Buffer>>);

struct Buffer {
    body: BoxBody<Bytes, io::Error>,
    frames: VecDeque<io::Result<Frame<Bytes>>>,
    /// The size of the frames in bytes.
    size: usize,
    is_at_end: bool,
}

impl BufferedBody {
    fn new(body: BoxBody<Bytes, io::Error>) -> Self {
        Self(Arc::new(Mutex::new(Buffer {
            body,
            frames: VecDeque::new(),
            size: 0,
            is_at_end: false,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buffer {
    fn read_ahead(&mut self, context: &mut Context<'_>) {
        while !self.is_at_end && self.size < READ_AHEAD {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(frame)) => {
                    self.is_at_end = frame.is_err();
                    self.size += size(&frame);
                    self.frames.push_back(frame);
                }
                Poll::Ready(None) => self.is_at_end = true,
                Poll::Pending => return,
            }
        }
    }
}

fn size(frame: &io::Result<Frame<Bytes>>) -> usize {
    let data = frame.as_ref().ok().and_then(Frame::data_ref);
    data.map_or(0, Bytes::len)
}

impl Body for BufferedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut buffer = self.lock();
        if let Some(frame) = buffer.frames.pop_front() {
            buffer.size -= size(&frame);
            return Poll::Ready(Some(frame));
        }
        match buffer.is_at_end {
            true => Poll::Ready(None),
            false => Pin::new(&mut buffer.body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        let buffer = self.lock();
        buffer.frames.is_empty() && (buffer.is_at_end || buffer.body.is_end_stream())
    }
}
