//! What the demo calendar says about its events.

use super::{
    kind::{Kind, Setting},
    phrase::Cast,
    programme::{PRACTICAL, PRACTICAL_ONLINE},
    random::Random,
};

/// Of a thousand events, so many have a list in their description.
const AS_A_LIST: u32 = 200;

/// The texts of an event.
pub struct Prose {
    /// Plain text.
    pub title: String,
    /// One sentence of HTML.
    pub excerpt: String,
    /// About eighty words of HTML.
    pub description: String,
}

impl Prose {
    /// About an event of this kind.
    pub fn about(dice: &mut Random, kind: &Kind, cast: &mut Cast) -> Self {
        let title = *dice.pick(kind.titles);
        let title = cast.plain(dice, title);
        let opening = *dice.pick(kind.openings);
        let excerpt = cast.html(dice, opening);
        let details = sentences(dice, kind.details, 2, cast);
        let practical = match kind.setting {
            Setting::Online => PRACTICAL_ONLINE,
            _ => PRACTICAL,
        };
        let practical = sentences(dice, practical, 2, cast);
        let details = details.join(" ");
        let description = if dice.per_mille(AS_A_LIST) {
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

fn sentences(dice: &mut Random, templates: &'static [&'static str], amount: usize, cast: &mut Cast) -> Vec<String> {
    let chosen: Vec<&'static str> = dice.several(templates, amount).copied().collect();
    chosen.into_iter().map(|template| cast.html(dice, template)).collect()
}
