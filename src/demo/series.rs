//! Generates weekly series of events, and single events as series of one.

use chrono::{NaiveDate, TimeDelta};

use super::{
    days::{Days, Hours},
    event_texts::EventTexts,
    event_type::{EventType, Schedule, VenueType},
    geography::{CITY, HOME_REGION, ONLINE_REGIONS, Region},
    organizers::OrganizerRef,
    price::price,
    random::Random,
    reference_data::ReferenceData,
    template::Placeholders,
    venues::VenueRef,
};
use crate::{
    calendar::{html::text_content, slug::slugify, zone::Zone},
    store::{bulk_load::LoadedLinks, entity::event},
};

/// Shares of events with an image, a website and custom fields, and of paid events with tickets.
const WITH_IMAGE_PER_MILLE: u32 = 600;
const WITH_WEBSITE_PER_MILLE: u32 = 500;
const WITH_CUSTOM_FIELDS_PER_MILLE: u32 = 100;
const TICKETED_PER_MILLE: u32 = 600;

/// Values of `custom_fields`, as JSON.
const CUSTOM_FIELDS: &[&str] = &[
    r#"{"language":"English"}"#,
    r#"{"minimum_age":18}"#,
    r#"{"language":"Irish","level":"beginners"}"#,
    r#"{"accessibility":["step-free","hearing loop"]}"#,
];

/// An event that is the parent of others.
#[derive(Clone, Debug)]
pub(super) struct Festival {
    pub id: i64,
    pub title: String,
    pub first_day: NaiveDate,
    /// The number of days after the first one.
    pub additional_days: i64,
}

impl Festival {
    fn random_day(&self, random: &mut Random) -> NaiveDate {
        self.first_day + TimeDelta::days(random.between(0..=self.additional_days))
    }
}

/// Weekly events that differ only in their day, slug, publication and flags. Often only one.
pub(super) struct Series {
    /// The common fields.
    pub template: event::Model,
    pub links: LoadedLinks,
    /// The slug of the first event.
    pub slug: String,
    pub zone: Zone,
    pub hours: Hours,
    /// The day of the next event.
    pub day: NaiveDate,
    /// The number of remaining events.
    remaining: i64,
}

impl Series {
    /// A random series of the event type. With a festival, a single event that belongs to it.
    pub(super) fn generate(
        random: &mut Random,
        reference_data: &ReferenceData,
        days: &Days,
        event_type: &EventType,
        festival: Option<&Festival>,
    ) -> Self {
        let day = match festival {
            Some(festival) => festival.random_day(random),
            None => days.random_day(random),
        };
        let is_online = event_type.venue_type == VenueType::Online;
        let region = if is_online {
            random.pick(&ONLINE_REGIONS)
        } else {
            &HOME_REGION
        };
        let venue = reference_data.venues.pick(random, event_type.venue_type);
        let organizers = reference_data.organizers(random);
        let mut placeholders = known_placeholders(venue, organizers.first().copied(), day);
        let mut texts = EventTexts::generate(random, event_type, &mut placeholders);
        if let Some(festival) = festival {
            texts.title = format!("{}: {}", festival.title, texts.title);
        }
        let slug = slugify(&texts.title);
        let mut template = event_template(random, reference_data, event_type, region, texts);
        template.derive_search_text();
        template.derive_keys();
        template.post_parent = festival.map(|festival| festival.id);
        // The website of an online event is where it takes place.
        let has_website = random.per_mille(WITH_WEBSITE_PER_MILLE) || is_online;
        if let Some(organizer) = organizers.first().filter(|_| has_website) {
            template.website = format!("{}{slug}", organizer.website);
        }
        if let Some(venue) = venue.filter(|venue| venue.has_coordinates) {
            template.show_map = true;
            template.show_map_link = true;
            template.located = venue.is_published;
        }
        let categories = reference_data.terms.categories(random, event_type);
        Self {
            template,
            links: LoadedLinks {
                venues: venue.iter().map(|venue| venue.id).collect(),
                organizers: organizers.iter().map(|organizer| organizer.id).collect(),
                category_closure: reference_data.terms.with_ancestors(&categories),
                categories,
                tags: reference_data.terms.tags(random, event_type),
            },
            slug,
            zone: region.zone(),
            hours: Hours::generate(random, event_type),
            day,
            remaining: match event_type.schedule {
                Schedule::Weekly(max_weeks) if festival.is_none() => random.between(1..=max_weeks),
                _ => 1,
            },
        }
    }

    /// Advances to the next week. `None` at the end of the series.
    pub(super) fn next_week(mut self, days: &Days) -> Option<Self> {
        self.remaining -= 1;
        self.day += TimeDelta::weeks(1);
        (self.remaining > 0 && days.includes(self.day)).then_some(self)
    }
}

/// The placeholders whose values are not random.
fn known_placeholders(venue: Option<&VenueRef>, organizer: Option<&OrganizerRef>, day: NaiveDate) -> Placeholders {
    let city = || CITY.name.to_owned();
    Placeholders::new(vec![
        ("venue", venue.map_or_else(city, |venue| venue.name.clone())),
        ("town", venue.map_or_else(city, |venue| venue.town.clone())),
        (
            "organizer",
            organizer.map_or_else(city, |organizer| organizer.name.clone()),
        ),
        ("weekday", day.format("%A").to_string()),
    ])
}

/// The fields that do not depend on the venue and the day.
fn event_template(
    random: &mut Random,
    reference_data: &ReferenceData,
    event_type: &EventType,
    region: &Region,
    texts: EventTexts,
) -> event::Model {
    let custom_fields = if random.per_mille(WITH_CUSTOM_FIELDS_PER_MILLE) {
        *random.pick(CUSTOM_FIELDS)
    } else {
        "{}"
    };
    let description_text = text_content(&texts.description);
    event::Model {
        id: 0,
        version: 1,
        status: String::new(),
        trashed_status: None,
        trashed_at: None,
        slug: String::new(),
        published_at: 0,
        modified_at: 0,
        search_text: String::new(),
        title: texts.title,
        title_key: None,
        description: texts.description,
        description_text: Some(description_text),
        author_id: reference_data.context.author,
        image_id: reference_data
            .context
            .images
            .pick(random, event_type.name, WITH_IMAGE_PER_MILLE),
        excerpt: texts.excerpt,
        starts_at: 0,
        ends_at: 0,
        timezone: String::new(),
        starts_local: 0,
        ends_local: 0,
        starts_offset: None,
        ends_offset: None,
        tz_release: String::new(),
        cost: price(random, event_type.price, region.currency),
        cost_min: None,
        cost_max: None,
        website: String::new(),
        custom_fields: custom_fields.to_owned(),
        event_status: String::new(),
        post_parent: None,
        all_day: false,
        show_map: false,
        show_map_link: false,
        hide_from_listings: false,
        sticky: false,
        featured: false,
        ticketed: event_type.price.is_some() && random.per_mille(TICKETED_PER_MILLE),
        located: false,
        series_id: None,
        recurrence_id: None,
        overridden: String::new(),
        uid: None,
        external_source: None,
        external_id: None,
    }
}
