//! Classification of errors: full disks, I/O errors, corrupt files, and those that a retry may not repeat.

use std::sync::Arc;

use metrics::counter;
use sea_orm::{DbErr, RuntimeErr, sqlx};
use thiserror::Error;

/// Why the database can't store or read valid data.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum StorageFailure {
    #[error("the disk is full")]
    DiskFull,
    #[error("the disk reports an I/O error")]
    Io,
    #[error("the database lacks memory or another resource")]
    Resources,
    #[error("the database is corrupt")]
    Corrupt,
    #[error("the database is read-only")]
    ReadOnly,
    #[error("a file of the database can't be opened")]
    CannotOpen,
    /// SQLite only.
    #[error("the database file was deleted or replaced; put it back, then restart the server")]
    FileReplaced,
}

/// Counts requests that failed with a storage failure, by `kind`.
const STORAGE_FAILURES: &str = "almanac_storage_failures_total";

const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_INTERRUPT: u32 = 9;
/// SQLite's extended result code for a shared memory file that can't grow, which hides ENOSPC.
const SQLITE_IOERR_SHMSIZE: u32 = 4874;

impl StorageFailure {
    pub const ALL: [Self; 7] = [
        Self::DiskFull,
        Self::Io,
        Self::Resources,
        Self::Corrupt,
        Self::ReadOnly,
        Self::CannotOpen,
        Self::FileReplaced,
    ];

    /// The storage failure behind an error, or none if the storage works.
    pub fn of(error: &DbErr) -> Option<Self> {
        match sqlx_error(error)? {
            sqlx::Error::Database(error) => Self::of_code(&error.code()?),
            sqlx::Error::Configuration(cause) => cause.downcast_ref().copied(),
            _ => None,
        }
    }

    /// Classifies an extended result code of SQLite, which is a number, or a SQLSTATE of PostgreSQL, which has five
    /// characters.
    fn of_code(code: &str) -> Option<Self> {
        if code.len() == 5 {
            return Some(match code {
                "53100" => Self::DiskFull,
                "53000" | "53200" | "53400" => Self::Resources,
                "58030" | "58P01" | "58P02" => Self::Io,
                "XX001" | "XX002" => Self::Corrupt,
                "25006" => Self::ReadOnly,
                _ => return None,
            });
        }
        let code: u32 = code.parse().ok()?;
        Some(match (code, code & 0xff) {
            (SQLITE_IOERR_SHMSIZE, _) | (_, 13) => Self::DiskFull,
            (_, 10) => Self::Io,
            (_, 7) => Self::Resources,
            (_, 11 | 26) => Self::Corrupt,
            (_, 8) => Self::ReadOnly,
            (_, 14) => Self::CannotOpen,
            _ => return None,
        })
    }

    /// Counts a request that failed for this reason.
    pub fn count(self) {
        counter!(STORAGE_FAILURES, "kind" => self.label()).increment(1);
    }

    /// Creates all counters before a failure, so that alerts notice the first increase.
    pub fn register_counters() {
        for failure in Self::ALL {
            counter!(STORAGE_FAILURES, "kind" => failure.label()).increment(0);
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::DiskFull => "disk_full",
            Self::Io => "io",
            Self::Resources => "resources",
            Self::Corrupt => "corrupt",
            Self::ReadOnly => "read_only",
            Self::CannotOpen => "cannot_open",
            Self::FileReplaced => "file_replaced",
        }
    }
}

/// Wraps the failure in an error of the driver, which [`StorageFailure::of`] classifies again.
impl From<StorageFailure> for sqlx::Error {
    fn from(failure: StorageFailure) -> Self {
        Self::Configuration(Box::new(failure))
    }
}

impl From<StorageFailure> for DbErr {
    fn from(failure: StorageFailure) -> Self {
        Self::Conn(RuntimeErr::SqlxError(Arc::new(failure.into())))
    }
}

/// The error of the driver behind an error of a statement or connection.
pub(crate) fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

/// Whether another connection holds a lock on the SQLite file.
pub(crate) fn is_locked(error: &DbErr) -> bool {
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => primary_code(error.as_ref()) == Some(SQLITE_BUSY),
        _ => false,
    }
}

/// Whether a statement was cancelled, as the time limit of reads does.
pub(crate) fn is_cancelled(error: &DbErr) -> bool {
    match sqlx_error(error) {
        Some(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_cancellation_code(&code)),
        _ => false,
    }
}

fn is_cancellation_code(code: &str) -> bool {
    code == "57014" || primary(code) == Some(SQLITE_INTERRUPT)
}

/// Whether a retry may succeed: a lost connection; on SQLite, a locked file; on PostgreSQL, a deadlock, a serialisation
/// failure or a server that shuts down; on both, a statement that was cancelled.
pub(crate) fn is_contention(error: &DbErr) -> bool {
    match sqlx_error(error) {
        Some(sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed) => true,
        Some(sqlx::Error::Database(error)) => {
            // Several requests have created an object with the same ID in another system, again and again.
            error.constraint().is_some_and(|name| name.ends_with("_external"))
                || error.code().is_some_and(|code| is_contention_code(&code))
        }
        _ => false,
    }
}

fn is_contention_code(code: &str) -> bool {
    matches!(code, "40P01" | "40001" | "55P03" | "57P01" | "57P02" | "57P03")
        || matches!(primary(code), Some(SQLITE_BUSY | SQLITE_LOCKED))
        || is_cancellation_code(code)
}

/// SQLite's primary result code of an error.
pub(crate) fn primary_code(error: &dyn sqlx::error::DatabaseError) -> Option<u32> {
    primary(&error.code()?)
}

/// SQLite's primary result code, which is the low byte of the extended one. None for a SQLSTATE of PostgreSQL, which
/// has five characters.
fn primary(code: &str) -> Option<u32> {
    match code.len() {
        5 => None,
        _ => code.parse::<u32>().ok().map(|extended| extended & 0xff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_classified() {
        for (code, expected) in [
            ("13", Some(StorageFailure::DiskFull)),
            ("4874", Some(StorageFailure::DiskFull)),
            ("53100", Some(StorageFailure::DiskFull)),
            ("10", Some(StorageFailure::Io)),
            ("778", Some(StorageFailure::Io)),
            ("58030", Some(StorageFailure::Io)),
            ("7", Some(StorageFailure::Resources)),
            ("53200", Some(StorageFailure::Resources)),
            ("11", Some(StorageFailure::Corrupt)),
            ("267", Some(StorageFailure::Corrupt)),
            ("26", Some(StorageFailure::Corrupt)),
            ("XX001", Some(StorageFailure::Corrupt)),
            ("8", Some(StorageFailure::ReadOnly)),
            ("1032", Some(StorageFailure::ReadOnly)),
            ("25006", Some(StorageFailure::ReadOnly)),
            ("14", Some(StorageFailure::CannotOpen)),
            ("1", None),
            ("5", None),
            ("19", None),
            ("2067", None),
            ("23505", None),
            ("40P01", None),
            ("53300", None),
        ] {
            assert_eq!(StorageFailure::of_code(code), expected, "{code}");
        }
    }

    #[test]
    fn contention_is_recognised() {
        for (code, expected) in [
            ("5", true),
            ("261", true),
            ("517", true),
            ("773", true),
            ("6", true),
            ("262", true),
            ("9", true),
            ("40P01", true),
            ("57014", true),
            ("1", false),
            ("13", false),
            ("2067", false),
            // Its low byte is that of SQLITE_BUSY.
            ("22021", false),
            ("23505", false),
        ] {
            assert_eq!(is_contention_code(code), expected, "{code}");
        }
    }

    #[test]
    fn errors_without_a_code_are_not_storage_failures() {
        for error in [
            DbErr::RecordNotInserted,
            DbErr::Query(RuntimeErr::Internal("13".to_owned())),
            DbErr::Query(RuntimeErr::SqlxError(Arc::new(sqlx::Error::PoolTimedOut))),
        ] {
            assert_eq!(StorageFailure::of(&error), None, "{error}");
        }
    }

    #[test]
    fn driver_error_keeps_the_failure() {
        let error = DbErr::from(StorageFailure::FileReplaced);
        assert_eq!(StorageFailure::of(&error), Some(StorageFailure::FileReplaced));
    }

    #[test]
    fn labels_differ() {
        let labels: std::collections::BTreeSet<_> = StorageFailure::ALL.map(StorageFailure::label).into();
        assert_eq!(labels.len(), StorageFailure::ALL.len());
    }
}
