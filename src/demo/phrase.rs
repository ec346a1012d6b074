//! Titles and sentences from templates: `{person} on {topic}`.

use super::{
    random::Random,
    words::{
        ADJECTIVES, COMPOSERS, CRAFTS, ENSEMBLES, FIRST_NAMES, FOODS, LANDMARKS, LANGUAGES, LAST_NAMES, MARKETS, NOUNS,
        PASTIMES, TECHNOLOGIES, TOPICS,
    },
};

/// What the words in braces stand for in the texts of one event: its description speaks of the person
/// whom its title names.
pub struct Cast {
    known: Vec<(&'static str, String)>,
}

impl Cast {
    /// A cast in which these words are given. Others are drawn when a template first needs them.
    pub fn new(known: Vec<(&'static str, String)>) -> Self {
        Self { known }
    }

    /// The template as plain text.
    pub fn plain(&mut self, dice: &mut Random, template: &'static str) -> String {
        self.fill_in(dice, template, str::to_owned)
    }

    /// The template, which is HTML, as HTML.
    pub fn html(&mut self, dice: &mut Random, template: &'static str) -> String {
        self.fill_in(dice, template, |word| word.replace('&', "&amp;"))
    }

    fn fill_in(&mut self, dice: &mut Random, template: &'static str, written: impl Fn(&str) -> String) -> String {
        let mut text = String::with_capacity(2 * template.len());
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
            text.push_str(before);
            text.push_str(&written(&self.word(dice, name)));
            rest = after;
        }
        text + rest
    }

    fn word(&mut self, dice: &mut Random, name: &'static str) -> String {
        if let Some((_, word)) = self.known.iter().find(|(known, _)| *known == name) {
            return word.clone();
        }
        let drawn = match name.strip_prefix("other ") {
            None => draw(dice, name),
            Some(same) => {
                let first = self.word(dice, same);
                let mut other = draw(dice, same);
                while other == first {
                    other = draw(dice, same);
                }
                other
            }
        };
        self.known.push((name, drawn.clone()));
        drawn
    }
}

/// The name of somebody.
pub fn person(dice: &mut Random) -> String {
    format!("{} {}", dice.pick(FIRST_NAMES), dice.pick(LAST_NAMES))
}

fn draw(dice: &mut Random, name: &'static str) -> String {
    let table = match name {
        "person" => return person(dice),
        "theme" => return format!("{} {}", dice.pick(ADJECTIVES), dice.pick(NOUNS)),
        "act" => return format!("The {} {}", dice.pick(ADJECTIVES), dice.pick(NOUNS)),
        "composer" => COMPOSERS,
        "craft" => CRAFTS,
        "ensemble" => ENSEMBLES,
        "food" => FOODS,
        "landmark" => LANDMARKS,
        "language" => LANGUAGES,
        "market" => MARKETS,
        "pastime" => PASTIMES,
        "technology" => TECHNOLOGIES,
        "topic" => TOPICS,
        other => unreachable!("no template has the word {other}, as a test makes sure"),
    };
    (*dice.pick(table)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{
        kind::Kind,
        programme::{FESTIVAL, KINDS, PRACTICAL, PRACTICAL_ONLINE},
    };

    fn templates(kind: &Kind) -> impl Iterator<Item = &'static str> {
        let texts = [kind.titles, kind.openings, kind.details];
        texts.into_iter().flatten().copied()
    }

    #[test]
    fn every_word_in_a_template_is_known() {
        let mut dice = Random::new();
        let all = KINDS.iter().chain([&FESTIVAL]).flat_map(templates);
        for template in all.chain(PRACTICAL.iter().chain(PRACTICAL_ONLINE).copied()) {
            let given = ["venue", "organizer", "town", "weekday"];
            let known = given.map(|word| (word, word.to_owned()));
            let text = Cast::new(known.into()).html(&mut dice, template);
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn a_word_stays_the_same_and_the_other_one_differs() {
        let mut dice = Random::new();
        for _ in 0..200 {
            let mut cast = Cast::new(Vec::new());
            let text = cast.plain(&mut dice, "{composer}|{other composer}|{composer}");
            let words: Vec<&str> = text.split('|').collect();
            assert_eq!(words[0], words[2]);
            assert_ne!(words[0], words[1]);
        }
    }

    #[test]
    fn words_are_escaped_in_html_alone() {
        let mut dice = Random::new();
        let mut cast = Cast::new(vec![("organizer", "Fox & Anchor".to_owned())]);
        assert_eq!(cast.plain(&mut dice, "{organizer}"), "Fox & Anchor");
        assert_eq!(cast.html(&mut dice, "{organizer}"), "Fox &amp; Anchor");
    }
}
