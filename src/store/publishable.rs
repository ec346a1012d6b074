//! Events, venues and organizers: their common columns, publication and trash.

use std::{borrow::Cow, sync::OnceLock};

use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait,
    IntoActiveModel, ModelTrait, QueryFilter, QuerySelect, Statement,
    sea_query::{Expr, OnConflict},
};

use super::{entity, links::LinkedEvent, locks, read_connection::ReadConnection, rows};
use crate::calendar::{Kind, html::text_content, status::Status};

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    fn common_columns(&self) -> CommonColumns;
    fn set_common_columns(&mut self, columns: CommonColumns);
    fn image_id(&self) -> Option<i64>;
    /// The plain text of the description.
    fn description_text(&self) -> Cow<'_, str>;
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
            fn image_id(&self) -> Option<i64> {
                self.image_id
            }

            fn description_text(&self) -> Cow<'_, str> {
                match &self.description_text {
                    Some(text) => Cow::Borrowed(text),
                    None => Cow::Owned(text_content(&self.description)),
                }
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

/// How a path identifies an object.
#[derive(Clone, Debug)]
pub enum Key {
    /// `/venues/{id}`.
    Id(i64),
    /// `/venues/by-slug/{slug}`.
    Slug(String),
    /// `/venues/by-external-id/{source}/{external_id}`.
    External(ExternalId),
}

/// Finds an object. Slugs do not match objects in the trash, other keys do.
pub async fn find<E: Publishable>(database: &impl ReadConnection, key: &Key) -> Result<Option<E::Model>, DbErr> {
    Ok(database.models(E::find().filter(has_key::<E>(key))).await?.pop())
}

/// Finds an event with its links. Slugs do not match objects in the trash.
pub(crate) async fn find_event(database: &impl ReadConnection, key: &Key) -> Result<Option<LinkedEvent>, DbErr> {
    /// Building the text takes as long as running the statement.
    static TEXTS: StatementTexts = StatementTexts::new();
    let backend = database.get_database_backend();
    let text = TEXTS.of(backend, key).get_or_init(|| {
        let event = entity::event::Entity::find().filter(has_key::<entity::event::Entity>(key));
        backend.build(&LinkedEvent::select(event)).sql
    });
    let values = match key {
        Key::Id(id) => vec![(*id).into()],
        Key::Slug(slug) => vec![slug.as_str().into()],
        Key::External(ExternalId { source, id }) => vec![source.as_str().into(), id.as_str().into()],
    };
    let statement = Statement::from_sql_and_values(backend, text, values);
    Ok(database.rows_of(statement).await?.pop())
}

/// The texts of statements whose only values are those of a key.
struct StatementTexts([OnceLock<String>; 6]);

impl StatementTexts {
    const fn new() -> Self {
        Self([const { OnceLock::new() }; 6])
    }

    fn of(&self, backend: DbBackend, key: &Key) -> &OnceLock<String> {
        let [
            sqlite_id,
            sqlite_slug,
            sqlite_external,
            postgres_id,
            postgres_slug,
            postgres_external,
        ] = &self.0;
        match (backend, key) {
            (DbBackend::Postgres, Key::Id(_)) => postgres_id,
            (DbBackend::Postgres, Key::Slug(_)) => postgres_slug,
            (DbBackend::Postgres, Key::External(_)) => postgres_external,
            (_, Key::Id(_)) => sqlite_id,
            (_, Key::Slug(_)) => sqlite_slug,
            (_, Key::External(_)) => sqlite_external,
        }
    }
}

/// Finds the events with these IDs and their links, in no particular order.
pub(crate) async fn find_events(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<LinkedEvent>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = ids.iter().copied();
    let events = entity::event::Entity::find().filter(entity::event::Column::Id.is_in(ids));
    LinkedEvent::all(database, events).await
}

/// Finds an object for a write. On PostgreSQL its row stays locked until the transaction ends.
pub(crate) async fn find_for_update<E: Publishable>(
    transaction: &impl ConnectionTrait,
    key: &Key,
) -> Result<Option<E::Model>, DbErr> {
    E::find()
        .filter(has_key::<E>(key))
        .lock(locks::row_lock(E::KIND))
        .one(transaction)
        .await
}

fn has_key<E: Publishable>(key: &Key) -> Condition {
    match key {
        Key::Id(id) => Condition::all().add(E::ID.eq(*id)),
        Key::Slug(slug) => Condition::all().add(E::SLUG.eq(slug)).add(not_in_trash()),
        Key::External(ExternalId { source, id }) => Condition::all()
            .add(E::EXTERNAL_SOURCE.eq(source.as_str()))
            .add(E::EXTERNAL_ID.eq(id.as_str())),
    }
}

/// Must be a literal to match the predicate of the partial index on the slug.
pub(crate) fn not_in_trash() -> Expr {
    Expr::cust("status <> 'trash'")
}

/// Finds the objects with these IDs, in no particular order.
pub(crate) async fn find_all<E: Publishable>(
    database: &impl ReadConnection,
    ids: &[i64],
) -> Result<Vec<E::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    database
        .models(E::find().filter(E::ID.is_in(ids.iter().copied())))
        .await
}

/// Inserts the row, which is not in the trash, and returns it with its new ID. Returns `None` if another object has its
/// slug. On PostgreSQL this waits for another writer that inserts the slug.
pub(crate) async fn try_insert<E: Publishable>(
    transaction: &impl ConnectionTrait,
    row: E::Model,
) -> Result<Option<E::Model>, DbErr> {
    let unique_slug = OnConflict::column(E::SLUG)
        .target_and_where(not_in_trash())
        .do_nothing()
        .to_owned();
    let inserted = E::insert(rows::new_row(row.into_active_model()))
        .on_conflict(unique_slug)
        .exec_with_returning_many(transaction)
        .await?;
    Ok(inserted.into_iter().next())
}

/// Inserts a row with its own ID, or with a new one if that is 0. Fails if another object has its ID or its slug.
pub(crate) async fn insert<E: Publishable>(
    transaction: &impl ConnectionTrait,
    row: E::Model,
) -> Result<E::Model, DbErr> {
    let has_id = row.common_columns().id != 0;
    let row = row.into_active_model();
    let row = if has_id { row.reset_all() } else { rows::new_row(row) };
    row.insert(transaction).await
}

/// Writes the changed columns of a row, sets its modification time and increments its version.
pub(crate) async fn update<E: Publishable>(
    transaction: &impl ConnectionTrait,
    before: &E::Model,
    mut after: E::Model,
    now: i64,
) -> Result<E::Model, DbErr> {
    let mut columns = after.common_columns();
    columns.version = before.common_columns().version + 1;
    columns.modified_at = now;
    after.set_common_columns(columns);
    rows::difference(before.clone().into_active_model(), after.into_active_model())
        .update(transaction)
        .await
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
