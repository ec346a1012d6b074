//! Objects as a source has them, and as they are stored: the same values, so that both can be compared.

mod event;
mod organizer;
mod series;
mod term;
mod times;
mod venue;

use std::collections::HashMap;

use sea_orm::{DbErr, EntityTrait};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    calendar::{Kind, html::text_content, zone::Zone},
    store::{
        Publishable,
        entity::image,
        images,
        links::{self, LinkedIds},
        publishable::{CommonColumns, PublishableRow, stored_status},
        read_connection::ReadConnection,
    },
};
pub(super) use event::EventRecord;
pub(super) use organizer::OrganizerRecord;
pub(super) use series::{SeriesRecord, StoredSeries};
pub(super) use term::TermRecord;
pub(super) use times::Times;
pub(super) use venue::VenueRecord;

/// The longest identifier of an event, in bytes.
pub(super) const MAX_UID: usize = 500;

/// The SHA-256 of a record, in hexadecimal.
pub(super) fn digest(record: &impl Serialize) -> String {
    // Records have no maps with other keys than texts, which is the only cause of an error.
    let json = serde_json::to_vec(record).unwrap_or_default();
    hex::encode(Sha256::digest(&json))
}

/// An image. It is identified by its URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ImageRecord {
    pub url: String,
    /// The ID at the source.
    #[serde(skip)]
    pub id: Option<i64>,
    /// Width and height.
    #[serde(skip)]
    pub size: Option<(i64, i64)>,
}

/// The values that events, venues and organizers share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Common {
    pub title: String,
    /// Sanitised HTML.
    pub description: String,
    /// Empty if it is to be derived from the title.
    pub slug: String,
    /// The name of a status in the database.
    pub status: String,
    /// Seconds since 1970 UTC; none if the source does not have it.
    pub published_at: Option<i64>,
    /// The last change at the source, in seconds since 1970 UTC. Not compared.
    #[serde(skip)]
    pub modified_at: Option<i64>,
    /// The ID of a user.
    pub author: Option<i64>,
    pub image: Option<ImageRecord>,
}

impl Common {
    /// Stores the values, except slug and image, which depend on other rows.
    fn store(&self, columns: &mut CommonColumns, now: i64) {
        columns.title.clone_from(&self.title);
        if columns.description != self.description {
            columns.description.clone_from(&self.description);
            columns.description_text = Some(text_content(&self.description));
        }
        columns.set_status(stored_status(&self.status), now);
        if let Some(published_at) = self.published_at {
            columns.set_published_at(published_at);
        }
        columns.author_id = self.author.or(columns.author_id);
    }

    /// The values of a row. Those that the source does not have are left out, so that they are not compared.
    fn stored(row: &impl PublishableRow, context: &StoredContext<'_>, source: Option<&Self>) -> Self {
        let columns = row.common_columns();
        let has_published_at = source.is_none_or(|source| source.published_at.is_some());
        let has_slug = source.is_none_or(|source| !source.slug.is_empty());
        let has_author = source.is_none_or(|source| source.author.is_some());
        Self {
            title: columns.title,
            description: columns.description,
            slug: if has_slug { columns.slug } else { String::new() },
            status: columns.status.stored().to_owned(),
            published_at: has_published_at.then_some(columns.published_at),
            modified_at: Some(columns.modified_at),
            author: columns.author_id.filter(|_| has_author),
            image: columns
                .image_id
                .and_then(|id| context.images.get(&id))
                .map(|image| ImageRecord {
                    url: image.url.clone(),
                    id: Some(image.id),
                    size: image.width.zip(image.height),
                }),
        }
    }

    /// Takes the values of `stored`, except for those that are empty there.
    fn fill(self, stored: &Self) -> Self {
        Self {
            description: filled(&stored.description, self.description),
            image: stored.image.clone().or(self.image),
            ..stored.clone()
        }
    }
}

fn filled(stored: &str, source: String) -> String {
    if stored.is_empty() { source } else { stored.to_owned() }
}

/// What a stored row is represented with.
pub(super) struct StoredContext<'a> {
    pub images: &'a HashMap<i64, image::Model>,
    pub links: &'a LinkedIds,
    pub site: Zone,
}

/// A record of an event, a venue or an organizer.
pub(super) trait Record: Serialize + Clone + PartialEq + Send + Sync {
    /// Its table.
    type Entity: Publishable<Model: PartialEq>;

    fn common(&self) -> &Common;

    /// Stores the values in a row, except slug, image and links.
    fn store(&self, row: &mut <Self::Entity as EntityTrait>::Model, now: i64);

    /// The record of a stored row. What `source` leaves to this program is left out of it.
    fn stored(row: &<Self::Entity as EntityTrait>::Model, context: &StoredContext<'_>, source: Option<&Self>) -> Self;

    /// The record of the source, with all values of the stored one that are not empty.
    #[must_use]
    fn fill(self, stored: &Self) -> Self;
}

/// The record of a stored row. What `source` leaves to this program is left out of it.
pub(super) async fn stored_record<R: Record>(
    database: &impl ReadConnection,
    row: &<R::Entity as EntityTrait>::Model,
    site: Zone,
    source: Option<&R>,
) -> Result<R, DbErr> {
    let columns = row.common_columns();
    let images = images::find_all(database, columns.image_id.as_slice()).await?;
    let links = match R::Entity::KIND {
        Kind::Event => links::of_events(database, &[columns.id]).await?,
        _ => LinkedIds::default(),
    };
    let context = StoredContext {
        images: &images,
        links: &links,
        site,
    };
    Ok(R::stored(row, &context, source))
}
