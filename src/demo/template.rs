//! Renders templates such as `{person} on {topic}`.

use super::{
    random::Random,
    words::{
        ADJECTIVES, COMPOSERS, CRAFTS, ENSEMBLES, FIRST_NAMES, FOODS, LANDMARKS, LANGUAGES, LAST_NAMES, MARKETS, NOUNS,
        PASTIMES, TECHNOLOGIES, TOPICS,
    },
};
use crate::calendar::html::escape;

/// The values of placeholders in the texts of one event. A placeholder has the same value in its title and description.
pub(super) struct Placeholders {
    values: Vec<(&'static str, String)>,
}

impl Placeholders {
    /// With the given values. Those of other placeholders are chosen at random on first use.
    pub(super) fn new(values: Vec<(&'static str, String)>) -> Self {
        Self { values }
    }

    /// Renders a template of plain text.
    pub(super) fn render_text(&mut self, random: &mut Random, template: &'static str) -> String {
        self.render(random, template, str::to_owned)
    }

    /// Renders a template of HTML, and escapes the values.
    pub(super) fn render_html(&mut self, random: &mut Random, template: &'static str) -> String {
        self.render(random, template, escape)
    }

    fn render(&mut self, random: &mut Random, template: &'static str, escape: impl Fn(&str) -> String) -> String {
        let mut text = String::with_capacity(2 * template.len());
        let mut rest = template;
        while let Some((before, after_brace)) = rest.split_once('{') {
            let (name, after) = after_brace.split_once('}').unwrap_or((after_brace, ""));
            text.push_str(before);
            text.push_str(&escape(&self.value(random, name)));
            rest = after;
        }
        text + rest
    }

    fn value(&mut self, random: &mut Random, name: &'static str) -> String {
        if let Some((_, value)) = self.values.iter().find(|(known, _)| *known == name) {
            return value.clone();
        }
        let value = match name.strip_prefix("other ") {
            None => random_value(random, name),
            Some(same) => {
                let first = self.value(random, same);
                let mut other = random_value(random, same);
                while other == first {
                    other = random_value(random, same);
                }
                other
            }
        };
        self.values.push((name, value.clone()));
        value
    }
}

/// A random name of a person.
pub(super) fn person(random: &mut Random) -> String {
    format!("{} {}", random.pick(FIRST_NAMES), random.pick(LAST_NAMES))
}

fn random_value(random: &mut Random, name: &'static str) -> String {
    let values = match name {
        "person" => return person(random),
        "theme" => return format!("{} {}", random.pick(ADJECTIVES), random.pick(NOUNS)),
        "act" => return format!("The {} {}", random.pick(ADJECTIVES), random.pick(NOUNS)),
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
        other => unreachable!("unknown placeholder {other}: a test covers all templates"),
    };
    (*random.pick(values)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{
        event_type::EventType,
        event_type_table::{EVENT_TYPES, FESTIVAL, ONLINE_PRACTICAL_SENTENCES, PRACTICAL_SENTENCES},
    };

    fn templates(event_type: &EventType) -> impl Iterator<Item = &'static str> {
        let texts = [event_type.titles, event_type.openings, event_type.details];
        texts.into_iter().flatten().copied()
    }

    #[test]
    fn templates_use_known_placeholders() {
        let mut random = Random::new();
        let all = EVENT_TYPES.iter().chain([&FESTIVAL]).flat_map(templates);
        for template in all.chain(PRACTICAL_SENTENCES.iter().chain(ONLINE_PRACTICAL_SENTENCES).copied()) {
            let given = ["venue", "organizer", "town", "weekday"];
            let known = given.map(|word| (word, word.to_owned()));
            let text = Placeholders::new(known.into()).render_html(&mut random, template);
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn repeated_and_other_placeholders() {
        let mut random = Random::new();
        for _ in 0..200 {
            let mut placeholders = Placeholders::new(Vec::new());
            let text = placeholders.render_text(&mut random, "{composer}|{other composer}|{composer}");
            let words: Vec<&str> = text.split('|').collect();
            assert_eq!(words[0], words[2]);
            assert_ne!(words[0], words[1]);
        }
    }

    #[test]
    fn values_are_escaped_in_html() {
        let mut random = Random::new();
        let mut placeholders = Placeholders::new(vec![("organizer", "Fox & Anchor".to_owned())]);
        assert_eq!(placeholders.render_text(&mut random, "{organizer}"), "Fox & Anchor");
        assert_eq!(placeholders.render_html(&mut random, "{organizer}"), "Fox &amp; Anchor");
    }
}
