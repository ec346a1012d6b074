//! The length of a body.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Body;
use poem::Response;

/// The length of the body in bytes; None for a stream of unknown length, which middleware must not buffer.
pub(crate) fn body_length(response: &mut Response) -> Option<u64> {
    let body: BoxBody<Bytes, io::Error> = response.take_body().into();
    let length = body.size_hint().exact();
    response.set_body(body);
    length
}
