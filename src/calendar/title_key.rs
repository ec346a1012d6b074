//! Titles in a form that databases compare and sort byte by byte.

use super::text::{collapse_whitespace, fold};

/// The maximum number of characters. The index of PostgreSQL accepts rows of up to 2,704 bytes. No title reaches it,
/// unless it consists of ligatures.
const MAX_CHARACTERS: usize = 600;

/// Separates the folded title from the lowercase one. Sorts before all characters of titles.
const SEPARATOR: char = '\u{1}';

/// The key of a title. Titles have the same key if they differ only in letter case and in the width of spaces.
///
/// Keys sort like words in a dictionary: without accents and then, among titles that differ only in them, with accents.
pub(crate) fn title_key(title: &str) -> String {
    let folded = fold(title);
    let lower: String =
        collapse_whitespace(title.chars().flat_map(char::to_lowercase).map(without_final_form)).collect();
    let mut key = folded;
    if key != lower {
        key.push(SEPARATOR);
        key.push_str(&lower);
    }
    match key.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => key[..end].to_owned(),
        None => key,
    }
}

/// The final sigma has the same capital as the other one.
fn without_final_form(lower: char) -> char {
    match lower {
        'ς' => 'σ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_and_spaces_do_not_count() {
        for (one, other) in [
            ("Jazz Night", "JAZZ  night"),
            ("Café", "CAFÉ"),
            ("ΟΔΟΣ", "οδος"),
            ("Москва", "МОСКВА"),
        ] {
            assert_eq!(title_key(one), title_key(other), "{one}");
        }
        for (one, other) in [
            ("Cafe", "Café"),
            ("Jazz", "Jazz Night"),
            ("Strasse", "Straße"),
            ("A-B", "A B"),
        ] {
            assert_ne!(title_key(one), title_key(other), "{one}");
        }
    }

    #[test]
    fn keys_sort_like_a_dictionary() {
        let sorted = ["Cafe", "Café", "café Olé", "Caffè", "Östlich", "Pause", "zebra"];
        assert!(sorted.map(title_key).is_sorted());
    }

    #[test]
    fn keys_fit_into_an_index() {
        assert!(title_key(&"\u{fdfa}".repeat(200)).len() <= 2_400);
    }
}
