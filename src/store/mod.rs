//! Reads and writes. One transaction a write; the same code on SQLite and on PostgreSQL.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};

pub mod address;
mod change_log;
mod circuit_breaker;
mod connection_renewal;
pub mod count;
pub mod counts;
pub mod denormalised;
pub mod description_texts;
pub mod entity;
pub mod event_times;
pub mod events;
pub mod failure;
mod file;
pub mod images;
pub mod linked_resource;
pub mod links;
pub mod locks;
mod open;
pub mod pagination;
mod postgres;
pub mod publishable;
pub mod rederive;
pub mod rows;
mod schema;
pub mod search;
pub mod slugs;
mod sqlite_options;
mod sqlstate;
pub mod term;
pub mod term_list;
mod transaction;
pub mod trash;
mod upcoming;
pub mod users;
pub mod visibility;
mod writer;

pub use change_log::{ChangeLog, DataVersion, EventDependencies};
pub use file::FileError;
pub use open::{OpenError, is_schema_current, open, open_to_load, wait_until_reachable};
pub use pagination::{Page, PageRequest};
pub use postgres::{PostgresServer, Unreachable};
pub use publishable::Publishable;
pub use term::Term;
pub use transaction::Transaction;
pub use upcoming::Upcoming;
pub use writer::Refusal;

use self::{connection_renewal::ConnectionRenewal, writer::Writer};

/// The connections to one database.
#[derive(Clone, Debug)]
pub struct Store {
    reader: DatabaseConnection,
    reader_renewal: ConnectionRenewal,
    writer: Arc<Writer>,
    statement_count: Arc<AtomicU64>,
    change_log: ChangeLog,
}

impl Store {
    /// Where reads of one statement go. Its connections refuse to write.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// Runs a read by [`Self::reader`]. It ends with an error once the database can't be connected to.
    pub async fn bounded<T, E: From<DbErr>>(&self, read: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        self.writer.breaker().run(read).await
    }

    /// Begins to read by one connection: all statements see the data as the first of them finds it. Ends when it is
    /// dropped.
    pub async fn snapshot(&self) -> Result<Transaction, DbErr> {
        let breaker = self.writer.breaker();
        Transaction::begin_read(&self.reader, &self.reader_renewal, breaker).await
    }

    /// By which the state of the data is known without reading it.
    pub fn change_log(&self) -> &ChangeLog {
        &self.change_log
    }

    /// Since when and why the database has been refusing writes. None while writes succeed.
    pub fn refusal(&self) -> Option<Refusal> {
        self.writer.refusal()
    }

    /// How many statements it has run, those that begin, set and end transactions aside.
    pub fn statement_count(&self) -> u64 {
        self.statement_count.load(Ordering::Relaxed)
    }

    /// After many rows were stored at once: PostgreSQL learns how they are spread, and which pages of its tables
    /// indexes can speak for.
    pub async fn analyze(&self) -> Result<(), DbErr> {
        let database = self.writer.database();
        if database.get_database_backend() == DbBackend::Postgres {
            database.execute_unprepared("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    /// Lets go of the database; on SQLite this folds the write-ahead log into the file.
    pub async fn close(self) -> Result<(), DbErr> {
        self.change_log.close().await?;
        self.reader.close().await?;
        self.writer.database().close_by_ref().await
    }
}
