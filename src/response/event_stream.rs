//! Streams of server-sent events (HTML Standard, section 9.2).

use poem::{
    Body, IntoResponse, Response,
    http::{HeaderMap, HeaderName, HeaderValue, header},
};
use poem_openapi::{
    ApiResponse,
    registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry},
    types::Type,
};

use super::reply::{COMMON_ERRORS, error_response};
use crate::error::ProblemBody;

/// The media type of streams of events, which are not compressed: a compressor would hold events back.
const EVENT_STREAM: &str = "text/event-stream";

/// Whether these are the headers of a stream of events, which middleware must not buffer.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|content_type| content_type == EVENT_STREAM)
}

/// The error statuses of streams besides `COMMON_ERRORS`.
const ERRORS: [u16; 2] = [400, 410];

/// A stream of events.
pub(crate) struct EventStream(pub Body);

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type(EVENT_STREAM).body(self.0);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // Proxies must not collect events before they forward them.
        let accelerated = HeaderName::from_static("x-accel-buffering");
        headers.insert(accelerated, HeaderValue::from_static("no"));
        response
    }
}

impl ApiResponse for EventStream {
    fn meta() -> MetaResponses {
        let success = MetaResponse {
            description: "A stream of events.",
            status: Some(200),
            status_range: None,
            content: vec![MetaMediaType {
                content_type: EVENT_STREAM,
                schema: MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))),
            }],
            headers: Vec::new(),
        };
        let mut statuses: Vec<u16> = COMMON_ERRORS.iter().chain(&ERRORS).copied().collect();
        statuses.sort_unstable();
        let errors = statuses.into_iter().map(error_response);
        MetaResponses {
            responses: std::iter::once(success).chain(errors).collect(),
        }
    }

    fn register(registry: &mut Registry) {
        ProblemBody::register(registry);
    }
}
