//! The options of connections to SQLite.

use std::time::Duration;

use sea_orm::{
    ConnectOptions,
    sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous},
};

use super::{ACQUIRE_TIMEOUT, READ_LIMIT, READERS};
use crate::store::{checkpoints, sqlite};

/// How long a bulk load waits for another one.
const LOADER_TIMEOUT: Duration = Duration::from_secs(600);
/// The page cache of a connection, in negative KiB as SQLite takes it. Writes invalidate the cache of readers. A bulk
/// load would repeatedly evict and reread index pages that do not fit.
const READER_CACHE: &str = "-4096";
/// The same for connections through sqlx, which read feeds, credentials, and repeat reads in a transaction.
const SQLX_READER_CACHE: &str = "-1024";
const WRITER_CACHE: &str = "-16384";
const LOADER_CACHE: &str = "-524288";
/// The same for imports and restores, which run on machines of any size: their memory must be bounded, and their indexes
/// are built at the end, from sorted entries.
const IMPORTER_CACHE: &str = "-32768";

/// The largest value of `PRAGMA mmap_size` that SQLite accepts.
const MAX_MMAP_SIZE: u32 = 0x7fff_0000;

/// The connections to SQLite for statements that most requests need.
pub(super) const SQLITE_READERS: sqlite::Options = sqlite::Options {
    connections: 8,
    cache_size: READER_CACHE,
    timeout: ACQUIRE_TIMEOUT,
    read_limit: READ_LIMIT,
};
/// The connection to SQLite for the writes of a server.
pub(super) const SQLITE_WRITER: sqlite::WriterOptions = sqlite::WriterOptions {
    cache_size: WRITER_CACHE,
    checkpoint_pages: checkpoints::MAX_PAGES,
    timeout: ACQUIRE_TIMEOUT,
    foreign_keys: true,
    mmap_size: 0,
    // Otherwise each page that a write with a savepoint changes is copied to a file.
    temp_store: "memory",
};
/// The connection to SQLite for bulk loads.
pub(super) const SQLITE_LOADER: sqlite::WriterOptions = sqlite::WriterOptions {
    cache_size: LOADER_CACHE,
    timeout: LOADER_TIMEOUT,
    // Loaded rows only refer to rows loaded before.
    foreign_keys: false,
    // Each index is built from all events, which mapped pages save from being copied.
    mmap_size: MAX_MMAP_SIZE,
    // The entries of indexes are sorted in files.
    temp_store: "file",
    ..SQLITE_WRITER
};
/// The connection to SQLite for imports and restores.
pub(super) const SQLITE_IMPORTER: sqlite::WriterOptions = sqlite::WriterOptions {
    cache_size: IMPORTER_CACHE,
    mmap_size: 0,
    ..SQLITE_LOADER
};

/// The purpose of a connection to SQLite.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Reader,
    Writer,
    /// Reads and migrates for bulk loads.
    Loader,
}

/// The options of a pool of connections for this purpose.
pub(super) fn sqlite_connect_options(url: &str, role: Role) -> ConnectOptions {
    let connections = match role {
        Role::Reader => READERS,
        Role::Writer | Role::Loader => 1,
    };
    let cache_size = match role {
        Role::Reader => SQLX_READER_CACHE,
        Role::Writer | Role::Loader => WRITER_CACHE,
    };
    let timeout = match role {
        Role::Loader => LOADER_TIMEOUT,
        _ => ACQUIRE_TIMEOUT,
    };
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        // Opens all connections at the start: none can be opened once the file has been replaced.
        .min_connections(connections)
        // Keeps the page caches.
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .test_before_acquire(false)
        .acquire_timeout(timeout)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |sqlite| {
            let sqlite = sqlite
                // `DatabaseFile::prepare` has created it with the right mode.
                .create_if_missing(false)
                .foreign_keys(true)
                .busy_timeout(timeout)
                .synchronous(SqliteSynchronous::Full)
                .pragma("cache_size", cache_size);
            match role {
                Role::Reader => sqlite.pragma("query_only", "on"),
                Role::Writer => sqlite
                    .journal_mode(SqliteJournalMode::Wal)
                    .pragma("temp_store", SQLITE_WRITER.temp_store)
                    .pragma("wal_autocheckpoint", checkpoints::PAGES.to_string()),
                Role::Loader => sqlite,
            }
        });
    options
}
