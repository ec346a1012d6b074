//! The columns that events, venues and organizers share.

use std::borrow::Cow;

use sea_orm::{ActiveModelBehavior, EntityTrait, IntoActiveModel, ModelTrait};

use crate::{
    calendar::{Kind, html::text_content, status::Status},
    store::entity,
};

/// The columns that events, venues and organizers share.
#[derive(Clone, Debug, Default)]
pub struct CommonColumns {
    pub id: i64,
    pub version: i64,
    /// As stored: [`Status::Publish`] includes objects scheduled for publication.
    pub status: Status,
    /// The status before the object went to the trash; absent outside the trash.
    pub trashed_status: Option<Status>,
    /// When the object went to the trash, in seconds since 1970 UTC; absent outside the trash.
    pub trashed_at: Option<i64>,
    pub slug: String,
    /// Seconds since 1970 UTC.
    pub published_at: i64,
    /// Seconds since 1970 UTC.
    pub modified_at: i64,
    /// The title of an event, the name of a venue or organizer.
    pub title: String,
    pub description: String,
    pub description_text: Option<String>,
    pub search_text: String,
    pub author_id: Option<i64>,
    pub image_id: Option<i64>,
    /// The event whose status and publication date a venue or organizer inherits.
    pub follows_event_id: Option<i64>,
    pub external: Option<ExternalId>,
}

/// The ID of an object in another system. No two objects of a kind have the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternalId {
    /// The name of the other system.
    pub source: String,
    /// The ID there.
    pub id: String,
}

impl CommonColumns {
    /// Sets the requested status. Moving to the trash stores the previous status and the time, restoring clears both. A
    /// changed status ends the inheritance from an event.
    pub fn set_status(&mut self, status: Status, now: i64) {
        if self.status == status {
            return;
        }
        let previous = std::mem::replace(&mut self.status, status);
        let is_trashed = status == Status::Trash;
        self.trashed_status = is_trashed.then_some(previous);
        self.trashed_at = is_trashed.then_some(now);
        self.follows_event_id = None;
    }

    /// Sets the requested publication date. A changed date ends the inheritance from an event.
    pub fn set_published_at(&mut self, published_at: i64) {
        if self.published_at != published_at {
            self.published_at = published_at;
            self.follows_event_id = None;
        }
    }

    /// The status that determines permissions: in the trash, the previous one. It is [`Status::Publish`] if a server of an
    /// older release moved the object to the trash without storing its status.
    pub fn status_before_trash(&self) -> Status {
        match self.status {
            Status::Trash => self.trashed_status.unwrap_or(Status::Publish),
            status => status,
        }
    }
}

/// A table with the [`CommonColumns`].
#[expect(missing_docs, reason = "constants have the names of the columns")]
pub trait Publishable:
    EntityTrait<
        Model: PublishableRow + ModelTrait<Entity = Self> + Default + IntoActiveModel<Self::ActiveModel>,
        ActiveModel: ActiveModelBehavior + Send,
    >
{
    const KIND: Kind;
    const ID: Self::Column;
    const SLUG: Self::Column;
    const STATUS: Self::Column;
    const AUTHOR_ID: Self::Column;
    const PUBLISHED_AT: Self::Column;
    const MODIFIED_AT: Self::Column;
    const VERSION: Self::Column;
    const DESCRIPTION: Self::Column;
    const DESCRIPTION_TEXT: Self::Column;
    const SEARCH_TEXT: Self::Column;
    /// The index of the words of `SEARCH_TEXT`: a full-text index on SQLite, a table on PostgreSQL.
    const SEARCH_INDEX: &'static str;
    const TITLE: Self::Column;
    const IMAGE_ID: Self::Column;
    const EXTERNAL_SOURCE: Self::Column;
    const EXTERNAL_ID: Self::Column;
}

/// A row with the [`CommonColumns`].
pub trait PublishableRow: Clone + Send + Sync {
    fn id(&self) -> i64;
    fn common_columns(&self) -> CommonColumns;
    fn set_common_columns(&mut self, columns: CommonColumns);
    fn image_id(&self) -> Option<i64>;
    /// Whether the object is in the trash. Unlike [`Self::common_columns`], this copies no texts.
    fn is_in_trash(&self) -> bool;
    /// The plain text of the description.
    fn description_text(&self) -> Cow<'_, str>;
    /// The text that searches match, folded.
    fn search_text(&self) -> &str;
}

macro_rules! publishable {
    ($module:ident, $kind:expr $(, $follows:ident)?) => {
        impl Publishable for entity::$module::Entity {
            const KIND: Kind = $kind;
            const ID: Self::Column = entity::$module::Column::Id;
            const SLUG: Self::Column = entity::$module::Column::Slug;
            const STATUS: Self::Column = entity::$module::Column::Status;
            const AUTHOR_ID: Self::Column = entity::$module::Column::AuthorId;
            const PUBLISHED_AT: Self::Column = entity::$module::Column::PublishedAt;
            const MODIFIED_AT: Self::Column = entity::$module::Column::ModifiedAt;
            const VERSION: Self::Column = entity::$module::Column::Version;
            const DESCRIPTION: Self::Column = entity::$module::Column::Description;
            const DESCRIPTION_TEXT: Self::Column = entity::$module::Column::DescriptionText;
            const SEARCH_TEXT: Self::Column = entity::$module::Column::SearchText;
            const SEARCH_INDEX: &'static str = concat!(stringify!($module), "_search");
            const TITLE: Self::Column = entity::$module::Column::Title;
            const IMAGE_ID: Self::Column = entity::$module::Column::ImageId;
            const EXTERNAL_SOURCE: Self::Column = entity::$module::Column::ExternalSource;
            const EXTERNAL_ID: Self::Column = entity::$module::Column::ExternalId;
        }

        impl PublishableRow for entity::$module::Model {
            fn id(&self) -> i64 {
                self.id
            }

            fn image_id(&self) -> Option<i64> {
                self.image_id
            }

            fn is_in_trash(&self) -> bool {
                self.status == Status::Trash.as_str()
            }

            fn description_text(&self) -> Cow<'_, str> {
                match &self.description_text {
                    Some(text) => Cow::Borrowed(text),
                    None => Cow::Owned(text_content(&self.description)),
                }
            }

            fn search_text(&self) -> &str {
                &self.search_text
            }

            fn common_columns(&self) -> CommonColumns {
                CommonColumns {
                    id: self.id,
                    version: self.version,
                    status: stored_status(&self.status),
                    trashed_status: self.trashed_status.as_deref().map(stored_status),
                    trashed_at: self.trashed_at,
                    slug: self.slug.clone(),
                    published_at: self.published_at,
                    modified_at: self.modified_at,
                    title: self.title.clone(),
                    description: self.description.clone(),
                    description_text: self.description_text.clone(),
                    search_text: self.search_text.clone(),
                    author_id: self.author_id,
                    image_id: self.image_id,
                    follows_event_id: None$(.or(self.$follows))?,
                    external: self
                        .external_source
                        .clone()
                        .zip(self.external_id.clone())
                        .map(|(source, id)| ExternalId { source, id }),
                }
            }

            fn set_common_columns(&mut self, columns: CommonColumns) {
                // Destructured, so that a new column can't be forgotten here.
                let CommonColumns {
                    id,
                    version,
                    status,
                    trashed_status,
                    trashed_at,
                    slug,
                    published_at,
                    modified_at,
                    title,
                    description,
                    description_text,
                    search_text,
                    author_id,
                    image_id,
                    follows_event_id,
                    external,
                } = columns;
                self.id = id;
                self.version = version;
                self.status = status.as_str().to_owned();
                self.trashed_status = trashed_status.map(|status| status.as_str().to_owned());
                self.trashed_at = trashed_at;
                self.slug = slug;
                self.published_at = published_at;
                self.modified_at = modified_at;
                self.title = title;
                self.description = description;
                self.description_text = description_text;
                self.search_text = search_text;
                self.author_id = author_id;
                self.image_id = image_id;
                let (source, id) = external.map(|ExternalId { source, id }| (source, id)).unzip();
                self.external_source = source;
                self.external_id = id;
                // Events have no such column.
                let _ = follows_event_id;
                $(self.$follows = follows_event_id;)?
            }
        }
    };
}

publishable!(event, Kind::Event);
publishable!(venue, Kind::Venue, follows_event_id);
publishable!(organizer, Kind::Organizer, follows_event_id);

/// The status with this name in the database. Values that this program does not write are treated as private.
pub(crate) fn stored_status(text: &str) -> Status {
    text.parse().unwrap_or(Status::Private)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common_columns(status: Status, trashed_status: Option<Status>) -> CommonColumns {
        CommonColumns {
            id: 1,
            version: 1,
            status,
            trashed_status,
            trashed_at: None,
            slug: String::new(),
            published_at: 0,
            modified_at: 0,
            title: String::new(),
            description: String::new(),
            description_text: None,
            search_text: String::new(),
            author_id: None,
            image_id: None,
            follows_event_id: None,
            external: None,
        }
    }

    #[test]
    fn status_before_trash() {
        for (status, trashed_status, expected) in [
            (Status::Draft, None, Status::Draft),
            (Status::Trash, Some(Status::Draft), Status::Draft),
            (Status::Trash, None, Status::Publish),
            // Restored by a server of an older release, which does not clear the column.
            (Status::Pending, Some(Status::Publish), Status::Pending),
        ] {
            let found = common_columns(status, trashed_status).status_before_trash();
            assert_eq!(found, expected, "{status:?} {trashed_status:?}");
        }
    }
}
