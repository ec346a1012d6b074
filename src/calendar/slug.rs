//! Slugs: the readable part of a public URL.

use std::borrow::Cow;

use chrono::NaiveDate;
use percent_encoding::percent_decode_str;

use super::text::clean_line;

/// The maximum length of a slug. Slugs that this program makes are ASCII; imported ones may have other letters.
pub(crate) const MAX_BYTES: usize = 200;

/// Transliterates `text` into lower-case ASCII letters, digits and single hyphens.
///
/// At most [`MAX_BYTES`] bytes, without a hyphen at either end. Empty if no character can be transliterated.
pub(crate) fn slugify(text: &str) -> String {
    let mut slug = slug::slugify(text);
    truncate(&mut slug, MAX_BYTES);
    slug
}

/// Appends a number to make a slug unique: `name-2`. Still at most [`MAX_BYTES`] bytes.
///
/// An empty base gives the number alone, because a slug never starts with a hyphen.
pub(crate) fn with_suffix(base: &str, number: u32) -> String {
    let suffix = format!("-{number}");
    let mut base = base.to_owned();
    truncate(&mut base, MAX_BYTES - suffix.len());
    if base.is_empty() {
        return number.to_string();
    }
    base + &suffix
}

/// Appends a date to the slug of a series: `yoga-2027-01-05`. Still at most [`MAX_BYTES`] bytes.
///
/// An empty stem becomes `event`, because a slug consists of more than its date.
pub(crate) fn with_date(stem: &str, date: NaiveDate) -> String {
    let suffix = format!("-{}", date.format("%Y-%m-%d"));
    let mut stem = if stem.is_empty() { "event" } else { stem }.to_owned();
    truncate(&mut stem, MAX_BYTES - suffix.len());
    stem + &suffix
}

/// Whether the slug is the base, or the base with a numeric suffix.
pub(crate) fn is_made_from(slug: &str, base: &str) -> bool {
    let number = slug.rsplit('-').next().and_then(|number| number.parse().ok());
    slug == base || number.is_some_and(|number| with_suffix(base, number) == slug)
}

/// The slug as it is part of URLs, and of the responses of WordPress: letters beyond ASCII are percent-encoded, in
/// lower case.
pub(crate) fn encoded(slug: &str) -> Cow<'_, str> {
    if slug.is_ascii() {
        return Cow::Borrowed(slug);
    }
    let mut encoded = String::with_capacity(slug.len() * 3);
    for byte in slug.bytes() {
        match byte.is_ascii() {
            true => encoded.push(char::from(byte)),
            false => encoded += &format!("%{byte:02x}"),
        }
    }
    Cow::Owned(encoded)
}

/// The slug that a client refers to, as it is stored: in lower case, decoded if it is in the form of [`encoded`], and
/// normalised with [`clean_line`].
pub(crate) fn decoded(slug: &str) -> String {
    let decoded = percent_decode_str(slug).decode_utf8();
    clean_line(decoded.as_deref().unwrap_or(slug)).to_lowercase()
}

fn truncate(slug: &mut String, max_bytes: usize) {
    slug.truncate(slug.floor_char_boundary(max_bytes));
    slug.truncate(slug.trim_end_matches('-').len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slugify_titles() {
        for (title, slug) in [
            ("Jazz in the Park", "jazz-in-the-park"),
            ("  Été à Genève!  ", "ete-a-geneve"),
            ("Straßenfest – Köln", "strassenfest-koln"),
            ("Łódź & Ærø", "lodz-aero"),
            ("Концерт", "kontsert"),
            ("新年", "xin-nian"),
            ("AT&T", "at-t"),
            ("--a__b--", "a-b"),
            ("!!!", ""),
            ("", ""),
        ] {
            assert_eq!(slugify(title), slug, "{title}");
        }
    }

    #[test]
    fn truncation_leaves_no_trailing_hyphen() {
        let title = format!("{} end", "a".repeat(MAX_BYTES - 1));
        assert_eq!(slugify(&title), "a".repeat(MAX_BYTES - 1));
    }

    #[test]
    fn numeric_suffix() {
        for (base, number, slug) in [
            ("jazz", 2, "jazz-2".to_owned()),
            ("", 2, "2".to_owned()),
            (&"a".repeat(MAX_BYTES), 12, format!("{}-12", "a".repeat(MAX_BYTES - 3))),
            (&"a-".repeat(MAX_BYTES / 2), 2, format!("{}a-2", "a-".repeat(98))),
        ] {
            assert_eq!(with_suffix(base, number), slug);
        }
    }

    #[test]
    fn date_suffix() {
        let date = NaiveDate::from_ymd_opt(2027, 1, 5).unwrap();
        for (stem, slug) in [
            ("yoga", "yoga-2027-01-05".to_owned()),
            ("", "event-2027-01-05".to_owned()),
            (
                &"a".repeat(MAX_BYTES),
                format!("{}-2027-01-05", "a".repeat(MAX_BYTES - 11)),
            ),
        ] {
            assert_eq!(with_date(stem, date), slug);
        }
    }

    #[test]
    fn encoded_slugs() {
        for (slug, expected) in [("jazz-2", "jazz-2"), ("新", "%e6%96%b0"), ("café", "caf%c3%a9")] {
            assert_eq!(encoded(slug), expected);
            assert_eq!(decoded(expected), slug);
            assert_eq!(decoded(&expected.to_uppercase()), slug);
        }
        for (slug, expected) in [
            ("100%", "100%"),
            ("%ff", "%ff"),
            (" Jazz%00", "jazz"),
            ("cafe%cc%81", "café"),
        ] {
            assert_eq!(decoded(slug), expected);
        }
    }

    fn is_slug(text: &str) -> bool {
        text.len() <= MAX_BYTES
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !text.contains("--")
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    }

    proptest! {
        #[test]
        fn slugs_are_well_formed_and_stable(text in any::<String>()) {
            let slug = slugify(&text);
            prop_assert!(is_slug(&slug));
            prop_assert_eq!(slugify(&slug), slug);
        }

        #[test]
        fn long_slugs_are_well_formed_and_stable(text in "[a-zA-Z äß新]{150,300}") {
            let slug = slugify(&text);
            prop_assert!(is_slug(&slug));
            prop_assert_eq!(slugify(&slug), slug);
        }

        #[test]
        fn suffixed_slug_is_well_formed(text in "[a-z -]{0,250}", number in any::<u32>()) {
            let slug = with_suffix(&slugify(&text), number);
            prop_assert!(is_slug(&slug));
            let ending = number.to_string();
            prop_assert!(slug.ends_with(&ending));
        }
    }
}
