//! Errors of rusqlite as errors of sqlx, so that both are classified by the same code.

use std::{borrow::Cow, error::Error as StdError, fmt, sync::Arc};

use rusqlite::Error;
use sea_orm::{
    DbErr, RuntimeErr,
    sqlx::{
        self,
        error::{DatabaseError, ErrorKind},
    },
};

/// An error of a statement.
pub(super) fn query_error(error: Error) -> DbErr {
    DbErr::Query(runtime_error(error))
}

/// An error of opening a connection.
pub(super) fn connection_error(error: Error) -> DbErr {
    DbErr::Conn(runtime_error(error))
}

fn runtime_error(error: Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(sqlx::Error::Database(Box::new(SqliteError::from(error)))))
}

#[derive(Debug)]
struct SqliteError {
    error: Error,
    message: String,
}

impl From<Error> for SqliteError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        Self { error, message }
    }
}

impl fmt::Display for SqliteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code() {
            Some(code) => write!(formatter, "(code: {code}) {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl StdError for SqliteError {}

impl DatabaseError for SqliteError {
    fn message(&self) -> &str {
        &self.message
    }

    /// The extended result code.
    fn code(&self) -> Option<Cow<'_, str>> {
        let code = self.error.sqlite_error()?.extended_code;
        Some(code.to_string().into())
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}
