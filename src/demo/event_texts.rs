//! Generates titles and descriptions of events.

use super::{
    event_type::{EventType, VenueType},
    event_type_table::{ONLINE_PRACTICAL_SENTENCES, PRACTICAL_SENTENCES},
    random::Random,
    template::Placeholders,
};

/// Share of events with a list in their description.
const WITH_LIST_PER_MILLE: u32 = 200;

/// The texts of an event.
pub(super) struct EventTexts {
    /// Plain text.
    pub title: String,
    /// HTML of one sentence.
    pub excerpt: String,
    /// HTML of about eighty words.
    pub description: String,
}

impl EventTexts {
    /// Random texts for an event of the type.
    pub(super) fn generate(random: &mut Random, event_type: &EventType, placeholders: &mut Placeholders) -> Self {
        let title = *random.pick(event_type.titles);
        let title = placeholders.render_text(random, title);
        let opening = *random.pick(event_type.openings);
        let excerpt = placeholders.render_html(random, opening);
        let details = sentences(random, event_type.details, 2, placeholders);
        let practical = match event_type.venue_type {
            VenueType::Online => ONLINE_PRACTICAL_SENTENCES,
            _ => PRACTICAL_SENTENCES,
        };
        let practical = sentences(random, practical, 2, placeholders);
        let details = details.join(" ");
        let description = if random.per_mille(WITH_LIST_PER_MILLE) {
            let items = practical.join("</li>\n<li>");
            format!("<p>{excerpt}</p>\n<p>{details}</p>\n<ul>\n<li>{items}</li>\n</ul>")
        } else {
            let practical = practical.join(" ");
            format!("<p><strong>{excerpt}</strong></p>\n<p>{details}</p>\n<p>{practical}</p>")
        };
        Self {
            title,
            excerpt,
            description,
        }
    }
}

fn sentences(
    random: &mut Random,
    templates: &'static [&'static str],
    count: usize,
    placeholders: &mut Placeholders,
) -> Vec<String> {
    let templates: Vec<&'static str> = random.sample(templates, count).copied().collect();
    templates
        .into_iter()
        .map(|template| placeholders.render_html(random, template))
        .collect()
}
