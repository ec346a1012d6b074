//! The file of a SQLite database: its permissions, checks before it is opened, and detection of its replacement.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, ErrorKind, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rusqlite::{Connection, OpenFlags};
use sea_orm::sqlx::{Sqlite, pool::PoolOptions, sqlite::SqliteConnectOptions};
use thiserror::Error;

use super::{
    OpenError,
    failure::StorageFailure,
    schema::{self, SchemaError},
};
use crate::migrations::SchemaState;

/// SQLite gives its other files (`-wal`, `-shm`) the mode of this one.
const MODE: u32 = 0o600;
/// The start of the header of a database (<https://www.sqlite.org/fileformat.html>).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_LENGTH: usize = 100;
/// How long the check waits for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The file that was at a path when it was opened.
#[derive(Clone, Debug)]
pub struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
}

/// Device and inode, which identify a file as long as it is open.
type Identity = (u64, u64);

/// Why a file can't be used as the database. The message follows the path.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("does not exist; run `almanac migrate` to create it, or name another file with --database-url")]
    Missing,
    #[error("can't be opened: {0}; check that its directory exists and that this user may write there")]
    Io(#[from] io::Error),
    #[error("is not a SQLite database; name another file with --database-url, or move this one away")]
    NotSqlite,
    #[error("is truncated: it has {has} of {needs} bytes; restore it from a backup")]
    Truncated { has: u64, needs: u64 },
    #[error("is damaged ({0}); restore it from a backup")]
    Damaged(rusqlite::Error),
    #[error("belongs to another program (it has a table {0}, and no calendar); name another file with --database-url")]
    Foreign(String),
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

impl DatabaseFile {
    /// Creates the file if it does not exist, and checks it otherwise.
    pub fn prepare(url: &str) -> Result<Self, OpenError> {
        Self::at(url, prepare)
    }

    /// Checks the file, which must exist.
    pub fn existing(url: &str) -> Result<Self, OpenError> {
        Self::at(url, |path| match path.try_exists()? {
            true => examine(path),
            false => Err(FileError::Missing),
        })
    }

    fn at(url: &str, prepare: impl FnOnce(&Path) -> Result<(), FileError>) -> Result<Self, OpenError> {
        let options = SqliteConnectOptions::from_str(url).map_err(|_| OpenError::Scheme)?;
        let path = options.get_filename().to_owned();
        let identity = prepare(&path).and_then(|()| Ok(identity(&path)?));
        let identity = identity.map_err(|error| OpenError::File {
            path: path.clone(),
            error,
        })?;
        Ok(Self { path, identity })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a pool refuse new connections once the path refers to another file, which has other data.
    pub fn guard(self, options: PoolOptions<Sqlite>) -> PoolOptions<Sqlite> {
        options.after_connect(move |_, _| {
            let is_in_place = self.is_in_place();
            Box::pin(async move {
                match is_in_place {
                    true => Ok(()),
                    false => Err(StorageFailure::FileReplaced.into()),
                }
            })
        })
    }

    /// Whether the path still refers to the file that was opened. Otherwise writes are lost.
    pub fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|identity| identity == self.identity)
    }
}

/// The path in the URL of a SQLite database. None for another database.
pub(crate) fn sqlite_path(url: &str) -> Option<PathBuf> {
    if !url.starts_with("sqlite:") {
        return None;
    }
    let options = SqliteConnectOptions::from_str(url).ok()?;
    Some(options.get_filename().to_owned())
}

/// The URL of the SQLite database at a path.
pub(crate) fn sqlite_url(path: &Path) -> String {
    /// What has a meaning in such a URL.
    const RESERVED: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#');
    format!("sqlite://{}", utf8_percent_encode(&path.to_string_lossy(), RESERVED))
}

/// The path of the file with this suffix that SQLite keeps beside a database, such as `-wal`.
pub(crate) fn sqlite_companion(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

fn identity(path: &Path) -> io::Result<Identity> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

fn prepare(path: &Path) -> Result<(), FileError> {
    let mut new = OpenOptions::new();
    match new.write(true).create_new(true).mode(MODE).open(path) {
        // Regardless of the umask.
        Ok(file) => Ok(file.set_permissions(Permissions::from_mode(MODE))?),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => examine(path),
        Err(error) => Err(error.into()),
    }
}

fn examine(path: &Path) -> Result<(), FileError> {
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    File::open(path)?.take(HEADER_LENGTH as u64).read_to_end(&mut header)?;
    if header.is_empty() {
        return Ok(());
    }
    if !header.starts_with(MAGIC) {
        return Err(FileError::NotSqlite);
    }
    let needs = needed_bytes(&header);
    let has_log = has_log(path);
    // The size is read last: another process may still be writing the pages that the header counts.
    let has = fs::metadata(path)?.len();
    if has < needs && !has_log {
        return Err(FileError::Truncated { has, needs });
    }
    examine_schema(path)
}

/// The size of the file according to the header, or a lower bound if the header is outdated.
fn needed_bytes(header: &[u8]) -> u64 {
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?.try_into().ok()?;
        Some(u64::from(u32::from_be_bytes(bytes)))
    };
    let page_size = match header.get(16..18) {
        Some([0, 1]) => 65_536,
        Some(&[high, low]) => u64::from(u16::from_be_bytes([high, low])),
        _ => return HEADER_LENGTH as u64,
    };
    match (number(24), number(28), number(92)) {
        // Older versions of SQLite do not update the number of pages.
        (Some(changes), Some(pages), Some(valid_for)) if changes == valid_for => pages * page_size,
        _ => page_size,
    }
}

/// Whether there is a log, which may contain the missing pages. With a rollback journal they are still being written, or
/// SQLite rolls back the header.
fn has_log(path: &Path) -> bool {
    let is_filled = |suffix| fs::metadata(sqlite_companion(path, suffix)).is_ok_and(|metadata| metadata.len() > 0);
    is_filled("-wal") || is_filled("-journal")
}

fn examine_schema(path: &Path) -> Result<(), FileError> {
    // Not read-only: reading a write-ahead log writes to its index.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let examined = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        let tables = texts(&connection, "SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let steps = texts(&connection, schema::APPLIED_STEPS).unwrap_or_default();
        Ok((tables, steps))
    });
    let (tables, steps) = match examined {
        Ok(examined) => examined,
        Err(error) if is_damage(&error) => return Err(FileError::Damaged(error)),
        // Opening the file for use reports other errors.
        Err(_) => return Ok(()),
    };
    let table = tables.into_iter().find(|name| !name.starts_with("sqlite_"));
    match (SchemaState::of(&steps), table) {
        (SchemaState::Empty | SchemaState::Foreign(_), Some(table)) => Err(FileError::Foreign(table)),
        (state, _) => Ok(schema::check(&state)?),
    }
}

fn texts(connection: &Connection, query: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_of_a_path_has_the_path() {
        for path in ["/tmp/almanac.db", "almanac.db", "/tmp/a b%20c?d#e.db"] {
            assert_eq!(sqlite_path(&sqlite_url(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(sqlite_path("postgres://db/calendar"), None);
    }

    #[test]
    fn missing_pages_may_be_in_a_log() {
        for (log, is_truncated) in [
            (None, true),
            (Some("almanac.db-wal"), false),
            (Some("almanac.db-journal"), false),
        ] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = folder.path().join("almanac.db");
            let connection = Connection::open(&path).expect("a database");
            let pages = "CREATE TABLE pages (bytes); INSERT INTO pages VALUES (zeroblob(50000))";
            connection.execute_batch(pages).expect("some pages");
            drop(connection);
            let file = OpenOptions::new().write(true).open(&path);
            let file = file.expect("the file exists");
            let size = file.metadata().expect("its size").len();
            file.set_len(size - 4096).expect("the file is truncated");
            if let Some(log) = log {
                fs::write(folder.path().join(log), "some pages").expect("a log");
            }
            let found = matches!(examine(&path), Err(FileError::Truncated { .. }));
            assert_eq!(found, is_truncated, "{log:?}");
        }
    }
}
