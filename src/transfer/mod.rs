//! The calendar as a file: exports and imports of all rows as lines of JSON, and backups.
//!
//! [`tables`] assigns every table to exports, to backups only, or to derived data, which is computed again.

pub(crate) mod backup;
mod batch;
pub(crate) mod csv;
mod derive;
pub(crate) mod derived_columns;
mod errors;
mod export;
mod header;
mod kinds;
mod load;
mod plain_tables;
mod progress;
mod read;
mod record;
mod renewal;
pub(crate) mod tables;
mod validate;

pub(crate) use self::{
    errors::TransferError,
    export::export,
    header::Counts,
    load::{LoadOptions, load},
    progress::Progress,
    renewal::Tokens,
};

/// What the lines contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The calendar, and users without credentials.
    Export,
    /// Everything that is not derived, credentials included.
    Backup,
}
