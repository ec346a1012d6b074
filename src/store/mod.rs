//! Storage on SQLite and PostgreSQL: entities, queries, and one transaction per write.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};

pub(crate) mod address;
pub(crate) mod backfill;
pub(crate) mod batch;
pub(crate) mod bulk_load;
pub(crate) mod calendar_state;
pub(crate) mod calendar_uuid;
pub(crate) mod change_log;
mod checkpoints;
pub(crate) mod choices;
mod circuit_breaker;
mod connection_renewal;
pub(crate) mod consistency;
pub(crate) mod count;
pub(crate) mod counts;
pub(crate) mod denormalised;
pub(crate) mod description_texts;
mod enclosing;
pub mod entity;
pub(crate) mod event_keys;
pub(crate) mod event_times;
pub(crate) mod events;
pub(crate) mod failure;
mod file;
pub(crate) mod former_slugs;
mod group_commit;
mod id_lists;
pub(crate) mod idempotency_keys;
pub(crate) mod images;
pub(crate) mod imports;
pub(crate) mod known_results;
pub(crate) mod linked_resource;
pub(crate) mod linked_rows;
pub(crate) mod links;
mod literal_limits;
pub(crate) mod locks;
pub(crate) mod lookup;
mod mutex;
pub(crate) mod object_changes;
mod open;
pub(crate) mod pagination;
mod postgres;
mod posting_lists;
pub(crate) mod publishable;
pub(crate) mod read_connection;
pub(crate) mod rederive;
pub(crate) mod row;
pub(crate) mod rows;
mod schema;
pub(crate) mod search;
pub(crate) mod search_index;
pub(crate) mod segment_merges;
pub(crate) mod series;
pub(crate) mod sitemap;
pub(crate) mod slugs;
mod snapshot;
mod sqlite;
mod sqlite_options;
pub(crate) mod sqlstate;
mod statement_texts;
pub(crate) mod term;
pub(crate) mod term_list;
mod transaction;
pub(crate) mod trash;
mod upcoming;
pub(crate) mod users;
pub(crate) mod versioned_cache;
pub(crate) mod visibility;
mod vocabulary;
pub(crate) mod webhooks;
pub(crate) mod write_connection;
mod writer;

pub(crate) use change_log::{ChangeLog, DataVersion, EventDependencies, ListVersion};
pub(crate) use file::{sqlite_companion, sqlite_path, sqlite_url};
pub use open::{OpenError, open, open_to_load};
pub(crate) use open::{
    applied_steps, check_steps, is_schema_current, open_to_import, open_to_read, wait_until_reachable,
};
pub(crate) use pagination::Page;
pub use pagination::PageRequest;
pub(crate) use postgres::{PostgresServer, Unreachable};
pub use publishable::Publishable;
pub(crate) use schema::SchemaError;
pub use snapshot::Snapshot;
pub(crate) use term::Term;
pub(crate) use transaction::Transaction;
pub(crate) use writer::Refusal;

use self::{connection_renewal::ConnectionRenewal, enclosing::Enclosing, known_results::KnownResults, writer::Writer};

/// The connections to one database.
#[derive(Clone, Debug)]
pub struct Store {
    reader: DatabaseConnection,
    reader_renewal: ConnectionRenewal,
    /// Read the file on the calling thread. None on PostgreSQL, and in stores that were opened to load, to import or to
    /// read.
    sqlite_readers: Option<sqlite::Readers>,
    writer: Arc<Writer>,
    statement_count: Arc<AtomicU64>,
    change_log: ChangeLog,
    /// None if no results are kept in memory.
    known_results: Option<Arc<KnownResults>>,
    /// The transaction of all reads and writes ([`Self::within`]).
    enclosing: Option<Enclosing>,
}

impl Store {
    /// The connections for reads of one statement. They can't write.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// Runs a read on [`Self::reader`]. Fails once the database is unreachable.
    pub async fn bounded<T, E: From<DbErr>>(&self, read: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        self.writer.breaker().run(read).await
    }

    /// The same store, which keeps no results in memory.
    #[must_use]
    pub(crate) fn uncached(self) -> Self {
        Self {
            known_results: None,
            ..self
        }
    }

    /// The change log of the database.
    pub fn change_log(&self) -> &ChangeLog {
        &self.change_log
    }

    /// Since when the database has refused writes, and why. None while writes succeed.
    pub fn refusal(&self) -> Option<Refusal> {
        self.writer.refusal()
    }

    /// The file of a SQLite database.
    pub(crate) fn file_path(&self) -> Option<&Path> {
        self.writer.file_path()
    }

    /// The number of statements that were run, except those that begin, configure and end transactions.
    pub fn statement_count(&self) -> u64 {
        self.statement_count.load(Ordering::Relaxed)
    }

    /// Updates the statistics and the visibility map of PostgreSQL after a bulk load.
    pub async fn analyze(&self) -> Result<(), DbErr> {
        let database = self.writer.database();
        if database.get_database_backend() == DbBackend::Postgres {
            database.execute_unprepared("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    /// Closes all connections. On SQLite, this checkpoints the write-ahead log.
    pub async fn close(self) -> Result<(), DbErr> {
        self.close_readers().await?;
        self.change_log.close().await?;
        self.writer.close().await
    }

    /// Closes the connections that read. Only responses that are kept in memory can be sent from then on.
    pub async fn close_readers(&self) -> Result<(), DbErr> {
        if let Some(readers) = &self.sqlite_readers {
            readers.close();
        }
        self.reader.close_by_ref().await
    }
}
