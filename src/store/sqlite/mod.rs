//! Statements on a SQLite file that run on the calling thread. sqlx runs each statement on a thread of its own, and the
//! two switches cost more than most statements.

mod blocking;
mod connection;
mod error;
mod readers;
mod statement;
mod values;
mod write_ahead_log;
mod writer_connection;

pub(super) use self::{
    blocking::BlockingSteps,
    readers::{Options, Readers},
    values::{column_value, get, text},
    write_ahead_log::WriteAheadLog,
    writer_connection::{WriterConnection, WriterOptions},
};

/// The number of prepared statements that a connection keeps.
const PREPARED: usize = 128;
