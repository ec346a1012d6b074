//! The layer around the native API that names ignored parameters and fields in the response.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, HeaderValue},
};

use crate::{extract::UnknownNames, response::Handling};

/// The header with the names of ignored parameters and fields.
const IGNORED: &str = "x-ignored";
/// The header that confirms strict handling (RFC 7240, section 3).
const PREFERENCE_APPLIED: &str = "preference-applied";
/// The characters of a name that are encoded, besides those outside ASCII: a header or its list can't contain them.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%').add(b',');

/// Adds the headers to the responses of endpoints whose extractors report [`UnknownNames`].
pub(crate) async fn name_ignored(next: impl Endpoint<Output = Response>, mut request: Request) -> Result<Response> {
    let unknown_names = collect(&mut request);
    let result = next.call(request).await;
    if unknown_names.ignored().is_empty() && !unknown_names.is_strict() {
        return result;
    }
    let mut response = result.unwrap_or_else(poem::Error::into_response);
    add_headers(response.headers_mut(), &unknown_names);
    Ok(response)
}

/// Makes the extractors of a request report unknown names.
pub(crate) fn collect(request: &mut Request) -> UnknownNames {
    let is_strict = Handling::of(request.headers()) == Handling::Strict;
    let unknown_names = UnknownNames::new(is_strict);
    request.set_data(unknown_names.clone());
    unknown_names
}

/// Adds the names that were ignored to a response, or the confirmation of strict handling.
pub(crate) fn add_headers(headers: &mut HeaderMap, unknown_names: &UnknownNames) {
    if let Some(names) = header_value(&unknown_names.ignored()) {
        headers.insert(IGNORED, names);
    }
    if unknown_names.is_strict() {
        headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static("handling=strict"));
    }
}

/// The names as a comma-separated list; None if there are none.
fn header_value(names: &[String]) -> Option<HeaderValue> {
    let encoded: Vec<String> = names
        .iter()
        .map(|name| utf8_percent_encode(name, ENCODED).to_string())
        .collect();
    HeaderValue::from_str(&encoded.join(", "))
        .ok()
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_percent_encoded() {
        for (names, expected) in [
            (&[][..], None),
            (&["radius", "venue[0].x"], Some("radius, venue[0].x")),
            (&["a b,c", "50%", "größe"], Some("a%20b%2Cc, 50%25, gr%C3%B6%C3%9Fe")),
            (&["line\nfeed"], Some("line%0Afeed")),
        ] {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let expected = expected.map(HeaderValue::from_static);
            assert_eq!(header_value(&names), expected, "{names:?}");
        }
    }
}
