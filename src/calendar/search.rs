//! Search queries: words and phrases that a text must or must not contain.

use super::text::fold;

/// A parsed search query. Its terms are folded like the texts that they are compared with ([`fold`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words and phrases that must all occur, without duplicates.
    pub included: Vec<String>,
    /// Words and phrases of which none may occur, without duplicates.
    pub excluded: Vec<String>,
}

impl Search {
    /// Parses words and `"quoted phrases"`, each excluded if it has the prefix `-`. A quote that is not closed extends
    /// to the end of the text.
    pub fn parse(text: &str) -> Self {
        let text = fold(text);
        let mut search = Self::default();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (is_excluded, term) = match rest.strip_prefix('-') {
                Some(term) => (true, term),
                None => (false, rest),
            };
            let (term, after) = match term.strip_prefix('"') {
                Some(phrase) => phrase.split_once('"').unwrap_or((phrase, "")),
                None => term.split_at(term.find([' ', '"']).unwrap_or(term.len())),
            };
            let (term, terms) = match is_excluded {
                true => (term.trim().to_owned(), &mut search.excluded),
                false => (term.trim().to_owned(), &mut search.included),
            };
            if !term.is_empty() && !terms.contains(&term) {
                terms.push(term);
            }
            rest = after.trim_start();
        }
        search
    }

    /// Whether the query has no terms.
    pub fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_phrases_and_exclusions() {
        for (text, included, excluded) in [
            ("", &[][..], &[][..]),
            ("Jazz  NIGHT", &["jazz", "night"], &[]),
            ("\"Jazz  Night\" Berlin", &["jazz night", "berlin"], &[]),
            ("jazz -rock -\"open air\"", &["jazz"], &["rock", "open air"]),
            ("\"open quote to the end", &["open quote to the end"], &[]),
            ("jazz -\"open quote", &["jazz"], &["open quote"]),
            ("-rock", &[], &["rock"]),
            ("jazz -rock JAZZ \"jazz\" -Rock", &["jazz"], &["rock"]),
            ("hip-hop rock-", &["hip-hop", "rock-"], &[]),
            ("--x", &[], &["-x"]),
            ("jazz - night -", &["jazz", "night"], &[]),
            ("\"\" -\"\" \" \"", &[], &[]),
            ("12\" vinyl", &["12", "vinyl"], &[]),
            ("a\"b c\"d", &["a", "b c", "d"], &[]),
            ("\"-not excluded\"", &["-not excluded"], &[]),
            ("Crème －BRÛLÉE", &["creme"], &["brulee"]),
            ("100% a_b \\", &["100%", "a_b", "\\"], &[]),
        ] {
            let search = Search::parse(text);
            assert_eq!(search.included, included, "{text}");
            assert_eq!(search.excluded, excluded, "{text}");
        }
    }

    proptest! {
        #[test]
        fn terms_are_folded_and_not_empty(text in any::<String>()) {
            let Search { included, excluded } = Search::parse(&text);
            for term in included.iter().chain(&excluded) {
                prop_assert!(!term.is_empty() && !term.contains('"'));
                prop_assert_eq!(&fold(term), term);
            }
        }
    }
}
