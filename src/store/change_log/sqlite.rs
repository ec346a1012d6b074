//! Polling of the change log on SQLite.

use std::{
    num::NonZero,
    path::Path,
    sync::{Mutex, MutexGuard, TryLockError},
    thread::available_parallelism,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::{
    DataVersion, EventDependencies, InvalidationLog, lock,
    wal_index::{self, WalIndex},
};

/// The changes with this number or a higher one.
const CHANGES: &str = "SELECT number, event_id FROM change_log WHERE number >= ?1 ORDER BY number";

/// The maximum number of connections that poll at the same time.
const MAX_POLLERS: usize = 8;

/// The change log of a file.
#[derive(Debug)]
pub(super) struct SqliteChangeLog {
    /// One per hardware thread, so that requests do not wait for each other. None after [`close`](Self::close).
    pollers: Vec<Mutex<Option<Poller>>>,
    /// None if commits can only be detected by the pollers.
    wal_index: Option<WalIndex>,
    recent: Mutex<RecentChanges>,
}

/// A connection, and the result of its last poll.
#[derive(Debug)]
struct Poller {
    connection: Connection,
    /// `PRAGMA data_version`.
    version: Option<i64>,
}

/// The changes that polls have read.
#[derive(Debug, Default)]
struct RecentChanges {
    log: InvalidationLog,
    /// The number of the last change.
    last_number: i64,
    /// The header that was read before the last poll of the file: `log` includes all commits that had completed then.
    header: Option<wal_index::Header>,
}

impl SqliteChangeLog {
    /// Opens the file, which must exist.
    pub(super) fn open(file: &Path) -> rusqlite::Result<Self> {
        let threads = available_parallelism().map_or(1, NonZero::get);
        Self::with_pollers(file, threads.min(MAX_POLLERS))
    }

    fn with_pollers(file: &Path, count: usize) -> rusqlite::Result<Self> {
        let pollers: Vec<_> = (0..count)
            .map(|_| Poller::open(file))
            .collect::<rusqlite::Result<_>>()?;
        let wal_index = pollers.first().and_then(|poller| WalIndex::open(&poller.connection));
        Ok(Self {
            pollers: pollers.into_iter().map(|poller| Mutex::new(Some(poller))).collect(),
            wal_index,
            recent: Mutex::default(),
        })
    }

    /// The current data version. None if it is unknown because the file is locked or closed.
    pub(super) fn poll(&self) -> Option<DataVersion> {
        let header = self.wal_index.as_ref().and_then(WalIndex::header);
        if header.is_some() {
            let recent = lock(&self.recent);
            if recent.header == header {
                return Some(recent.log.current());
            }
        }
        let mut poller = self.poller();
        let poller = poller.as_mut()?;
        let version = data_version(&poller.connection).ok()?;
        let mut recent = lock(&self.recent);
        if poller.version != Some(version) {
            recent.read(&poller.connection).ok()?;
            // Commits between the two statements are read by the next poll.
            poller.version = Some(version);
        }
        recent.header = header;
        Some(recent.log.current())
    }

    /// Returns true if nothing has changed on which a response from this data version or a later one depends. Changes
    /// since the last poll are not considered.
    pub(super) fn is_unchanged(&self, since: DataVersion, events: &EventDependencies) -> bool {
        lock(&self.recent).log.is_unchanged(since, events)
    }

    /// Runs a read. None if it fails, or if the file is closed.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        read(&self.poller().as_ref()?.connection).ok()
    }

    /// Closes the connections.
    pub(super) fn close(&self) {
        for poller in &self.pollers {
            *lock(poller) = None;
        }
        lock(&self.recent).header = None;
    }

    /// A poller that is free, if there is one.
    fn poller(&self) -> MutexGuard<'_, Option<Poller>> {
        let free = self.pollers.iter().find_map(|poller| match poller.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        free.unwrap_or_else(|| lock(&self.pollers[0]))
    }
}

impl Poller {
    fn open(file: &Path) -> rusqlite::Result<Self> {
        // Not read-only: reading a write-ahead log writes to its index.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.pragma_update(None, "query_only", true)?;
        // A poll must not wait: if the file is locked, the data version is unknown.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Self {
            connection,
            version: None,
        })
    }
}

impl RecentChanges {
    /// SQLite has one writer, so that changes are committed in the order of their numbers. If the last one that was read
    /// has been deleted, later ones may have been deleted, too.
    fn read(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let changes: Vec<(i64, Option<i64>)> = connection
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
    use super::*;
    use crate::store;

    /// A file with the current schema and two events, a connection that writes, and the change log after a poll.
    async fn polled_file() -> (tempfile::TempDir, Connection, SqliteChangeLog) {
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
        let change_log = SqliteChangeLog::open(&file).expect("the file exists");
        assert!(change_log.wal_index.is_some());
        change_log.poll().expect("a data version");
        (folder, writer, change_log)
    }

    fn write(writer: &Connection, statement: &str) {
        writer.execute_batch(statement).expect("a write");
    }

    fn poll_now(change_log: &SqliteChangeLog) -> DataVersion {
        change_log.poll().expect("a data version")
    }

    #[tokio::test]
    async fn reads_keep_the_version() {
        let (_folder, writer, change_log) = polled_file().await;
        let before = poll_now(&change_log);
        let count: i64 = writer
            .query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(count, 2);
        assert_eq!(poll_now(&change_log), before);
    }

    #[tokio::test]
    async fn unlogged_write_keeps_the_version() {
        let (_folder, writer, change_log) = polled_file().await;
        let before = poll_now(&change_log);
        write(&writer, "UPDATE sqlite_sequence SET seq = seq + 1");
        assert_eq!(poll_now(&change_log), before);
    }

    #[tokio::test]
    async fn write_changes_the_version_when_committed() {
        let (_folder, writer, change_log) = polled_file().await;
        let before = poll_now(&change_log);
        write(&writer, "BEGIN IMMEDIATE; DELETE FROM events WHERE id = 1");
        assert_eq!(poll_now(&change_log), before);
        write(&writer, "COMMIT");
        let after = poll_now(&change_log);
        assert_ne!(after, before);
        write(&writer, "BEGIN IMMEDIATE; DELETE FROM events; ROLLBACK");
        assert_eq!(poll_now(&change_log), after);
    }

    #[tokio::test]
    async fn changes_invalidate_their_dependents() {
        let (_folder, writer, change_log) = polled_file().await;
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
            let before = poll_now(&change_log);
            write(&writer, statement);
            poll_now(&change_log);
            assert!(!change_log.is_unchanged(before, &one), "{statement}");
            assert!(!change_log.is_unchanged(before, &EventDependencies::All), "{statement}");
            assert_eq!(change_log.is_unchanged(before, &two), keeps_others, "{statement}");
        }
    }

    #[tokio::test]
    async fn deleted_changes_invalidate_everything() {
        let (_folder, writer, change_log) = polled_file().await;
        let before = poll_now(&change_log);
        write(&writer, "BEGIN");
        for _ in 0..2 * 4096 {
            write(&writer, "UPDATE events SET title = 'New' WHERE id = 1");
        }
        write(&writer, "COMMIT");
        let kept: i64 = writer
            .query_row("SELECT COUNT(*) FROM change_log", [], |row| row.get(0))
            .expect("a count");
        assert!((4096..4096 + 64).contains(&kept), "{kept}");
        poll_now(&change_log);
        assert!(!change_log.is_unchanged(before, &EventDependencies::NONE));
    }

    #[tokio::test]
    async fn poll_does_not_wait_for_another_one() {
        let (folder, writer, _) = polled_file().await;
        let change_log = SqliteChangeLog::with_pollers(&folder.path().join("almanac.db"), 2).expect("the file exists");
        let before = poll_now(&change_log);
        let busy = change_log.poller();
        write(&writer, "UPDATE events SET title = 'New' WHERE id = 1");
        let after = poll_now(&change_log);
        assert_ne!(after, before);
        drop(busy);
        assert_eq!(poll_now(&change_log), after);
    }

    #[tokio::test]
    async fn version_is_unknown_after_close() {
        let (_folder, _writer, change_log) = polled_file().await;
        change_log.close();
        assert_eq!(change_log.poll(), None);
    }

    #[tokio::test]
    async fn changes_are_read_by_key() {
        let (_folder, _writer, change_log) = polled_file().await;
        let plan: String = change_log
            .read(|connection| {
                connection.query_row(&format!("EXPLAIN QUERY PLAN {CHANGES}"), [1], |row| row.get("detail"))
            })
            .expect("a plan");
        assert_eq!(plan, "SEARCH change_log USING INTEGER PRIMARY KEY (rowid>?)");
    }

    #[tokio::test]
    async fn pollers_are_read_only() {
        let (_folder, _writer, change_log) = polled_file().await;
        let deleted = change_log.read(|connection| connection.execute("DELETE FROM events", []));
        assert_eq!(deleted, None);
    }
}
