//! Detection of commits on SQLite without a transaction.

use std::{ffi::OsString, fs::File, mem::ManuallyDrop, os::unix::fs::FileExt};

use rusqlite::Connection;

/// The size of one copy of the header.
const COPY: usize = 48;
/// The offset of the byte that is 1 once SQLite has initialised the header.
const IS_INITIALISED: usize = 12;

/// Both copies of the header, as they were read.
pub(super) type Header = [u8; 2 * COPY];

/// The index of the write-ahead log of a file, which all processes share. Each commit changes its header: the number of
/// commits, the last frame of the log and its checksum (<https://www.sqlite.org/walformat.html#the_wal_index_header>).
/// SQLite compares the same bytes to decide whether its cached pages are valid. Reading them is faster than a transaction,
/// which locks the index.
///
/// SQLite writes to the index through a shared mapping. Linux and macOS have one page cache for mappings and reads, so that
/// a read sees these writes.
#[derive(Debug)]
pub(super) struct WalIndex {
    /// Never closed: that would release the locks that SQLite has on the file in this process (fcntl(2)).
    file: ManuallyDrop<File>,
}

impl WalIndex {
    /// Opens the index of the file of a connection. None if the file has no write-ahead log, or if the index can't be read.
    pub(super) fn open(connection: &Connection) -> Option<Self> {
        // Also makes the connection use the index. SQLite neither deletes nor replaces it from then on.
        let mode: String = connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .ok()?;
        if mode != "wal" {
            return None;
        }
        let mut path = OsString::from(connection.path()?);
        path.push("-shm");
        let file = ManuallyDrop::new(File::open(path).ok()?);
        let index = Self { file };
        let header = index.header()?;
        let (one, other) = header.split_at(COPY);
        (one == other && header[IS_INITIALISED] == 1).then_some(index)
    }

    /// Reads the header. Once a commit has completed, it differs from every header that was read before the commit.
    pub(super) fn header(&self) -> Option<Header> {
        let mut header = [0; 2 * COPY];
        self.file.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn open(file: &Path, journal_mode: &str) -> Connection {
        let connection = Connection::open(file).expect("a file");
        let create = format!("PRAGMA journal_mode = {journal_mode}; CREATE TABLE IF NOT EXISTS numbers (number)");
        connection.execute_batch(&create).expect("a table");
        connection
    }

    #[test]
    fn only_commits_and_new_logs_change_the_header() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let writer = open(&file, "wal");
        let reader = Connection::open(&file).expect("the file exists");
        let index = WalIndex::open(&reader).expect("an index");
        let header = || index.header().expect("a header");
        let mut before = header();
        for (statements, is_changed) in [
            ("SELECT * FROM numbers", false),
            ("INSERT INTO numbers VALUES (1)", true),
            ("INSERT INTO numbers VALUES (1)", true),
            ("BEGIN; INSERT INTO numbers VALUES (2); ROLLBACK", false),
            ("BEGIN; INSERT INTO numbers VALUES (3)", false),
            ("COMMIT", true),
            ("PRAGMA wal_checkpoint(PASSIVE)", false),
            ("INSERT INTO numbers VALUES (4)", true),
            ("PRAGMA wal_checkpoint(TRUNCATE)", true),
            ("INSERT INTO numbers VALUES (5)", true),
        ] {
            writer.execute_batch(statements).expect("no error");
            let after = header();
            assert_eq!(after != before, is_changed, "{statements}");
            before = after;
        }
    }

    #[test]
    fn index_of_a_symbolic_link_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [file, link] = ["almanac.db", "link.db"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        assert!(WalIndex::open(&open(&link, "wal")).is_some());
    }

    #[test]
    fn index_of_a_former_file_is_ignored() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [former, file] = ["former.db", "almanac.db"].map(|name| folder.path().join(name));
        let _former = open(&former, "wal");
        let copied = fs::copy(
            folder.path().join("former.db-shm"),
            folder.path().join("almanac.db-shm"),
        );
        copied.expect("an index");
        assert!(WalIndex::open(&open(&file, "delete")).is_none());
    }
}
