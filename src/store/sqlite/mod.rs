//! Reads of a SQLite file on the calling thread. sqlx runs each statement on a thread of its own, and the two switches
//! cost more than most statements.

mod connection;
mod error;
mod readers;
mod values;

pub(super) use self::{
    readers::{Options, Readers},
    values::{column_value, get, text},
};
