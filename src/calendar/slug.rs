//! Slugs: the readable part of a public address.

/// The longest slug, in bytes; a slug is ASCII, so also in characters.
pub const LONGEST: usize = 200;

/// Transliterates `text` into lower-case ASCII letters, digits and single hyphens.
///
/// At most [`LONGEST`] bytes, without a hyphen at either end. Empty when nothing of the text can
/// be written so.
pub fn slugify(text: &str) -> String {
    let mut slug = slug::slugify(text);
    shorten(&mut slug, LONGEST);
    slug
}

/// `base` numbered apart from its namesakes: `name-2`. Still at most [`LONGEST`] bytes.
///
/// An empty base gives the number alone, since a slug never starts with a hyphen.
pub fn with_suffix(base: &str, number: u32) -> String {
    let suffix = format!("-{number}");
    let mut base = base.to_owned();
    shorten(&mut base, LONGEST - suffix.len());
    if base.is_empty() {
        return number.to_string();
    }
    base + &suffix
}

/// Whether the slug is the base, or the base with a number.
pub fn is_made_from(slug: &str, base: &str) -> bool {
    let number = slug.rsplit('-').next().and_then(|number| number.parse().ok());
    slug == base || number.is_some_and(|number| with_suffix(base, number) == slug)
}

fn shorten(slug: &mut String, longest: usize) {
    slug.truncate(slug.floor_char_boundary(longest));
    slug.truncate(slug.trim_end_matches('-').len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_become_slugs() {
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
    fn a_long_title_is_cut_without_a_hyphen_at_the_end() {
        let title = format!("{} end", "a".repeat(LONGEST - 1));
        assert_eq!(slugify(&title), "a".repeat(LONGEST - 1));
    }

    #[test]
    fn a_number_keeps_namesakes_apart() {
        for (base, number, slug) in [
            ("jazz", 2, "jazz-2".to_owned()),
            ("", 2, "2".to_owned()),
            (&"a".repeat(LONGEST), 12, format!("{}-12", "a".repeat(LONGEST - 3))),
            (&"a-".repeat(LONGEST / 2), 2, format!("{}a-2", "a-".repeat(98))),
        ] {
            assert_eq!(with_suffix(base, number), slug);
        }
    }

    fn is_slug(text: &str) -> bool {
        text.len() <= LONGEST
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
        fn a_numbered_slug_is_a_slug(text in "[a-z -]{0,250}", number in any::<u32>()) {
            let slug = with_suffix(&slugify(&text), number);
            prop_assert!(is_slug(&slug));
            let ending = number.to_string();
            prop_assert!(slug.ends_with(&ending));
        }
    }
}
