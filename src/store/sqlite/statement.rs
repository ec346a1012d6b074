//! Statements on a connection of rusqlite.

use rusqlite::{CachedStatement, Connection, ErrorCode, Rows, params_from_iter};
use sea_orm::{DbErr, Statement, Values};

use super::{error::query_error, values::Parameter};
use crate::store::row::{FromRows, Row};

/// An error of a statement, or of one of its rows.
pub(super) enum StatementError {
    Statement(rusqlite::Error),
    /// A row has other columns than expected.
    Row(DbErr),
}

impl StatementError {
    pub(super) fn is_interruption(&self) -> bool {
        match self {
            Self::Statement(error) => error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted),
            Self::Row(_) => false,
        }
    }
}

impl From<rusqlite::Error> for StatementError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Statement(error)
    }
}

impl From<StatementError> for DbErr {
    fn from(error: StatementError) -> Self {
        match error {
            StatementError::Statement(error) => query_error(error),
            StatementError::Row(error) => error,
        }
    }
}

/// Collects the rows of a statement.
pub(super) fn collect<C: FromRows>(connection: &Connection, statement: &Statement) -> Result<C, StatementError> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    let mut rows = run(&mut prepared, statement)?;
    let mut collected = C::default();
    while let Some(row) = rows.next()? {
        collected.add(&Row::Rusqlite(row)).map_err(StatementError::Row)?;
    }
    Ok(collected)
}

/// Runs a statement. Returns the number of rows that were inserted, changed or deleted.
pub(super) fn execute(connection: &Connection, statement: &Statement) -> Result<u64, StatementError> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    let mut rows = run(&mut prepared, statement)?;
    while rows.next()?.is_some() {}
    Ok(connection.changes())
}

/// Begins to run a statement.
fn run<'a>(prepared: &'a mut CachedStatement<'_>, statement: &Statement) -> rusqlite::Result<Rows<'a>> {
    let values = statement.values.iter().flat_map(|Values(values)| values);
    prepared.query(params_from_iter(values.map(Parameter)))
}
