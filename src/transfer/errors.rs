//! Errors of transfers.

use std::{fmt, io};

use sea_orm::DbErr;
use thiserror::Error;

use crate::store::OpenError;

/// The number of errors of a file that are kept. The others are only counted.
const MAX_ERRORS: usize = 100;

/// Why an export, an import, a backup or a restore has failed.
#[derive(Debug, Error)]
pub enum TransferError {
    #[error("database error: {0}")]
    Database(#[from] DbErr),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("database error: {0}")]
    Sqlite(rusqlite::Error),
    #[error("{0}")]
    Io(io::Error),
    #[error("can't write a record as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the file can't be imported; nothing has been stored\n{0}")]
    Lines(LineErrors),
    #[error(
        "the database already contains a calendar; name an empty database with --database-url, such as a file that \
         does not exist"
    )]
    NotEmpty,
    #[error("{0}")]
    Query(String),
    #[error("interrupted; nothing has been stored, so run the same command again")]
    Interrupted,
    #[error(transparent)]
    Backup(#[from] super::backup::BackupError),
}

impl From<io::Error> for TransferError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Io(error),
        }
    }
}

impl From<rusqlite::Error> for TransferError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) => Self::Interrupted,
            _ => Self::Sqlite(error),
        }
    }
}

/// The errors of the lines of a file.
#[derive(Debug, Default)]
pub struct LineErrors {
    /// The number of the line, or 0 for the file as a whole, and what is wrong with it.
    errors: Vec<(u64, String)>,
    further: u64,
}

impl LineErrors {
    /// Adds an error of a line. Control characters of the file do not reach a terminal.
    pub(super) fn add(&mut self, line: u64, error: &str) {
        if self.errors.len() < MAX_ERRORS {
            let printable = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
            self.errors.push((line, error.chars().map(printable).collect()));
        } else {
            self.further += 1;
        }
    }

    /// Adds an error of the file as a whole.
    pub(super) fn add_general(&mut self, error: &str) {
        self.add(0, error);
    }

    /// Adds the errors of another part of the file.
    pub(super) fn append(&mut self, others: Self) {
        self.further += others.further;
        for (line, error) in others.errors {
            self.add(line, &error);
        }
        self.errors.sort_by_key(|(line, _)| *line);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
}

impl fmt::Display for LineErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self
            .errors
            .iter()
            .map(|(line, error)| match line {
                0 => error.clone(),
                line => format!("line {line}: {error}"),
            })
            .collect();
        formatter.write_str(&lines.join("\n"))?;
        match self.further {
            0 => Ok(()),
            further => write!(formatter, "\nand {further} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_limited_and_printable() {
        let mut errors = LineErrors::default();
        errors.add(1, "the name \u{1b}[31mred is too long");
        for line in 2..=150 {
            errors.add(line, "is not JSON");
        }
        let text = errors.to_string();
        assert!(text.starts_with("line 1: the name \u{fffd}[31mred is too long\nline 2: is not JSON\n"));
        assert!(text.ends_with("line 100: is not JSON\nand 50 more"), "{text}");
    }

    #[test]
    fn appended_errors_are_sorted() {
        let mut errors = LineErrors::default();
        errors.add(3, "third");
        let mut others = LineErrors::default();
        others.add(2, "second");
        others.add_general("no line");
        errors.append(others);
        assert_eq!(errors.to_string(), "no line\nline 2: second\nline 3: third");
    }
}
