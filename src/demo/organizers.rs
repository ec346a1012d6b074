//! The demo calendar's organizers.

use sea_orm::DbErr;

use super::{
    bulk,
    images::PEOPLE,
    phrase::person,
    publication::Publication,
    random::Random,
    slugs::Slugs,
    stock::Background,
    venues::{paragraph, phone},
    words::{LANDMARKS, LAST_NAMES, ORGANIZER_SENTENCES, ORGANIZERS},
};
use crate::{
    calendar::{html::text_content, slug::slugify},
    services::organizer::derive,
    store::{Transaction, entity::organizer},
};

/// Somebody who holds events.
pub struct Host {
    pub id: i64,
    pub name: String,
    pub website: String,
}

/// Stores so many organizers.
pub async fn insert(
    transaction: &Transaction,
    dice: &mut Random,
    background: &Background,
    amount: u64,
) -> Result<Vec<Host>, DbErr> {
    let mut slugs = Slugs::default();
    let rows: Vec<organizer::Model> = (0..amount)
        .map(|number| organizer(dice, background, &mut slugs, number))
        .collect();
    let mut hosts: Vec<Host> = rows.iter().map(host).collect();
    let ids = bulk::insert::<organizer::Entity>(transaction, rows).await?;
    for (host, id) in hosts.iter_mut().zip(ids) {
        host.id = id;
    }
    Ok(hosts)
}

/// What events need to know of an organizer that has no ID yet.
fn host(row: &organizer::Model) -> Host {
    Host {
        id: 0,
        name: row.title.clone(),
        website: row.website.clone(),
    }
}

fn organizer(dice: &mut Random, background: &Background, slugs: &mut Slugs, number: u64) -> organizer::Model {
    let title = name(dice);
    let slug = slugs.next(&slugify(&title));
    let publication = Publication::of_host(dice, background.today, number);
    let description = paragraph(dice, ORGANIZER_SENTENCES);
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
        author_id: background.author,
        image_id: background.images.any(dice, PEOPLE, 500),
        name_key: String::new(),
        phone: phone(dice),
        website: format!("https://{slug}.example.org/"),
        email: format!("hello@{slug}.example.org"),
        follows_event_id: None,
        last_ends_at: None,
        title,
        slug,
    };
    derive(&mut row);
    row
}

fn name(dice: &mut Random) -> String {
    match dice.between(0..=9) {
        0..5 => format!("{} {}", dice.pick(LANDMARKS), dice.pick(ORGANIZERS)),
        5..7 => format!("{} & {} Productions", dice.pick(LAST_NAMES), dice.pick(LAST_NAMES)),
        7..9 => format!("{} {}", dice.pick(LAST_NAMES), dice.pick(ORGANIZERS)),
        _ => person(dice),
    }
}
