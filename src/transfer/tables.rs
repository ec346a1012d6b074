//! Where the content of each table is kept. A test compares the list with the schema.

use sea_orm::{IdenStatic, Iterable};

use super::kinds::Record;
use crate::store::entity::{category, event, image, organizer, series, tag, user, venue};

/// What contains the content of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Exports, and therefore backups.
    Export,
    /// Backups only.
    Backup,
    /// Nothing: it is computed from other tables, or belongs to the database.
    Derived,
}

/// All tables, sorted by name.
pub const TABLES: &[(&str, Kept)] = &[
    ("calendar_identity", Kept::Export),
    ("categories", Kept::Export),
    ("category_closure", Kept::Derived),
    ("category_event_counts", Kept::Derived),
    // A load begins another history: its order of changes is empty, and the former positions are not valid in it.
    ("change_epochs", Kept::Derived),
    // A load begins a new one.
    ("change_log", Kept::Derived),
    ("event_categories", Kept::Export),
    ("event_category_closure", Kept::Derived),
    ("event_organizers", Kept::Export),
    ("event_search", Kept::Derived),
    ("event_tags", Kept::Export),
    ("event_time_buckets", Kept::Derived),
    ("event_venues", Kept::Export),
    ("events", Kept::Export),
    ("former_slugs", Kept::Export),
    // The objects that a request has created are in the backup, so that it must not create them again.
    ("idempotency_keys", Kept::Backup),
    ("images", Kept::Export),
    ("import_items", Kept::Backup),
    ("import_notes", Kept::Backup),
    ("import_runs", Kept::Backup),
    ("import_sources", Kept::Backup),
    // The manifest of a backup has the steps.
    ("migrations", Kept::Backup),
    // See `change_epochs`.
    ("object_changes", Kept::Derived),
    ("organizer_search", Kept::Derived),
    ("organizers", Kept::Export),
    ("search_queue", Kept::Derived),
    ("series", Kept::Export),
    // SQLite: the highest IDs, which exports have for both databases.
    ("sqlite_sequence", Kept::Export),
    // SQLite: parts of the schema.
    ("sqlite_stat1", Kept::Derived),
    ("sqlite_stat4", Kept::Derived),
    ("tag_event_counts", Kept::Derived),
    ("tags", Kept::Export),
    ("tokens", Kept::Backup),
    // Those of exports have no credentials.
    ("users", Kept::Export),
    ("venue_search", Kept::Derived),
    ("venues", Kept::Export),
    ("webhook_deliveries", Kept::Backup),
    // With secrets.
    ("webhooks", Kept::Backup),
    // SQLite: the trigrams of words.
    ("word_search", Kept::Derived),
    ("words", Kept::Derived),
];

/// A table whose rows only backups contain, and that has no kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainTable {
    /// The name of the table.
    pub name: &'static str,
    /// The columns of its primary key, which are integers and texts, separated by commas.
    pub key: &'static str,
}

/// The tables of backups without kinds of records. They refer to records, and to earlier ones of these tables.
pub const PLAIN_TABLES: [PlainTable; 8] = [
    numbered("tokens"),
    PlainTable {
        name: "idempotency_keys",
        key: "user_id, name",
    },
    numbered("webhooks"),
    numbered("webhook_deliveries"),
    numbered("import_sources"),
    numbered("import_runs"),
    PlainTable {
        name: IMPORT_ITEMS,
        key: "source_id, kind, key",
    },
    numbered("import_notes"),
];

/// The objects of import sources, which refer to objects of the calendar by their IDs.
pub(super) const IMPORT_ITEMS: &str = "import_items";

const fn numbered(name: &'static str) -> PlainTable {
    PlainTable { name, key: "id" }
}

impl PlainTable {
    /// Whether its rows have IDs from a sequence.
    pub(super) fn is_numbered(&self) -> bool {
        self.key == "id"
    }
}

/// The columns that the program knows of each table of records: those of its records, and those that it computes.
pub fn record_columns() -> Vec<(&'static str, Vec<&'static str>)> {
    fn columns<E: Record>() -> (&'static str, Vec<&'static str>) {
        let names = E::Column::iter().map(|column| column.as_str());
        (E::KIND.table(), names.collect())
    }
    vec![
        columns::<user::Entity>(),
        columns::<image::Entity>(),
        columns::<category::Entity>(),
        columns::<tag::Entity>(),
        columns::<venue::Entity>(),
        columns::<organizer::Entity>(),
        columns::<series::Entity>(),
        columns::<event::Entity>(),
    ]
}

/// The tables whose rows a backup counts.
pub(crate) fn counted() -> impl Iterator<Item = &'static str> {
    let is_counted = |(name, kept): &&(&str, Kept)| *kept != Kept::Derived && !name.starts_with("sqlite_");
    TABLES.iter().filter(is_counted).map(|(name, _)| *name)
}
