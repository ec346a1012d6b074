//! Search terms, by the number of matching events.

use std::collections::{HashMap, HashSet};

/// The maximum number of matches of searches with a target.
pub(crate) const MAX_MATCHES: u64 = 10_000;
/// Numbers of matches are estimated, so words must stay below this fraction of the maximum.
const SAFETY_MARGIN: f64 = 0.8;
/// The maximum number of words of each list.
const MAX_WORDS: usize = 300;

/// Folded words of at least three letters.
pub(crate) struct SearchWords {
    /// Words with at most [`MAX_MATCHES`] matches.
    pub rare: Vec<String>,
    /// Words with more matches, most frequent first. Empty in small databases.
    pub common: Vec<String>,
    /// Two words separated by a space, with at most [`MAX_MATCHES`] common matches.
    pub pairs: Vec<String>,
}

impl SearchWords {
    /// Selects words from sampled texts of a database with this number of events.
    pub(crate) fn of(texts: &[String], events: u64) -> Self {
        let factor = events as f64 / texts.len().max(1) as f64;
        let max_matches = (MAX_MATCHES as f64 * SAFETY_MARGIN / factor) as usize;
        let mut words: Vec<(&str, usize)> = count_words(texts).into_iter().collect();
        words.sort_unstable_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
        let candidates = evenly_spaced(words.iter().filter(|(_, count)| *count <= max_matches));
        // Searches also match parts of words.
        let rare: Vec<String> = candidates
            .into_iter()
            .filter(|word| matches(texts, &[word]) <= max_matches)
            .map(str::to_owned)
            .collect();
        let common = words
            .iter()
            .take(MAX_WORDS)
            .filter(|(_, count)| *count > max_matches)
            .map(|(word, _)| (*word).to_owned())
            .collect();
        Self {
            pairs: pairs(texts, &rare, max_matches),
            rare,
            common,
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphabetic())
        .filter(|word| word.chars().count() >= 3)
}

/// The number of texts that contain each word.
fn count_words(texts: &[String]) -> HashMap<&str, usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for text in texts {
        let words: HashSet<&str> = words_of(text).collect();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// At most [`MAX_WORDS`] words, evenly spaced over the list.
fn evenly_spaced<'a>(words: impl Iterator<Item = &'a (&'a str, usize)>) -> Vec<&'a str> {
    let words: Vec<&str> = words.map(|(word, _)| *word).collect();
    let step = (words.len() / MAX_WORDS).max(1);
    words.into_iter().step_by(step).take(MAX_WORDS).collect()
}

fn matches(texts: &[String], words: &[&str]) -> usize {
    let has = |text: &&String| words.iter().all(|word| text.contains(word));
    texts.iter().filter(has).count()
}

/// Pairs each rare word with another word of the same text.
fn pairs(texts: &[String], rare: &[String], max_matches: usize) -> Vec<String> {
    let mut pairs = Vec::new();
    for (index, first) in rare.iter().enumerate() {
        let Some(text) = texts.iter().find(|text| text.contains(first.as_str())) else {
            continue;
        };
        let others: Vec<&str> = words_of(text).filter(|word| word != first).collect();
        let second = others.get(index % others.len().max(1));
        if let Some(second) = second
            && matches(texts, &[first, second]) <= max_matches
        {
            pairs.push(format!("{first} {second}"));
        }
    }
    pairs
}
