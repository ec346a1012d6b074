//! Polling of the change log on SQLite.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use super::{DataVersion, InvalidationLog};

/// The changes with this number or a higher one.
const CHANGES: &str = "SELECT number, event_id FROM change_log WHERE number >= ?1 ORDER BY number";

/// The connection of polls and the result of the last one.
#[derive(Debug)]
pub(super) struct SqlitePoller {
    pub connection: Connection,
    pub log: InvalidationLog,
    /// `PRAGMA data_version` at the last poll.
    version: Option<i64>,
    /// The number of the last change that was read.
    last_number: i64,
}

impl SqlitePoller {
    /// Opens the file, which must exist.
    pub(super) fn open(file: &Path) -> rusqlite::Result<Self> {
        // Not read-only: reading a write-ahead log writes to its index.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.pragma_update(None, "query_only", true)?;
        // A poll must not wait: if the file is locked, the data version is unknown.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Self {
            connection,
            log: InvalidationLog::default(),
            version: None,
            last_number: 0,
        })
    }

    /// The current data version.
    pub(super) fn poll(&mut self) -> rusqlite::Result<DataVersion> {
        let version = data_version(&self.connection)?;
        if self.version != Some(version) {
            self.read_changes()?;
            // Commits between the two statements are read by the next poll.
            self.version = Some(version);
        }
        Ok(self.log.current())
    }

    /// SQLite has one writer, so that changes are committed in the order of their numbers. If the last one that was read
    /// has been deleted, later ones may have been deleted, too.
    fn read_changes(&mut self) -> rusqlite::Result<()> {
        let changes: Vec<(i64, Option<i64>)> = self
            .connection
            .prepare_cached(CHANGES)?
            .query_map([self.last_number], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        match changes.as_slice() {
            [(first, _), new @ ..] if *first == self.last_number => {
                let events: Vec<_> = new.iter().map(|(_, event)| *event).collect();
                self.log.add(&events);
            }
            _ => self.log.add(&[None]),
        }
        self.last_number = changes.last().map_or(0, |(number, _)| *number);
        Ok(())
    }
}

/// SQLite counts, for each connection, the commits of all other connections. This one never writes and therefore sees all
/// commits: those of this process and of other processes.
fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::{super::EventDependencies, *};
    use crate::store;

    /// A file with the current schema and two events, a connection that writes, and a poller that has polled once.
    async fn polled_file() -> (tempfile::TempDir, Connection, SqlitePoller) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let store = store::open(&format!("sqlite://{}", file.display()), true).await;
        let closed = store.expect("a database").close().await;
        closed.expect("it closes");
        let writer = Connection::open(&file).expect("the file exists");
        for (id, slug) in [(1, "one"), (2, "two")] {
            let insert = "INSERT INTO events (id, version, status, slug, published_at, modified_at, title, \
                description, search_text, excerpt, starts_at, ends_at, timezone, cost, website, custom_fields, \
                all_day, show_map, show_map_link, hide_from_listings, sticky, featured, ticketed) \
                VALUES (?1, 1, 'publish', ?2, 0, 0, '', '', '', '', 0, 0, 'UTC', '', '', '{}', 0, 0, 0, 0, 0, 0, 0)";
            writer.execute(insert, (id, slug)).expect("an event");
        }
        let mut poller = SqlitePoller::open(&file).expect("the file exists");
        poller.poll().expect("a data version");
        (folder, writer, poller)
    }

    fn write(writer: &Connection, statement: &str) {
        writer.execute_batch(statement).expect("a write");
    }

    fn poll_now(poller: &mut SqlitePoller) -> DataVersion {
        poller.poll().expect("a data version")
    }

    #[tokio::test]
    async fn reads_keep_the_version() {
        let (_folder, writer, mut poller) = polled_file().await;
        let before = poll_now(&mut poller);
        let count: i64 = writer
            .query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(count, 2);
        assert_eq!(poll_now(&mut poller), before);
    }

    #[tokio::test]
    async fn unlogged_write_keeps_the_version() {
        let (_folder, writer, mut poller) = polled_file().await;
        let before = poll_now(&mut poller);
        write(&writer, "UPDATE sqlite_sequence SET seq = seq + 1");
        assert_eq!(poll_now(&mut poller), before);
    }

    #[tokio::test]
    async fn write_changes_the_version_when_committed() {
        let (_folder, writer, mut poller) = polled_file().await;
        let before = poll_now(&mut poller);
        write(&writer, "BEGIN IMMEDIATE; DELETE FROM events WHERE id = 1");
        assert_eq!(poll_now(&mut poller), before);
        write(&writer, "COMMIT");
        let after = poll_now(&mut poller);
        assert_ne!(after, before);
        write(&writer, "BEGIN IMMEDIATE; DELETE FROM events; ROLLBACK");
        assert_eq!(poll_now(&mut poller), after);
    }

    #[tokio::test]
    async fn changes_invalidate_their_dependents() {
        let (_folder, writer, mut poller) = polled_file().await;
        let one = EventDependencies::Of(vec![1]);
        let two = EventDependencies::Of(vec![2]);
        for (statement, keeps_others) in [
            ("UPDATE events SET title = 'New' WHERE id = 1", true),
            ("UPDATE events SET modified_at = 9, version = 9 WHERE id = 1", true),
            ("UPDATE events SET starts_at = -9 WHERE id = 1", false),
            ("UPDATE events SET title = 'Newer', featured = 1 WHERE id = 1", false),
            ("UPDATE events SET status = 'draft' WHERE id = 1", false),
            (
                "INSERT INTO tags (id, version, name, name_key, slug, description, search_text) \
                 VALUES (1, 1, '', '', '', '', '')",
                false,
            ),
            (
                "INSERT INTO event_tags (event_id, target_id, position) VALUES (1, 1, 0)",
                false,
            ),
            ("DELETE FROM event_tags", false),
            ("UPDATE tags SET name = 'Free'", false),
            ("DELETE FROM tags", false),
            ("DELETE FROM events WHERE id = 1", false),
        ] {
            let before = poll_now(&mut poller);
            write(&writer, statement);
            poller.poll().expect("a data version");
            let log = &poller.log;
            assert!(!log.is_unchanged(before, &one), "{statement}");
            assert!(!log.is_unchanged(before, &EventDependencies::All), "{statement}");
            assert_eq!(log.is_unchanged(before, &two), keeps_others, "{statement}");
        }
    }

    #[tokio::test]
    async fn deleted_changes_invalidate_everything() {
        let (_folder, writer, mut poller) = polled_file().await;
        let before = poll_now(&mut poller);
        write(&writer, "BEGIN");
        for _ in 0..2 * 4096 {
            write(&writer, "UPDATE events SET title = 'New' WHERE id = 1");
        }
        write(&writer, "COMMIT");
        let kept: i64 = writer
            .query_row("SELECT COUNT(*) FROM change_log", [], |row| row.get(0))
            .expect("a count");
        assert!((4096..4096 + 64).contains(&kept), "{kept}");
        poller.poll().expect("a data version");
        assert!(!poller.log.is_unchanged(before, &EventDependencies::NONE));
    }

    #[tokio::test]
    async fn changes_are_read_by_key() {
        let (_folder, _writer, poller) = polled_file().await;
        let plan: String = poller
            .connection
            .query_row(&format!("EXPLAIN QUERY PLAN {CHANGES}"), [1], |row| row.get("detail"))
            .expect("a plan");
        assert_eq!(plan, "SEARCH change_log USING INTEGER PRIMARY KEY (rowid>?)");
    }

    #[tokio::test]
    async fn poller_is_read_only() {
        let (_folder, _writer, poller) = polled_file().await;
        assert!(poller.connection.execute("DELETE FROM events", []).is_err());
    }
}
