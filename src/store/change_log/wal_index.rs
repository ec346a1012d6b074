//! Detection of commits on SQLite without a transaction.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::Path,
};

/// The size of both copies of the header.
const HEADER: usize = 2 * 48;

/// Both copies of the header, as they were read.
pub(super) type Header = [u8; HEADER];

/// The index of the write-ahead log of a file, which all processes share. Each commit changes its header: the number of
/// commits, the last frame of the log and its checksum (<https://www.sqlite.org/walformat.html#the_wal_index_header>).
/// Reading it takes a twentieth of the time of a transaction, which locks the index.
#[derive(Debug)]
pub(super) struct WalIndex(&'static File);

impl WalIndex {
    /// Opens the index that belongs to a database file. None if there is none, because the file has no write-ahead log.
    pub(super) fn open(database: &Path) -> Option<Self> {
        // SQLite follows symbolic links, and then appends to the name.
        let mut path = fs::canonicalize(database).ok()?.into_os_string();
        path.push("-shm");
        let file = File::open(path).ok()?;
        // Never closed: that would release the locks of SQLite in this process (POSIX advisory locks, fcntl(2)).
        Some(Self(Box::leak(Box::new(file))))
    }

    /// Reads the header. After the end of a commit, it differs from all that were read before the commit.
    pub(super) fn header(&self) -> Option<Header> {
        let mut header = [0; HEADER];
        self.0.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn only_commits_change_the_header() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let writer = Connection::open(&file).expect("a file");
        let run = |statements| writer.execute_batch(statements).expect("no error");
        run("PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)");
        let index = WalIndex::open(&file).expect("an index");
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
            // The log starts over.
            ("INSERT INTO numbers VALUES (4)", true),
        ] {
            run(statements);
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
        let writer = Connection::open(&link).expect("a file");
        let create = "PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)";
        writer.execute_batch(create).expect("a table");
        assert!(WalIndex::open(&link).is_some());
    }

    #[test]
    fn file_without_a_write_ahead_log_has_no_index() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(WalIndex::open(file.path()).is_none());
    }
}
