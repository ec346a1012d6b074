//! Response bodies that record when they have been sent.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};

use super::activity::ActiveRequest;

/// The maximum size of a chunk that is handed to hyper, in bytes.
pub(super) const CHUNK_SIZE: usize = 64 * 1024;

/// A body whose request is in progress until all chunks have been handed to hyper.
///
/// hyper buffers each chunk until it is written. A long body is therefore handed over in copied chunks, so that
/// the body itself is dropped, and its size no longer counted, when this struct is dropped.
pub(super) struct TrackedBody {
    body: BoxBody<Bytes, io::Error>,
    /// The rest of the last frame of `body`.
    remainder: Bytes,
    _request: ActiveRequest,
}

impl TrackedBody {
    pub(super) fn new(body: BoxBody<Bytes, io::Error>, request: ActiveRequest) -> Self {
        Self {
            body,
            remainder: Bytes::new(),
            _request: request,
        }
    }

    /// The next chunk of the remainder.
    fn chunk(&mut self) -> Frame<Bytes> {
        let chunk = Bytes::copy_from_slice(&self.remainder[..CHUNK_SIZE.min(self.remainder.len())]);
        self.remainder.advance(chunk.len());
        Frame::data(chunk)
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if !self.remainder.is_empty() {
            return Poll::Ready(Some(Ok(self.chunk())));
        }
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)?) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) if data.len() > CHUNK_SIZE => {
                self.remainder = data;
                self.chunk()
            }
            Ok(data) => Frame::data(data),
            Err(trailers) => trailers,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.remainder.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (remainder, inner) = (self.remainder.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + remainder);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + remainder);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::listen::activity::Activity;

    #[tokio::test]
    async fn long_body_is_divided_into_chunks() {
        let data: Vec<u8> = (0..CHUNK_SIZE * 2 + 5).map(|byte| byte as u8).collect();
        let activity = Activity::new();
        let mut request = activity.begin_request(true);
        request.begin_response(data.len() as u64);
        let full = Full::new(Bytes::from(data.clone())).map_err(io::Error::other);
        let mut body = TrackedBody::new(full.boxed(), request);
        let mut received = Vec::new();
        for expected in [CHUNK_SIZE, CHUNK_SIZE, 5] {
            assert!(!body.is_end_stream());
            let left = (data.len() - received.len()) as u64;
            assert_eq!(body.size_hint().exact(), Some(left));
            let frame = body.frame().await.expect("a chunk").expect("data");
            let chunk = frame.into_data().expect("data");
            assert_eq!(chunk.len(), expected);
            assert!(chunk.is_unique(), "the chunk is a copy");
            received.extend_from_slice(&chunk);
        }
        assert!(body.is_end_stream());
        assert!(received == data);
        assert_eq!(activity.snapshot().unread, data.len() as u64);
        drop(body);
        assert_eq!(activity.snapshot().unread, 0);
    }
}
