//! Slugs of WordPress, which are percent-encoded in its database and in its responses.

use percent_encoding::percent_decode_str;

use crate::calendar::{
    slug::{MAX_BYTES, slugify},
    text::clean_line,
};

/// Decodes a slug. Returns none if it can't be part of a path, or is too long.
pub(super) fn decode(slug: &str) -> Option<String> {
    let decoded = percent_decode_str(slug).decode_utf8().ok()?;
    let decoded = clean_line(&decoded);
    let is_usable = !decoded.is_empty()
        && decoded.len() <= MAX_BYTES
        && !decoded.contains(|letter: char| letter.is_whitespace() || "/?#%\\\"<>".contains(letter));
    is_usable.then_some(decoded)
}

/// The slug of an object whose own one can't be used.
pub(super) fn fallback(slug: &str, title: &str) -> String {
    match slugify(slug) {
        slug if slug.is_empty() => slugify(title),
        slug => slug,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_of_wordpress() {
        for (slug, expected) in [
            ("jazz-night", Some("jazz-night")),
            ("%e6%96%b0%e5%b9%b4", Some("新年")),
            ("%E6%96%B0", Some("新")),
            ("caf%c3%a9-2", Some("café-2")),
            ("under_score", Some("under_score")),
            ("%ff", None),
            ("a%2fb", None),
            ("a b", None),
            ("", None),
        ] {
            assert_eq!(decode(slug).as_deref(), expected, "{slug}");
        }
    }
}
