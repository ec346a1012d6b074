//! Watching a SQLite file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use super::{DataVersion, InvalidationLog};

/// A connection that sees what others commit, and what it has seen.
#[derive(Debug)]
pub struct SqlitePoller {
    pub connection: Connection,
    pub log: InvalidationLog,
    /// None before the first look.
    version: Option<i64>,
    /// The number of the last change.
    last_number: i64,
}

impl SqlitePoller {
    /// Opens the file, which is there already.
    pub fn open(file: &Path) -> rusqlite::Result<Self> {
        // Not read-only: who reads a write-ahead log writes to the index of it.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.pragma_update(None, "query_only", true)?;
        // Nobody waits for a generation: where it is not to be had at once, it is unknown.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Self {
            connection,
            log: InvalidationLog::default(),
            version: None,
            last_number: 0,
        })
    }

    /// The state of the data now.
    pub fn poll(&mut self) -> rusqlite::Result<DataVersion> {
        let version = data_version(&self.connection)?;
        if self.version != Some(version) {
            self.read_changes()?;
            // What was committed between is looked for once more.
            self.version = Some(version);
        }
        Ok(self.log.current())
    }

    /// SQLite has one writer, so that changes come in the order of their numbers. Where the last one is not there any
    /// more, others after it may have been forgotten too.
    fn read_changes(&mut self) -> rusqlite::Result<()> {
        let changes: Vec<(i64, Option<i64>)> = self
            .connection
            .prepare_cached("SELECT number, event_id FROM changes WHERE number >= ?1 ORDER BY number")?
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

/// SQLite counts what it sees others commit, for each connection by itself. This one never writes, so that it
/// sees the commits of all the others: our own and those of other processes.
fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::{super::EventDependencies, *};
    use crate::store;

    /// A file with the present schema and two events, with a connection that writes, and one that has looked.
    async fn watched() -> (tempfile::TempDir, Connection, SqlitePoller) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let store = store::open(&format!("sqlite://{}", file.display()), true).await;
        let closed = store.expect("a database").close().await;
        closed.expect("it lets go");
        let writer = Connection::open(&file).expect("the file is there");
        for (id, slug) in [(1, "one"), (2, "two")] {
            let insert = "INSERT INTO events (id, version, status, slug, published_at, modified_at, title, \
                description, search_text, excerpt, starts_at, ends_at, timezone, cost, website, custom_fields, \
                all_day, show_map, show_map_link, hide_from_listings, sticky, featured, ticketed) \
                VALUES (?1, 1, 'publish', ?2, 0, 0, '', '', '', '', 0, 0, 'UTC', '', '', '{}', 0, 0, 0, 0, 0, 0, 0)";
            writer.execute(insert, (id, slug)).expect("an event");
        }
        let mut poller = SqlitePoller::open(&file).expect("the file is there");
        poller.poll().expect("a generation");
        (folder, writer, poller)
    }

    fn write(writer: &Connection, statement: &str) {
        writer.execute_batch(statement).expect("a write");
    }

    fn poll_now(poller: &mut SqlitePoller) -> DataVersion {
        poller.poll().expect("a generation")
    }

    #[tokio::test]
    async fn a_generation_stays_while_nobody_writes() {
        let (_folder, writer, mut poller) = watched().await;
        let before = poll_now(&mut poller);
        let count: i64 = writer
            .query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(count, 2);
        assert_eq!(poll_now(&mut poller), before);
    }

    #[tokio::test]
    async fn what_answers_do_not_show_makes_no_generation() {
        let (_folder, writer, mut poller) = watched().await;
        let before = poll_now(&mut poller);
        write(&writer, "UPDATE sqlite_sequence SET seq = seq + 1");
        assert_eq!(poll_now(&mut poller), before);
    }

    #[tokio::test]
    async fn a_write_counts_from_its_commit_on() {
        let (_folder, writer, mut poller) = watched().await;
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
    async fn each_kind_of_change_concerns_what_is_made_of_it() {
        let (_folder, writer, mut poller) = watched().await;
        let one = EventDependencies::Of(vec![1]);
        let two = EventDependencies::Of(vec![2]);
        for (statement, spares_others) in [
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
            poller.poll().expect("a generation");
            let log = &poller.log;
            assert!(!log.is_unchanged(before, &one), "{statement}");
            assert!(!log.is_unchanged(before, &EventDependencies::All), "{statement}");
            assert_eq!(log.is_unchanged(before, &two), spares_others, "{statement}");
        }
    }

    #[tokio::test]
    async fn who_looks_too_seldom_takes_everything_for_changed() {
        let (_folder, writer, mut poller) = watched().await;
        let before = poll_now(&mut poller);
        write(&writer, "BEGIN");
        for _ in 0..2 * 4096 {
            write(&writer, "UPDATE events SET title = 'New' WHERE id = 1");
        }
        write(&writer, "COMMIT");
        let kept: i64 = writer
            .query_row("SELECT COUNT(*) FROM changes", [], |row| row.get(0))
            .expect("a count");
        assert!((4096..4096 + 64).contains(&kept), "{kept}");
        poller.poll().expect("a generation");
        assert!(!poller.log.is_unchanged(before, &EventDependencies::NONE));
    }

    #[tokio::test]
    async fn the_watch_itself_can_not_write() {
        let (_folder, _writer, poller) = watched().await;
        assert!(poller.connection.execute("DELETE FROM events", []).is_err());
    }
}
