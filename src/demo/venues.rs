//! Generates venues.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    event_type::VenueType,
    geography::{CITY, COUNTRY, PROVINCE, TOWNS, Town},
    picture::VENUE_FOLDER,
    publication::Publication,
    random::Random,
    reference_data::GenerationContext,
    slugs::UniqueSlugs,
    words::{INDOOR_SENTENCES, LANDMARKS, LAST_NAMES, OUTDOOR_SENTENCES, STREETS, VENUE_NAMES},
};
use crate::{
    calendar::{html::text_content, slug::slugify, status::Status},
    services::venue::derive,
    store::{Transaction, bulk_load, entity::venue},
};

/// Shares of venues in the city, and without coordinates.
const IN_CITY_PER_MILLE: u32 = 800;
const WITHOUT_COORDINATES_PER_MILLE: u32 = 80;

/// The fields of a venue that events need.
pub(super) struct VenueRef {
    pub id: i64,
    pub name: String,
    pub town: String,
    pub has_coordinates: bool,
    pub is_published: bool,
}

/// The venues by type.
#[derive(Default)]
pub(super) struct Venues {
    by_type: HashMap<VenueType, Vec<VenueRef>>,
}

impl Venues {
    /// Inserts `count` venues.
    pub(super) async fn insert(
        transaction: &Transaction,
        random: &mut Random,
        context: &GenerationContext,
        count: u64,
    ) -> Result<Self, DbErr> {
        let mut slugs = UniqueSlugs::default();
        let venue_types = VENUE_NAMES.iter().map(|(venue_type, _)| *venue_type);
        let rows: Vec<venue::Model> = (0..count)
            .zip(VENUE_NAMES.iter().cycle())
            .map(|(number, (venue_type, name_suffixes))| {
                venue_row(random, context, &mut slugs, number, *venue_type, name_suffixes)
            })
            .collect();
        let venues: Vec<VenueRef> = rows.iter().map(venue_ref).collect();
        let ids = bulk_load::insert::<venue::Entity>(transaction, rows).await?;
        let mut by_type: HashMap<VenueType, Vec<VenueRef>> = HashMap::new();
        for ((id, venue), venue_type) in ids.zip(venues).zip(venue_types.cycle()) {
            by_type.entry(venue_type).or_default().push(VenueRef { id, ..venue });
        }
        Ok(Self { by_type })
    }

    /// A random venue of the type. `None` for online events.
    pub(super) fn pick(&self, random: &mut Random, venue_type: VenueType) -> Option<&VenueRef> {
        random.pick_popular(self.by_type.get(&venue_type)?)
    }
}

fn venue_ref(row: &venue::Model) -> VenueRef {
    VenueRef {
        id: 0,
        name: row.title.clone(),
        town: row.city.clone(),
        has_coordinates: row.geo_lat.is_some(),
        is_published: row.status == Status::Publish.as_str(),
    }
}

fn venue_row(
    random: &mut Random,
    context: &GenerationContext,
    slugs: &mut UniqueSlugs,
    number: u64,
    venue_type: VenueType,
    name_suffixes: &[&str],
) -> venue::Model {
    let title = name(random, name_suffixes);
    let slug = slugs.next(&slugify(&title));
    let town = if random.per_mille(IN_CITY_PER_MILLE) {
        &CITY
    } else {
        random.pick(&TOWNS)
    };
    let (geo_lat, geo_lng) = if random.per_mille(WITHOUT_COORDINATES_PER_MILLE) {
        (None, None)
    } else {
        let (latitude, longitude) = position(random, town);
        (Some(latitude), Some(longitude))
    };
    let sentences = match venue_type {
        VenueType::Outdoors => OUTDOOR_SENTENCES,
        _ => INDOOR_SENTENCES,
    };
    let publication = Publication::for_linked_resource(random, context.today, number);
    let description = paragraph(random, sentences);
    let mut row = venue::Model {
        version: 1,
        status: publication.status.as_str().to_owned(),
        published_at: publication.published_at,
        modified_at: publication.modified_at,
        description_text: Some(text_content(&description)),
        description,
        author_id: context.author,
        image_id: context.images.pick(random, VENUE_FOLDER, 500),
        address: format!("{} {}", random.between(1..=120), random.pick(STREETS)),
        city: town.name.to_owned(),
        country: COUNTRY.to_owned(),
        province: PROVINCE.to_owned(),
        zip: format!("{} A{:03}", town.postal_area, random.between(1..=999)),
        phone: phone(random),
        website: format!("https://{slug}.example.org/"),
        geo_lat,
        geo_lng,
        show_map: geo_lat.is_some(),
        show_map_link: geo_lat.is_some(),
        title,
        slug,
        // The remaining columns are empty, or computed by `derive` and by triggers.
        ..venue::Model::default()
    };
    derive(&mut row);
    row
}

fn name(random: &mut Random, name_suffixes: &[&str]) -> String {
    let owner = match random.between(0..=9) {
        0..6 => random.pick(LANDMARKS),
        6..8 => random.pick(STREETS),
        _ => random.pick(LAST_NAMES),
    };
    format!("{owner} {}", random.pick(name_suffixes))
}

/// A random position around the centre of the town, most likely near it: at most 5 km away on each axis.
fn position(random: &mut Random, town: &Town) -> (f64, f64) {
    let mut coordinate = |centre: f64, max_offset: i64| {
        let microdegrees: i64 = (0..3).map(|_| random.between(-max_offset..=max_offset)).sum();
        let degrees = centre + microdegrees as f64 / 3e6;
        // Six decimal places, as is usual.
        (degrees * 1e6).round() / 1e6
    };
    (coordinate(town.latitude, 45_000), coordinate(town.longitude, 73_000))
}

/// A paragraph of two random sentences.
pub(super) fn paragraph(random: &mut Random, sentences: &[&str]) -> String {
    let chosen: Vec<&str> = random.sample(sentences, 2).copied().collect();
    format!("<p>{}</p>", chosen.join(" "))
}

/// A fictional telephone number, or none.
pub(super) fn phone(random: &mut Random) -> String {
    if random.per_mille(300) {
        return String::new();
    }
    format!("+353 20 915 {:04}", random.between(0..=9999))
}
