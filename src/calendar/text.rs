//! Normalisation of text from clients, and folding of text for search.

use std::{borrow::Cow, collections::HashSet};

use deunicode::deunicode_char;
use unicode_normalization::{IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfc_quick};

/// Limits on the text that searches match, in distinct trigrams and in characters. The cost of indexing it, and of
/// comparing it with terms, grows with both. Prose in an alphabetic script stays below them.
const MAX_TRIGRAMS: usize = 10_000;
const MAX_SEARCH_CHARACTERS: usize = 110_000;

/// Normalises one line of text: NFC, trimmed, without control characters. Line breaks and tabs become spaces.
pub(crate) fn clean_line(text: &str) -> String {
    clean(text, |character| match character {
        '\n' | '\t' => Some(' '),
        other => (!is_control(other)).then_some(other),
    })
}

/// Normalises text of several lines: NFC, trimmed, without control characters other than tabs and line feeds. All line
/// breaks become line feeds.
pub(crate) fn clean_block(text: &str) -> String {
    clean(text, |character| match character {
        '\n' | '\t' => Some(character),
        other => (!is_control(other)).then_some(other),
    })
}

/// Folds text for comparison: removes case and accents, and collapses whitespace.
///
/// Removes the accents of Latin and Greek letters. Letters of other scripts keep their marks, which distinguish letters
/// (й, が), but lose their case. `ß` becomes `ss`, `ø` becomes `o`, `æ` becomes `ae`.
pub fn fold(text: &str) -> String {
    fold_up_to(text, usize::MAX)
}

/// Folds text, and keeps at most this number of characters.
fn fold_up_to(text: &str, max: usize) -> String {
    let mut folded = String::with_capacity(text.len());
    // Whitespace is never composed with the letters around it.
    for word in text.split(is_ascii_whitespace) {
        // A character has at most four bytes: there are more than `max` characters.
        if folded.len() / 4 > max {
            break;
        }
        let end = folded.len();
        if end > 0 {
            folded.push(' ');
        }
        let start = folded.len();
        // Most words are ASCII, and need no tables.
        if word.is_ascii() {
            folded.push_str(word);
            folded[start..].make_ascii_lowercase();
        } else {
            folded.extend(collapse_whitespace(fold_word(word)).take(max));
        }
        if folded.len() == start {
            folded.truncate(end);
        }
    }
    if let Some((end, _)) = folded.char_indices().nth(max) {
        folded.truncate(end);
    }
    folded
}

/// Includes the vertical tab, unlike [`char::is_ascii_whitespace`].
fn is_ascii_whitespace(character: char) -> bool {
    character.is_ascii() && character.is_whitespace()
}

fn fold_word(word: &str) -> impl Iterator<Item = char> {
    let mut base = ' ';
    let letters = word.nfkd().filter(move |&character| {
        if character.is_ascii() || !is_combining_mark(character) {
            base = character;
            return true;
        }
        !is_accent(character) || keeps_accents(base)
    });
    letters.flat_map(char::to_lowercase).flat_map(transliterate).nfkc()
}

/// Transliterates a Latin letter to ASCII and a final sigma to `σ`. Keeps other characters.
fn transliterate(lower: char) -> impl Iterator<Item = char> {
    let (kept, letters) = match lower {
        'ς' => (Some('σ'), ""),
        _ if is_latin_beyond_ascii(lower) => match deunicode_char(lower) {
            Some(letters) => (None, letters),
            None => (Some(lower), ""),
        },
        _ => (Some(lower), ""),
    };
    let letters = letters.chars().map(|letter| letter.to_ascii_lowercase());
    kept.into_iter().chain(letters)
}

/// The text that searches match: the given texts, joined, folded, and truncated at [`MAX_TRIGRAMS`] distinct trigrams.
/// Only very long texts in scripts with thousands of characters, such as Chinese, reach that limit.
pub(crate) fn to_search_text(texts: &[&str]) -> String {
    let joined = texts.join("\n");
    let folded = fold_up_to(&joined, MAX_SEARCH_CHARACTERS);
    if folded.len() <= MAX_TRIGRAMS {
        // It has fewer trigrams than bytes.
        return folded;
    }
    let mut trigrams = HashSet::new();
    let mut trigram = 0_u64;
    folded
        .chars()
        .take_while(|&character| {
            // A character has 21 bits.
            trigram = (trigram << 21 | u64::from(character)) & !(1 << 63);
            trigrams.insert(trigram);
            trigrams.len() <= MAX_TRIGRAMS
        })
        .collect()
}

fn clean(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let mut text = Cow::Borrowed(text);
    if text.contains(OTHER_LINE_TERMINATORS) {
        text = text.replace("\r\n", "\n").replace(OTHER_LINE_TERMINATORS, "\n").into();
    }
    let kept: String = text.chars().filter_map(keep).collect();
    let normal = match is_nfc_quick(kept.chars()) {
        IsNormalized::Yes => kept,
        IsNormalized::No | IsNormalized::Maybe => kept.nfc().collect(),
    };
    normal.trim().to_owned()
}

/// Line terminators that [`clean`] replaces with `\n`, as it does `\r\n`.
const OTHER_LINE_TERMINATORS: [char; 3] = ['\r', '\u{2028}', '\u{2029}'];

/// Control characters, and the byte order mark at any position.
fn is_control(character: char) -> bool {
    character.is_control() || character == '\u{feff}'
}

/// Trims the text, and replaces each run of whitespace with one space.
pub(crate) fn collapse_whitespace(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let (mut has_begun, mut is_after_space) = (false, false);
    text.flat_map(move |character| {
        if character.is_whitespace() {
            is_after_space = has_begun;
            return [None, None];
        }
        let space = is_after_space.then_some(' ');
        (has_begun, is_after_space) = (true, false);
        [space, Some(character)]
    })
    .flatten()
}

/// Combining Diacritical Marks, which Latin, Greek and Cyrillic share.
fn is_accent(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}')
}

fn keeps_accents(base: char) -> bool {
    let is_greek = matches!(base, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}');
    base.is_alphabetic() && !base.is_ascii() && !is_latin_beyond_ascii(base) && !is_greek
}

fn is_latin_beyond_ascii(character: char) -> bool {
    matches!(character, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && character.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clean_line_removes_control_characters() {
        for (text, expected) in [
            ("  Jazz\tin\r\nthe\nPark\r", "Jazz in the Park"),
            ("a\u{0}b\u{7f}c\u{85}d\u{feff}", "abcd"),
            ("a\u{2028}b\u{2029}c", "a b c"),
            ("e\u{301}", "é"),
            ("e\u{0}\u{301}", "é"),
            ("\u{a0}x\u{3000}", "x"),
        ] {
            assert_eq!(clean_line(text), expected);
        }
    }

    #[test]
    fn clean_block_keeps_line_breaks() {
        assert_eq!(clean_block(" a\r\n\tb\rc\n\nd\u{0}\n"), "a\n\tb\nc\n\nd");
    }

    #[test]
    fn fold_removes_case_and_accents() {
        for (text, expected) in [
            ("Crème  BRÛLÉE\n", "creme brulee"),
            ("Straße STRASSE ẞ", "strasse strasse ss"),
            ("Łódź Ærø Smørrebrød", "lodz aero smorrebrod"),
            ("İstanbul ISPARTA ı", "istanbul isparta i"),
            ("ﬁne ＦＵＬＬ x²", "fine full x2"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("Йога Ёлка", "йога ёлка"),
            ("がっこう 新年 한국", "がっこう 新年 한국"),
            ("آذار", "آذار"),
            ("हिन्दी", "हिन्दी"),
            ("50 € ÷ 2 × 3", "50 € ÷ 2 × 3"),
            ("\u{b}A\tB\u{b}\u{301}\r\n\u{a0}\u{3000}ẞ\u{2003}C\u{c}", "a b ss c"),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }

    #[test]
    fn search_text_limits() {
        let kanji: String = ('\u{4e00}'..='\u{9fff}').collect();
        for (text, expected) in [
            ("word ".repeat(20_000), 100_000 - 1),
            (kanji.clone(), MAX_TRIGRAMS),
            (kanji.repeat(3), MAX_TRIGRAMS),
            ("字".repeat(100_000), 100_000),
            ("ß".repeat(100_000), MAX_SEARCH_CHARACTERS),
            ("\u{fdfa}".repeat(100_000), MAX_SEARCH_CHARACTERS),
        ] {
            let start: String = text.chars().take(5).collect();
            assert_eq!(to_search_text(&[&text]).chars().count(), expected, "{start}");
        }
        assert_eq!(to_search_text(&["Crème", "Brûlée"]), "creme brulee");
    }

    #[test]
    fn fold_is_idempotent_for_every_character() {
        for character in ('\0'..=char::MAX).collect::<Vec<_>>().chunks(64) {
            let folded = fold(&character.iter().collect::<String>());
            assert_eq!(fold(&folded), folded);
        }
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent(text in any::<String>()) {
            for clean in [clean_line, clean_block, fold] {
                let once = clean(&text);
                prop_assert_eq!(clean(&once), once);
            }
        }
    }
}
