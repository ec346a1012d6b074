//! The body of a response, which notes when it has been handed over to its end.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};

use super::activity::RequestUnderWay;

/// Bytes that are handed over at a time.
pub const PART: usize = 64 * 1024;

/// A body whose request is under way until the client has taken all of it but the last parts.
///
/// hyper takes whatever a body gives and keeps it until it is written. So a long body is given in parts, each in memory
/// of its own: as a whole it is held here alone, and counts as long as it is.
pub struct NotedBody {
    body: BoxBody<Bytes, io::Error>,
    /// What `body` gave and is not handed over.
    rest: Bytes,
    _under_way: RequestUnderWay,
}

impl NotedBody {
    pub fn new(body: BoxBody<Bytes, io::Error>, under_way: RequestUnderWay) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            _under_way: under_way,
        }
    }

    /// The next part of the rest.
    fn part(&mut self) -> Frame<Bytes> {
        let part = Bytes::copy_from_slice(&self.rest[..PART.min(self.rest.len())]);
        self.rest.advance(part.len());
        Frame::data(part)
    }
}

impl Body for NotedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.part())));
        }
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)?) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) if data.len() > PART => {
                self.rest = data;
                self.part()
            }
            Ok(data) => Frame::data(data),
            Err(trailers) => trailers,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, inner) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
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
    async fn long_body_is_handed_over_in_parts() {
        let data: Vec<u8> = (0..PART * 2 + 5).map(|byte| byte as u8).collect();
        let activity = Activity::new();
        let mut under_way = activity.begin(true);
        under_way.respond(data.len() as u64);
        let full = Full::new(Bytes::from(data.clone())).map_err(io::Error::other);
        let mut body = NotedBody::new(full.boxed(), under_way);
        let mut received = Vec::new();
        for expected in [PART, PART, 5] {
            assert!(!body.is_end_stream());
            let left = (data.len() - received.len()) as u64;
            assert_eq!(body.size_hint().exact(), Some(left));
            let frame = body.frame().await.expect("a part").expect("data");
            let part = frame.into_data().expect("data");
            assert_eq!(part.len(), expected);
            assert!(part.is_unique(), "it is memory of its own");
            received.extend_from_slice(&part);
        }
        assert!(body.is_end_stream());
        assert!(received == data);
        assert_eq!(activity.snapshot().unread, data.len() as u64);
        drop(body);
        assert_eq!(activity.snapshot().unread, 0);
    }
}
