//! Events as they are planned: one at a time, or one a week.

use chrono::{NaiveDate, TimeDelta};

use super::{
    city::{ABROAD, CITY, HOME, Region},
    days::{Days, Hours},
    kind::{Kind, Rhythm, Setting},
    organizers::Host,
    phrase::Cast,
    price::price,
    prose::Prose,
    random::Random,
    stock::Stock,
    venues::Place,
};
use crate::{
    calendar::{html::text_content, slug::slugify, zone::Zone},
    services::event::search_text,
    store::entity::event,
};

/// Of a thousand events, so many have an image, an address on the web, something in their custom fields; and
/// of those that cost something so many have tickets.
const PICTURED: u32 = 600;
const ON_THE_WEB: u32 = 500;
const CUSTOMISED: u32 = 100;
const TICKETED: u32 = 600;

/// What some events have in their custom fields.
const CUSTOM_FIELDS: &[&str] = &[
    r#"{"language":"English"}"#,
    r#"{"minimum_age":18}"#,
    r#"{"language":"Irish","level":"beginners"}"#,
    r#"{"accessibility":["step-free","hearing loop"]}"#,
];

/// The IDs of what an event links to.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub venues: Vec<i64>,
    pub organizers: Vec<i64>,
    pub categories: Vec<i64>,
    pub tags: Vec<i64>,
}

/// An event that others belong to.
#[derive(Clone, Debug)]
pub struct Festival {
    pub id: i64,
    pub title: String,
    pub first_day: NaiveDate,
    /// Its days after the first one.
    pub further_days: i64,
}

impl Festival {
    fn any_day(&self, dice: &mut Random) -> NaiveDate {
        self.first_day + TimeDelta::days(dice.between(0..=self.further_days))
    }
}

/// A run of events that differ in nothing but their day, slug and publication; often a run of one.
pub struct Series {
    /// The event, but for what differs.
    pub template: event::Model,
    pub links: Links,
    /// The slug of the first one.
    pub slug: String,
    pub zone: Zone,
    pub hours: Hours,
    /// The day of the next one.
    pub day: NaiveDate,
    /// How many are still to come.
    left: i64,
}

impl Series {
    /// Plans something of this kind, as part of the festival where there is one.
    pub fn plan(dice: &mut Random, stock: &Stock, days: &Days, kind: &Kind, festival: Option<&Festival>) -> Self {
        let day = match festival {
            Some(festival) => festival.any_day(dice),
            None => days.any(dice),
        };
        let is_online = kind.setting == Setting::Online;
        let region = if is_online { dice.pick(&ABROAD) } else { &HOME };
        let place = stock.places.any(dice, kind.setting);
        let hosts = stock.hosts(dice);
        let mut cast = cast(place, hosts.first().copied(), day);
        let mut prose = Prose::about(dice, kind, &mut cast);
        if let Some(festival) = festival {
            prose.title = format!("{}: {}", festival.title, prose.title);
        }
        let slug = slugify(&prose.title);
        let mut template = template(dice, stock, kind, region, prose);
        template.post_parent = festival.map(|festival| festival.id);
        if let Some(host) = hosts.first().filter(|_| dice.per_mille(ON_THE_WEB)) {
            template.website = format!("{}{slug}", host.website);
        }
        if let Some(place) = place.filter(|place| place.is_mapped) {
            template.show_map = true;
            template.show_map_link = true;
            template.located = place.is_published;
        }
        Self {
            template,
            links: Links {
                venues: place.iter().map(|place| place.id).collect(),
                organizers: hosts.iter().map(|host| host.id).collect(),
                categories: stock.terms.categories(dice, kind),
                tags: stock.terms.tags(dice, kind),
            },
            slug,
            zone: region.zone(),
            hours: Hours::of(dice, kind),
            day,
            left: match kind.rhythm {
                Rhythm::Weekly(most) if festival.is_none() => dice.between(1..=most),
                _ => 1,
            },
        }
    }

    /// Goes on to the next week; `None` when there is nothing more to come.
    pub fn next_week(mut self, days: &Days) -> Option<Self> {
        self.left -= 1;
        self.day += TimeDelta::weeks(1);
        (self.left > 0 && days.reach(self.day)).then_some(self)
    }
}

/// The words that are known of an event before anything is drawn.
fn cast(place: Option<&Place>, host: Option<&Host>, day: NaiveDate) -> Cast {
    let city = || CITY.name.to_owned();
    Cast::new(vec![
        ("venue", place.map_or_else(city, |place| place.name.clone())),
        ("town", place.map_or_else(city, |place| place.town.clone())),
        ("organizer", host.map_or_else(city, |host| host.name.clone())),
        ("weekday", day.format("%A").to_string()),
    ])
}

/// The event as far as it is independent of its place and its day.
fn template(dice: &mut Random, stock: &Stock, kind: &Kind, region: &Region, prose: Prose) -> event::Model {
    let custom_fields = if dice.per_mille(CUSTOMISED) {
        *dice.pick(CUSTOM_FIELDS)
    } else {
        "{}"
    };
    let description_text = text_content(&prose.description);
    event::Model {
        id: 0,
        version: 1,
        status: String::new(),
        trashed_status: None,
        trashed_at: None,
        slug: String::new(),
        published_at: 0,
        modified_at: 0,
        // As crate::edit::event derives it.
        search_text: search_text(&prose.title, &description_text),
        title: prose.title,
        description: prose.description,
        description_text: Some(description_text),
        author_id: stock.background.author,
        image_id: stock.background.images.any(dice, kind.name, PICTURED),
        excerpt: prose.excerpt,
        starts_at: 0,
        ends_at: 0,
        timezone: String::new(),
        starts_local: 0,
        ends_local: 0,
        starts_offset: None,
        ends_offset: None,
        tz_release: String::new(),
        cost: price(dice, kind.price, region.currency),
        website: String::new(),
        custom_fields: custom_fields.to_owned(),
        post_parent: None,
        all_day: false,
        show_map: false,
        show_map_link: false,
        hide_from_listings: false,
        sticky: false,
        featured: false,
        ticketed: kind.price.is_some() && dice.per_mille(TICKETED),
        located: false,
    }
}
