//! Copies of SQLite databases.

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, OpenFlags};

use crate::transfer::{Counts, Progress, tables};

/// How long a copy waits for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a statement looks whether it has been cancelled, in instructions of SQLite.
const CANCELLATION_INTERVAL: i32 = 10_000;

/// Opens an existing database.
fn open(path: &Path, progress: &Arc<Progress>) -> rusqlite::Result<Connection> {
    // Not read-only: reading a write-ahead log writes to its index.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let progress = progress.clone();
    connection.progress_handler(CANCELLATION_INTERVAL, Some(move || progress.is_cancelled()))?;
    Ok(connection)
}

/// Writes all that is committed to another file, which must be empty. Writers do not wait.
pub(super) fn copy(from: &Path, to: &Path, progress: &Arc<Progress>) -> rusqlite::Result<()> {
    let connection = open(from, progress)?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(())
}

/// The number of rows of each table.
pub(super) fn counts(path: &Path, progress: &Arc<Progress>) -> rusqlite::Result<Counts> {
    let connection = open(path, progress)?;
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    // A backup of an older version lacks later tables.
    let present: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let count = |table: &str| {
        let select = format!("SELECT COUNT(*) FROM {table}");
        let count: i64 = connection.query_row(&select, [], |row| row.get(0))?;
        Ok((table.to_owned(), count.unsigned_abs()))
    };
    let is_present = |table: &&str| present.iter().any(|name| name == table);
    tables::counted().filter(is_present).map(count).collect()
}

/// The first problems that SQLite finds in the file, and rows that refer to missing ones.
pub(super) fn problems(path: &Path, progress: &Arc<Progress>) -> rusqlite::Result<Vec<String>> {
    let connection = open(path, progress)?;
    let mut statement = connection.prepare("PRAGMA integrity_check(10)")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut problems: Vec<String> = found.into_iter().filter(|text| text != "ok").collect();
    let mut statement =
        connection.prepare("SELECT DISTINCT \"table\", parent FROM pragma_foreign_key_check LIMIT 10")?;
    let orphans = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("rows of {table} refer to missing rows of {parent}"))
    })?;
    for orphan in orphans {
        problems.push(orphan?);
    }
    Ok(problems)
}

/// The names of the steps that were applied to the schema.
pub(super) fn schema(path: &Path, progress: &Arc<Progress>) -> rusqlite::Result<Vec<String>> {
    let connection = open(path, progress)?;
    let mut statement = connection.prepare("SELECT version FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}
