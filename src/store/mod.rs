//! Reads and writes. One transaction a write; the same code on SQLite and on PostgreSQL.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, TransactionTrait,
};

pub mod census;
pub mod entity;
pub mod events;
pub mod hosts;
pub mod images;
pub mod links;
pub mod number;
mod open;
pub mod page;
pub mod post;
pub mod rows;
pub mod search;
pub mod slugs;
mod sqlstate;
pub mod term;
pub mod term_list;
mod transaction;
mod upcoming;
pub mod users;
pub mod visibility;
mod watch;

pub use open::{OpenError, is_present, open, open_to_load};
pub use page::{Page, PageRequest};
pub use post::Post;
pub use term::Term;
pub use transaction::Transaction;
pub use upcoming::Upcoming;
pub use watch::{EventTexts, Generation, Watch};

/// The connections to one database.
#[derive(Clone, Debug)]
pub struct Store {
    reader: DatabaseConnection,
    writer: DatabaseConnection,
    statements: Arc<AtomicU64>,
    watch: Watch,
}

impl Store {
    /// Where reads of one statement go. Its connections refuse to write.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// Begins to read by one connection: all statements see the data as the first of them finds it. Ends when it is
    /// dropped.
    pub async fn snapshot(&self) -> Result<DatabaseTransaction, DbErr> {
        self.reader.begin().await
    }

    /// By which the state of the data is known without reading it.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// How many statements it has run, those that begin, set and end transactions aside.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// After many rows were stored at once: PostgreSQL learns how they are spread, and which pages of its tables
    /// indexes can speak for.
    pub async fn tidy(&self) -> Result<(), DbErr> {
        if self.writer.get_database_backend() == DbBackend::Postgres {
            self.writer.execute_unprepared("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    /// Lets go of the database; on SQLite this folds the write-ahead log into the file.
    pub async fn close(self) -> Result<(), DbErr> {
        self.watch.close().await?;
        self.reader.close().await?;
        self.writer.close().await
    }
}
