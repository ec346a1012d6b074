//! What a backup contains.

use serde::{Deserialize, Serialize};

use crate::transfer::Counts;

/// The version of the manifest.
pub(super) const FORMAT: u32 = 1;

/// The description of a backup, at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub format: u32,
    /// The version of the program that took the backup.
    pub version: String,
    /// The time at which it began (RFC 3339). The backup has every write that was acknowledged before.
    pub created_at: String,
    pub content: Content,
    /// The names of the steps that were applied to the schema.
    pub schema: Vec<String>,
    /// The number of rows of each table.
    pub counts: Counts,
    pub database: Section,
    /// The uploaded images. None if the backup was taken without them.
    pub uploads: Option<Uploads>,
}

/// A compressed part of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Section {
    /// The position of its first byte in the file.
    pub start: u64,
    /// Its length in the file, in bytes.
    pub compressed: u64,
    /// The length of the content before compression, in bytes.
    pub bytes: u64,
    /// The SHA-256 of the content before compression, in hexadecimal.
    pub sha256: String,
}

/// Uploaded images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Uploads {
    /// The number of files.
    pub files: u64,
    /// A tar archive of the directory.
    pub archive: Section,
}

/// What the section of the database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Content {
    /// A SQLite database.
    Sqlite,
    /// Lines of JSON.
    Rows,
}

impl Manifest {
    /// Whether its texts can be printed on a terminal.
    pub(super) fn is_printable(&self) -> bool {
        let texts = [&self.version, &self.created_at].into_iter().chain(&self.schema);
        texts
            .chain(self.counts.keys())
            .all(|text| !text.contains(char::is_control))
    }

    /// All sections.
    pub(super) fn sections(&self) -> impl Iterator<Item = &Section> {
        let uploads = self.uploads.iter().map(|uploads| &uploads.archive);
        [&self.database].into_iter().chain(uploads)
    }

    /// The number of rows of a table, for messages.
    pub(crate) fn rows_of(&self, table: &str) -> u64 {
        self.counts.get(table).copied().unwrap_or(0)
    }
}
