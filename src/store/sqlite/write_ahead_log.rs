//! The write-ahead log of a file (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).

use rusqlite::{Connection, Row};

/// The state of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct WriteAheadLog {
    /// The number of pages in it.
    pub pages: u32,
    /// The number of pages that checkpoints have copied into the database file.
    pub copied: u32,
}

impl WriteAheadLog {
    /// Reads the state.
    pub(in crate::store) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        pragma(connection, "PRAGMA wal_checkpoint(NOOP)")
    }

    /// Copies all pages into the database file, except those that a reader does not see yet. Other connections may write
    /// meanwhile. Returns the state afterwards.
    pub(in crate::store) fn checkpoint(connection: &Connection) -> rusqlite::Result<Self> {
        pragma(connection, "PRAGMA wal_checkpoint(PASSIVE)")
    }
}

fn pragma(connection: &Connection, pragma: &str) -> rusqlite::Result<WriteAheadLog> {
    // SQLite returns -1 for a file without a write-ahead log.
    let pages = |row: &Row<'_>, column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.max(0) as u32);
    // The first column tells whether another connection prevented a checkpoint of another mode.
    let state = |row: &Row<'_>| {
        Ok(WriteAheadLog {
            pages: pages(row, 1)?,
            copied: pages(row, 2)?,
        })
    };
    connection.prepare_cached(pragma)?.query_row([], state)
}
