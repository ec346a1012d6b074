//! Words of folded texts, from which searches are indexed, and the words that a text must have to contain a term.
//!
//! A word is a maximal run of letters and digits. Two kinds of run are divided further, so that the number of distinct
//! words stays small: those of scripts without spaces between words, such as Chinese, into pairs of characters; and
//! very long ones into overlapping parts. Where a run begins and ends depends on two neighbouring characters only,
//! hence a term is divided like the texts around it.
//!
//! An index of words that other rules have divided finds other rows. Change the rules together with a migration that
//! queues all rows again.

use std::cmp::{Reverse, min};

/// How the letters of a script form words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    /// Words are separated.
    Spaced,
    /// Words follow each other directly.
    Unspaced,
}

impl Script {
    /// The script of a letter or digit. None for any other character. The ranges are fixed, unlike those of the
    /// standard library, which grow with Unicode. Marks, and characters that are unknown here, count as letters.
    fn of(character: char) -> Option<Self> {
        match character {
            '0'..='9' | 'a'..='z' | 'A'..='Z' => Some(Self::Spaced),
            // ASCII and Latin-1: controls, punctuation and signs.
            '\0'..='\u{bf}' | '×' | '÷' => None,
            // Punctuation, currencies, arrows, mathematical and other signs; CJK punctuation; pictographs.
            '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{1f000}'..='\u{1faff}' => None,
            // Thai, Lao, Tibetan and Burmese; Khmer; Japanese and Chinese.
            '\u{e00}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{312f}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Some(Self::Unspaced),
            _ => Some(Self::Spaced),
        }
    }

    /// The maximum length of a word, in characters.
    fn longest_word(self) -> usize {
        match self {
            Self::Spaced => 64,
            Self::Unspaced => 2,
        }
    }

    /// The distance from one part of a longer run to the next.
    fn step(self) -> usize {
        match self {
            Self::Spaced => 32,
            Self::Unspaced => 1,
        }
    }

    /// The length up to which each part of a run is in one of its words.
    fn longest_part(self) -> usize {
        self.longest_word() - self.step() + 1
    }

    /// The words of a run of this script.
    fn words(self, run: &str) -> impl Iterator<Item = &str> {
        let mut ends: Vec<usize> = match run.len() <= self.longest_word() {
            // It has no more characters than bytes: it is one word.
            true => vec![0],
            false => run.char_indices().map(|(index, _)| index).collect(),
        };
        ends.push(run.len());
        let length = min(self.longest_word(), ends.len() - 1);
        let last = ends.len() - 1 - length;
        let firsts = (0..last).step_by(self.step()).chain([last]);
        firsts.map(move |first| &run[ends[first]..ends[first + length]])
    }
}

/// A run of letters and digits of one script.
#[derive(Clone, Copy, Debug)]
struct Run<'a> {
    script: Script,
    text: &'a str,
    /// The position in the whole text, in bytes.
    start: usize,
}

fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let rest = &text[position..];
        let before = rest.find(|character| Script::of(character).is_some())?;
        let rest = &rest[before..];
        let script = rest.chars().next().and_then(Script::of)?;
        let length = rest.find(|character| Script::of(character) != Some(script));
        let run = &rest[..length.unwrap_or(rest.len())];
        let start = position + before;
        position = start + run.len();
        Some(Run {
            script,
            text: run,
            start,
        })
    })
}

/// The distinct words of a folded text, sorted.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = runs(text).flat_map(|run| run.script.words(run.text)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Selects words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordPattern {
    /// This word.
    Is(String),
    /// Words that begin with these characters.
    BeginsWith(String),
    /// Words that end with these characters.
    EndsWith(String),
    /// Words that have these characters anywhere.
    Contains(String),
}

impl WordPattern {
    /// The letters and digits that all selected words have.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Is(text) | Self::BeginsWith(text) | Self::EndsWith(text) | Self::Contains(text) => text,
        }
    }
}

/// The words that a text must have to contain a term: one of each pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TermWords {
    /// The patterns, longest first.
    pub patterns: Vec<WordPattern>,
    /// Whether each text with such words contains the term. Otherwise the texts must be compared.
    pub is_exact: bool,
}

impl TermWords {
    /// The maximum number of patterns. More of them hardly exclude other texts.
    const MAX_PATTERNS: usize = 4;

    /// Divides a term, which must be folded.
    pub(crate) fn of(term: &str) -> Self {
        let mut patterns = Vec::new();
        let mut is_exact = false;
        for run in runs(term) {
            let Run { script, text, start } = run;
            // The text may continue the run there.
            let (is_open_before, is_open_after) = (start == 0, start + text.len() == term.len());
            let longest = script.longest_part();
            let is_short = text.chars().count() <= longest;
            is_exact = is_short && is_open_before && is_open_after;
            match (script, is_open_before, is_open_after) {
                (_, true, true) if is_short => patterns.push(WordPattern::Contains(text.to_owned())),
                (_, true, false) if is_short => patterns.push(WordPattern::EndsWith(text.to_owned())),
                (_, false, true) if is_short => patterns.push(WordPattern::BeginsWith(text.to_owned())),
                (_, false, false) if is_short => patterns.push(WordPattern::Is(text.to_owned())),
                (Script::Unspaced, ..) => {
                    patterns.extend(script.words(text).map(|word| WordPattern::Is(word.to_owned())));
                }
                (Script::Spaced, true, _) => patterns.push(WordPattern::Contains(prefix(text, longest))),
                (Script::Spaced, false, _) => patterns.push(WordPattern::BeginsWith(prefix(text, longest))),
            }
        }
        patterns.sort_by_key(|pattern| Reverse(pattern.text().len()));
        patterns.dedup();
        patterns.truncate(Self::MAX_PATTERNS);
        Self { patterns, is_exact }
    }
}

/// The first characters.
fn prefix(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        WordPattern::{BeginsWith, Contains, EndsWith, Is},
        *,
    };
    use crate::calendar::text::fold;
    use proptest::prelude::*;

    impl WordPattern {
        fn selects(&self, word: &str) -> bool {
            match self {
                Is(text) => word == text,
                BeginsWith(text) => word.starts_with(text.as_str()),
                EndsWith(text) => word.ends_with(text.as_str()),
                Contains(text) => word.contains(text.as_str()),
            }
        }
    }

    /// Whether the text has a word for each pattern.
    fn has_words(text: &str, term: &TermWords) -> bool {
        let words = words(text);
        let has = |pattern: &WordPattern| words.iter().any(|word| pattern.selects(word));
        term.patterns.iter().all(has)
    }

    #[test]
    fn words_of_texts() {
        for (text, expected) in [
            ("", &[][..]),
            (" - ,.;", &[]),
            ("jazz night, jazz!", &["jazz", "night"]),
            ("hip-hop 2027", &["2027", "hip", "hop"]),
            ("„jazz“ – 5€ ¿que? 🎷sax", &["5", "jazz", "que", "sax"]),
            ("йога हिन्दी", &["йога", "हिन्दी"]),
            ("音楽会", &["楽会", "音楽"]),
            ("音", &["音"]),
            ("jazz音楽。会場", &["jazz", "会場", "音楽"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn long_runs_are_divided() {
        for length in [1, 63, 64, 65, 95, 96, 97, 128, 129, 1000] {
            let run: String = ('a'..='z').cycle().take(length).collect();
            let words = words(&run);
            assert!(words.iter().all(|word| word.len() == length.min(64)), "{length}");
            for start in 0..length {
                let part = &run[start..length.min(start + 33)];
                assert!(words.iter().any(|word| word.contains(part)), "{length} {start}");
            }
        }
    }

    #[test]
    fn patterns_of_terms() {
        let owned = str::to_owned;
        let long = "a".repeat(40);
        for (term, patterns, is_exact) in [
            ("jazz", vec![Contains(owned("jazz"))], true),
            ("音楽", vec![Contains(owned("音楽"))], true),
            ("音楽会", vec![Is(owned("音楽")), Is(owned("楽会"))], false),
            (
                "jazz night",
                vec![BeginsWith(owned("night")), EndsWith(owned("jazz"))],
                false,
            ),
            ("hip-hop", vec![EndsWith(owned("hip")), BeginsWith(owned("hop"))], false),
            ("rock-", vec![EndsWith(owned("rock"))], false),
            ("-x", vec![BeginsWith(owned("x"))], false),
            (
                "out of town",
                vec![BeginsWith(owned("town")), EndsWith(owned("out")), Is(owned("of"))],
                false,
            ),
            ("z音", vec![BeginsWith(owned("音")), EndsWith(owned("z"))], false),
            ("&", vec![], false),
            (long.as_str(), vec![Contains("a".repeat(33))], false),
            (
                "a b c d e f",
                vec![EndsWith(owned("a")), Is(owned("b")), Is(owned("c")), Is(owned("d"))],
                false,
            ),
        ] {
            assert_eq!(TermWords::of(term), TermWords { patterns, is_exact }, "{term}");
        }
    }

    /// Folded texts of few characters, so that terms occur in them.
    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            "[ab]{1,3}",
            "[ab]{30,140}",
            "[音楽会]{1,4}",
            "[ -.&€。]{1,2}",
            "[йд]{1,2}",
        ];
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| fold(&pieces.concat()))
    }

    proptest! {
        #[test]
        fn parts_of_a_text_are_found_by_its_words(text in texts(), start in 0_usize..200, length in 1_usize..80) {
            let characters: Vec<char> = text.chars().collect();
            let start = start.min(characters.len());
            let part: String = characters[start..characters.len().min(start + length)].iter().collect();
            let term = part.trim();
            prop_assert!(has_words(&text, &TermWords::of(term)), "{term:?} in {text:?}");
        }

        #[test]
        fn exact_terms_need_no_comparison(text in texts(), term in texts()) {
            let term = term.chars().take(3).collect::<String>();
            let words = TermWords::of(term.trim());
            if words.is_exact {
                prop_assert_eq!(has_words(&text, &words), text.contains(term.trim()), "{} in {}", term, text);
            }
        }
    }
}
