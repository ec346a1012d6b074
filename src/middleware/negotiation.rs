//! Content negotiation (RFC 9110, section 12.5): media types and content codings.

use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, header},
};

use super::layers::LayeredEndpoint;
use crate::{
    api::operations,
    error::Problem,
    response::{MediaType, media_type::JSON},
};

/// Chooses the media type of the response among those that the operation serves. Responds with 406 if `Accept` excludes
/// them all.
pub(crate) async fn negotiate(next: LayeredEndpoint, mut request: Request) -> Result<Response> {
    match select(&request) {
        Some(media_type) => {
            request.set_data(media_type);
            next.call(request).await
        }
        None => Err(Problem::not_acceptable().into()),
    }
}

/// The media type that `Accept` prefers among those that the operation of the request serves. If several are equally
/// preferred, the first one that the operation lists.
pub(crate) fn select(request: &Request) -> Option<MediaType> {
    let operation = operations::find(request.method(), request.uri().path());
    let offered = operation.map_or([JSON].as_slice(), |operation| operation.media_types);
    prefer(request.headers(), offered).map(MediaType)
}

fn prefer(headers: &HeaderMap, offered: &[&'static str]) -> Option<&'static str> {
    let ranges: Vec<Range> = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .flat_map(|accept| accept.split(','))
        .filter(|range| !range.trim().is_empty())
        .map(Range::parse)
        .collect();
    if ranges.is_empty() {
        return offered.first().copied();
    }
    let mut best = None;
    for media_type in offered {
        // The most specific range decides.
        let range = ranges.iter().filter(|range| range.specificity(media_type) > 0);
        let Some(range) = range.max_by_key(|range| range.specificity(media_type)) else {
            continue;
        };
        if range.quality > best.map_or(0.0, |(quality, _)| quality) {
            best = Some((range.quality, *media_type));
        }
    }
    best.map(|(_, media_type)| media_type)
}

/// One range of an `Accept` header.
struct Range {
    /// None matches nothing.
    media_range: Option<mime::Mime>,
    quality: f32,
}

impl Range {
    fn parse(text: &str) -> Self {
        let text = text.trim();
        // Old clients write `*` for `*/*`.
        let any = || text.starts_with('*').then_some(mime::STAR_STAR);
        let media_range = text.parse::<mime::Mime>().ok().or_else(any);
        let quality = media_range.as_ref().and_then(|range| range.get_param("q"));
        Self {
            quality: quality.and_then(|quality| quality.as_str().parse().ok()).unwrap_or(1.0),
            media_range,
        }
    }

    /// 3 for the media type itself, 2 for its type, 1 for all, 0 if it does not match.
    fn specificity(&self, media_type: &str) -> u8 {
        let Some(range) = &self.media_range else { return 0 };
        let (ty, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
        match (range.type_().as_str(), range.subtype().as_str()) {
            ("*", _) => 1,
            (own, "*") if own == ty => 2,
            (own, own_subtype) if own == ty && own_subtype == subtype => 3,
            // `application/problem+json` is JSON.
            ("application", _) if media_type == JSON && range.suffix() == Some(mime::JSON) => 3,
            _ => 0,
        }
    }
}

/// Whether the client accepts responses compressed with gzip.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let is_refused = parts
                .filter_map(|part| part.strip_prefix("q="))
                .any(|quality| quality.parse() == Ok(0.0_f32));
            is_gzip && !is_refused
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_media_type() {
        const CALENDAR: &str = "text/calendar";
        for (accept, expected) in [
            ("", Some(JSON)),
            ("*/*", Some(JSON)),
            ("*", Some(JSON)),
            ("application/json", Some(JSON)),
            ("application/problem+json", Some(JSON)),
            ("text/html, application/*;q=0.1", Some(JSON)),
            ("text/calendar", Some(CALENDAR)),
            ("text/calendar;q=0.5, application/json", Some(JSON)),
            ("text/calendar, application/json;q=0.5", Some(CALENDAR)),
            ("application/json;q=0, */*", Some(CALENDAR)),
            ("application/json;q=0, text/calendar;q=0", None),
            ("text/html", None),
            ("nonsense", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().expect("a header"));
            assert_eq!(prefer(&headers, &[JSON, CALENDAR]), expected, "{accept}");
        }
    }
}
