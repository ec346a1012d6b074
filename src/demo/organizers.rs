//! Generates organizers.

use sea_orm::DbErr;

use super::{
    picture::ORGANIZER_FOLDER,
    publication::Publication,
    random::Random,
    reference_data::GenerationContext,
    slugs::UniqueSlugs,
    template::person,
    venues::{paragraph, phone},
    words::{LANDMARKS, LAST_NAMES, ORGANIZER_NAMES, ORGANIZER_SENTENCES},
};
use crate::{
    calendar::{html::text_content, slug::slugify},
    services::organizer::derive,
    store::{Transaction, bulk_load, entity::organizer},
};

/// The fields of an organizer that events need.
pub(super) struct OrganizerRef {
    pub id: i64,
    pub name: String,
    pub website: String,
}

/// Inserts `count` organizers.
pub(super) async fn insert(
    transaction: &Transaction,
    random: &mut Random,
    context: &GenerationContext,
    count: u64,
) -> Result<Vec<OrganizerRef>, DbErr> {
    let mut slugs = UniqueSlugs::default();
    let rows: Vec<organizer::Model> = (0..count)
        .map(|number| organizer_row(random, context, &mut slugs, number))
        .collect();
    let mut organizers: Vec<OrganizerRef> = rows.iter().map(organizer_ref).collect();
    let ids = bulk_load::insert::<organizer::Entity>(transaction, rows).await?;
    for (organizer, id) in organizers.iter_mut().zip(ids) {
        organizer.id = id;
    }
    Ok(organizers)
}

fn organizer_ref(row: &organizer::Model) -> OrganizerRef {
    OrganizerRef {
        id: 0,
        name: row.title.clone(),
        website: row.website.clone(),
    }
}

fn organizer_row(
    random: &mut Random,
    context: &GenerationContext,
    slugs: &mut UniqueSlugs,
    number: u64,
) -> organizer::Model {
    let title = name(random);
    let slug = slugs.next(&slugify(&title));
    let publication = Publication::for_linked_resource(random, context.today, number);
    let description = paragraph(random, ORGANIZER_SENTENCES);
    let mut row = organizer::Model {
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
        author_id: context.author,
        image_id: context.images.pick(random, ORGANIZER_FOLDER, 500),
        name_key: String::new(),
        phone: phone(random),
        website: format!("https://{slug}.example.org/"),
        email: format!("hello@{slug}.example.org"),
        follows_event_id: None,
        last_ends_at: None,
        external_source: None,
        external_id: None,
        title,
        slug,
    };
    derive(&mut row);
    row
}

fn name(random: &mut Random) -> String {
    match random.between(0..=9) {
        0..5 => format!("{} {}", random.pick(LANDMARKS), random.pick(ORGANIZER_NAMES)),
        5..7 => format!("{} & {} Productions", random.pick(LAST_NAMES), random.pick(LAST_NAMES)),
        7..9 => format!("{} {}", random.pick(LAST_NAMES), random.pick(ORGANIZER_NAMES)),
        _ => person(random),
    }
}
