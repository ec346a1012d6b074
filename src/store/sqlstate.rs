//! Classification of PostgreSQL errors by SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use sea_orm::{ConnAcquireErr, DbErr, sqlx};

use super::failure::sqlx_error;

/// Whether the transaction conflicts with another one and may succeed if it is repeated: `deadlock_detected`,
/// `serialization_failure`; `foreign_key_violation`, if the other one has deleted a row that this one had found; or
/// `unique_violation`, if the other one has inserted a key that this one had found free.
pub(crate) fn is_conflict(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(|error| has_code(error, &["40P01", "40001", "23503", "23505"]))
}

/// Whether a connection was lost, or none could be acquired.
pub(super) fn is_connection_lost(error: &DbErr) -> bool {
    matches!(error, DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)) || sqlx_error(error).is_some_and(is_server_down)
}

/// Whether the server is read-only, as a standby is.
pub(super) fn is_read_only(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(|error| has_code(error, &["25006"]))
}

/// Whether the server is unreachable, starting or stopping: `admin_shutdown`, `crash_shutdown`, `cannot_connect_now`.
pub(super) fn is_server_down(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_)) || has_code(error, &["57P01", "57P02", "57P03"])
}

pub(super) fn is_too_many_connections(error: &sqlx::Error) -> bool {
    has_code(error, &["53300"])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    match error {
        sqlx::Error::Database(error) => error.code().is_some_and(|code| codes.contains(&code.as_ref())),
        _ => false,
    }
}
