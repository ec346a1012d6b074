//! Words to search for, by how many events they are in.

use std::collections::{HashMap, HashSet};

/// The most matches of a search that is held to a limit.
pub const FEW: u64 = 10_000;
/// The amounts are estimated: words must stay clear of the limit.
const CLEAR: f64 = 0.8;
/// Words of each sort that are enough.
const ENOUGH: usize = 300;

/// Folded words of three letters or more.
pub struct Words {
    /// In up to ten thousand events each.
    pub rare: Vec<String>,
    /// In more, if there are so many events: those in most come first.
    pub common: Vec<String>,
    /// Two words that are together in up to ten thousand events, with a space between them.
    pub pairs: Vec<String>,
}

impl Words {
    /// From a sample of the texts of so many events.
    pub fn of(texts: &[String], events: u64) -> Self {
        let factor = events as f64 / texts.len().max(1) as f64;
        let most = (FEW as f64 * CLEAR / factor) as usize;
        let mut whole: Vec<(&str, usize)> = whole_words(texts).into_iter().collect();
        whole.sort_unstable_by_key(|(word, amount)| (std::cmp::Reverse(*amount), *word));
        let few = spread(whole.iter().filter(|(_, amount)| *amount <= most));
        // A search finds parts of words too.
        let rare: Vec<String> = few
            .into_iter()
            .filter(|word| matches(texts, &[word]) <= most)
            .map(str::to_owned)
            .collect();
        let common = whole
            .iter()
            .take(ENOUGH)
            .filter(|(_, amount)| *amount > most)
            .map(|(word, _)| (*word).to_owned())
            .collect();
        Self {
            pairs: pairs(texts, &rare, most),
            rare,
            common,
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphabetic())
        .filter(|word| word.chars().count() >= 3)
}

/// In how many texts each word is.
fn whole_words(texts: &[String]) -> HashMap<&str, usize> {
    let mut amounts: HashMap<&str, usize> = HashMap::new();
    for text in texts {
        let words: HashSet<&str> = words_of(text).collect();
        for word in words {
            *amounts.entry(word).or_default() += 1;
        }
    }
    amounts
}

/// Enough of them, from all parts of the list.
fn spread<'a>(words: impl Iterator<Item = &'a (&'a str, usize)>) -> Vec<&'a str> {
    let words: Vec<&str> = words.map(|(word, _)| *word).collect();
    let step = (words.len() / ENOUGH).max(1);
    words.into_iter().step_by(step).take(ENOUGH).collect()
}

fn matches(texts: &[String], words: &[&str]) -> usize {
    let has = |text: &&String| words.iter().all(|word| text.contains(word));
    texts.iter().filter(has).count()
}

/// Each rare word, together with another one of a text that has it.
fn pairs(texts: &[String], rare: &[String], most: usize) -> Vec<String> {
    let mut pairs = Vec::new();
    for (place, first) in rare.iter().enumerate() {
        let Some(text) = texts.iter().find(|text| text.contains(first.as_str())) else {
            continue;
        };
        let others: Vec<&str> = words_of(text).filter(|word| word != first).collect();
        let second = others.get(place % others.len().max(1));
        if let Some(second) = second
            && matches(texts, &[first, second]) <= most
        {
            pairs.push(format!("{first} {second}"));
        }
    }
    pairs
}
