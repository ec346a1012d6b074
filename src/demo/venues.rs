//! The demo calendar's venues.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    bulk,
    city::{CITY, COUNTRY, PROVINCE, TOWNS, Town},
    images::PLACES,
    kind::Setting,
    publication::Publication,
    random::Random,
    slugs::Slugs,
    stock::Background,
    words::{INDOORS, LANDMARKS, LAST_NAMES, OUTDOORS, STREETS, VENUES},
};
use crate::{
    calendar::{html::text_content, slug::slugify, status::Status},
    services::venue::derive,
    store::{Transaction, entity::venue},
};

/// Of a thousand venues, so many lie in the city, have no coordinates.
const IN_THE_CITY: u32 = 800;
const UNMAPPED: u32 = 80;

/// A place that an event can be held at.
pub struct Place {
    pub id: i64,
    pub name: String,
    pub town: String,
    pub is_mapped: bool,
    pub is_published: bool,
}

/// The places that suit each setting.
#[derive(Default)]
pub struct Places {
    by_setting: HashMap<Setting, Vec<Place>>,
}

impl Places {
    /// Stores so many venues.
    pub async fn insert(
        transaction: &Transaction,
        dice: &mut Random,
        background: &Background,
        amount: u64,
    ) -> Result<Self, DbErr> {
        let mut slugs = Slugs::default();
        let settings = VENUES.iter().map(|(setting, _)| *setting);
        let rows: Vec<venue::Model> = (0..amount)
            .zip(VENUES.iter().cycle())
            .map(|(number, (setting, sorts))| venue(dice, background, &mut slugs, number, *setting, sorts))
            .collect();
        let places: Vec<Place> = rows.iter().map(place).collect();
        let ids = bulk::insert::<venue::Entity>(transaction, rows).await?;
        let mut by_setting: HashMap<Setting, Vec<Place>> = HashMap::new();
        for ((id, place), setting) in ids.zip(places).zip(settings.cycle()) {
            by_setting.entry(setting).or_default().push(Place { id, ..place });
        }
        Ok(Self { by_setting })
    }

    /// A place that suits the setting, if there is one.
    pub fn any(&self, dice: &mut Random, setting: Setting) -> Option<&Place> {
        dice.favourite(self.by_setting.get(&setting)?)
    }
}

/// What events need to know of a venue that has no ID yet.
fn place(row: &venue::Model) -> Place {
    Place {
        id: 0,
        name: row.title.clone(),
        town: row.city.clone(),
        is_mapped: row.geo_lat.is_some(),
        is_published: row.status == Status::Publish.as_str(),
    }
}

fn venue(
    dice: &mut Random,
    background: &Background,
    slugs: &mut Slugs,
    number: u64,
    setting: Setting,
    sorts: &[&str],
) -> venue::Model {
    let title = name(dice, sorts);
    let slug = slugs.next(&slugify(&title));
    let town = if dice.per_mille(IN_THE_CITY) {
        &CITY
    } else {
        dice.pick(&TOWNS)
    };
    let (geo_lat, geo_lng) = if dice.per_mille(UNMAPPED) {
        (None, None)
    } else {
        let (latitude, longitude) = position(dice, town);
        (Some(latitude), Some(longitude))
    };
    let sentences = match setting {
        Setting::Outdoors => OUTDOORS,
        _ => INDOORS,
    };
    let publication = Publication::of_host(dice, background.today, number);
    let description = paragraph(dice, sentences);
    let mut row = venue::Model {
        id: 0,
        version: 1,
        status: publication.status.as_str().to_owned(),
        trashed_status: None,
        trashed_at: None,
        published_at: publication.published_at,
        modified_at: publication.modified_at,
        description_text: Some(text_content(&description)),
        description,
        search_text: String::new(),
        author_id: background.author,
        image_id: background.images.any(dice, PLACES, 500),
        name_key: String::new(),
        address: format!("{} {}", dice.between(1..=120), dice.pick(STREETS)),
        city: town.name.to_owned(),
        country: COUNTRY.to_owned(),
        province: PROVINCE.to_owned(),
        state: String::new(),
        zip: format!("{} A{:03}", town.postal_area, dice.between(1..=999)),
        phone: phone(dice),
        website: format!("https://{slug}.example.org/"),
        geo_lat,
        geo_lng,
        globe_x: None,
        globe_y: None,
        globe_z: None,
        show_map: geo_lat.is_some(),
        show_map_link: geo_lat.is_some(),
        follows_event_id: None,
        last_ends_at: None,
        title,
        slug,
    };
    derive(&mut row);
    row
}

fn name(dice: &mut Random, sorts: &[&str]) -> String {
    let owner = match dice.between(0..=9) {
        0..6 => dice.pick(LANDMARKS),
        6..8 => dice.pick(STREETS),
        _ => dice.pick(LAST_NAMES),
    };
    format!("{owner} {}", dice.pick(sorts))
}

/// Somewhere around the middle of the town, most likely near it: at most 5 km away on each axis.
fn position(dice: &mut Random, town: &Town) -> (f64, f64) {
    let mut degrees = |middle: f64, farthest: i64| {
        let microdegrees: i64 = (0..3).map(|_| dice.between(-farthest..=farthest)).sum();
        let precise = middle + microdegrees as f64 / 3e6;
        // As many digits as anybody writes.
        (precise * 1e6).round() / 1e6
    };
    (degrees(town.latitude, 45_000), degrees(town.longitude, 73_000))
}

/// Two sentences as a paragraph.
pub fn paragraph(dice: &mut Random, sentences: &[&str]) -> String {
    let chosen: Vec<&str> = dice.several(sentences, 2).copied().collect();
    format!("<p>{}</p>", chosen.join(" "))
}

/// A telephone number that nobody has, or none.
pub fn phone(dice: &mut Random) -> String {
    if dice.per_mille(300) {
        return String::new();
    }
    format!("+353 20 915 {:04}", dice.between(0..=9999))
}
