//! The kinds of records, and the columns that records leave out.

use sea_orm::{EntityTrait, ModelTrait};

use crate::store::entity::{category, event, image, organizer, series, tag, user, venue};

/// A kind of record, in the order of a file: records refer to earlier ones. Venues and organizers also refer to events
/// whose publication they follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RecordKind {
    User,
    Image,
    Category,
    Tag,
    Venue,
    Organizer,
    Series,
    Event,
}

impl RecordKind {
    pub(super) const ALL: [Self; 8] = [
        Self::User,
        Self::Image,
        Self::Category,
        Self::Tag,
        Self::Venue,
        Self::Organizer,
        Self::Series,
        Self::Event,
    ];

    /// The value of the member `kind`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Image => "image",
            Self::Category => "category",
            Self::Tag => "tag",
            Self::Venue => "venue",
            Self::Organizer => "organizer",
            Self::Series => "series",
            Self::Event => "event",
        }
    }

    /// The table of the records.
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::User => "users",
            Self::Image => "images",
            Self::Category => "categories",
            Self::Tag => "tags",
            Self::Venue => "venues",
            Self::Organizer => "organizers",
            Self::Series => "series",
            Self::Event => "events",
        }
    }
}

/// A table whose rows are records. A record has the columns that are neither derived nor secret.
pub(super) trait Record: EntityTrait<Model: ModelTrait<Entity = Self> + Default> {
    const KIND: RecordKind;
    /// The column of the ID.
    const ID: Self::Column;
    /// Columns that are computed from others.
    const DERIVED: &'static [&'static str];
    /// Columns that only backups contain.
    const SECRET: &'static [&'static str];
    /// Columns that files of earlier versions lack. They get the default of the entity.
    const LATER: &'static [&'static str];
}

macro_rules! record {
    ($module:ident, $kind:ident, derived: [$($derived:literal),*], secret: [$($secret:literal),*],
        later: [$($later:literal),*]) => {
        impl Record for $module::Entity {
            const KIND: RecordKind = RecordKind::$kind;
            const ID: $module::Column = $module::Column::Id;
            const DERIVED: &'static [&'static str] = &[$($derived),*];
            const SECRET: &'static [&'static str] = &[$($secret),*];
            const LATER: &'static [&'static str] = &[$($later),*];
        }
    };
}

record!(user, User, derived: [], secret: ["password_hash", "created_at"], later: []);
record!(image, Image, derived: [], secret: [], later: []);
record!(category, Category, derived: ["name_key", "search_text"], secret: [], later: []);
record!(tag, Tag, derived: ["name_key", "search_text"], secret: [], later: []);
record!(venue, Venue,
    derived: ["description_text", "search_text", "name_key", "globe_x", "globe_y", "globe_z", "last_ends_at"],
    secret: [], later: ["external_source", "external_id"]);
record!(organizer, Organizer, derived: ["description_text", "search_text", "name_key", "last_ends_at"],
    secret: [], later: ["external_source", "external_id"]);
record!(series, Series, derived: [], secret: [], later: []);
record!(event, Event,
    derived: ["description_text", "search_text", "title_key", "cost_min", "cost_max", "located"],
    secret: [], later: ["uid", "external_source", "external_id"]);
