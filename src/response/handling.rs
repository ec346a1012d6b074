//! The preference for strict handling of a request (RFC 7240, section 4.4).

use poem::http::HeaderMap;

/// How a request wants to be handled if it contains something unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Handling {
    /// Unknown names are ignored, and listed in the response.
    #[default]
    Lenient,
    /// Unknown names are errors.
    Strict,
}

impl Handling {
    /// The handling that the request prefers. If it names several, the first one (RFC 7240, section 2).
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all("prefer").iter();
        let preferences = values.filter_map(|value| value.to_str().ok()).flat_map(preferences);
        let mut handling = preferences.filter_map(|preference| {
            // Parameters of a preference follow a semicolon. This one has none.
            let (name, value) = preference.split(';').next()?.split_once('=')?;
            let is_handling = name.trim().eq_ignore_ascii_case("handling");
            is_handling.then(|| value.trim().trim_matches('"').to_ascii_lowercase())
        });
        match handling.next().as_deref() {
            Some("strict") => Self::Strict,
            _ => Self::Lenient,
        }
    }
}

/// The preferences in a header: its parts between commas outside quotes.
fn preferences(header: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    header.split(move |character| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_handling_is_recognised() {
        for (prefer, expected) in [
            (&[][..], Handling::Lenient),
            (&["handling=strict"], Handling::Strict),
            (&["Handling = \"Strict\""], Handling::Strict),
            (&["return=minimal, handling=strict; foo=bar"], Handling::Strict),
            (&["respond-async", "wait=10,handling=strict"], Handling::Strict),
            (&["handling=lenient"], Handling::Lenient),
            (&["handling=lenient, handling=strict"], Handling::Lenient),
            (&["handling"], Handling::Lenient),
            (&["strict"], Handling::Lenient),
            (&["note=\"a, handling=strict\""], Handling::Lenient),
        ] {
            let mut headers = HeaderMap::new();
            for value in prefer {
                headers.append("prefer", value.parse().expect("a header"));
            }
            assert_eq!(Handling::of(&headers), expected, "{prefer:?}");
        }
    }
}
