//! What the reader accepts: media type and language.

use std::sync::Arc;

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, header},
};

use crate::error::Problem;

/// Refuses what excludes JSON, in which everything under the namespace answers.
pub async fn require_json<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    if accepts_json(request.headers()) {
        next.call(request).await
    } else {
        Err(Problem::not_acceptable().into())
    }
}

/// Whether the reader takes JSON.
pub fn accepts_json(headers: &HeaderMap) -> bool {
    let mut ranges = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .flat_map(|accept| accept.split(','))
        .filter(|range| !range.trim().is_empty())
        .peekable();
    // Who says nothing takes anything.
    if ranges.peek().is_none() {
        return true;
    }
    ranges
        .filter_map(|range| range.trim().parse::<mime::Mime>().ok().or_else(|| any(range)))
        .any(|range| {
            let refused = range
                .get_param("q")
                .is_some_and(|quality| quality.as_str().parse() == Ok(0.0_f32));
            let fits = match (range.type_().as_str(), range.subtype().as_str()) {
                ("*", _) => true,
                ("application", subtype) => matches!(subtype, "*" | "json") || range.suffix() == Some(mime::JSON),
                _ => false,
            };
            fits && !refused
        })
}

/// Old clients write `*` for `*/*`.
fn any(range: &str) -> Option<mime::Mime> {
    range.trim().starts_with('*').then_some(mime::STAR_STAR)
}
