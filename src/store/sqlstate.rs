//! Errors of PostgreSQL by their codes (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use sea_orm::{DbErr, sqlx};

use super::failure::sqlx_error;

/// Whether the transaction lost to another one: `deadlock_detected` or `serialization_failure`. Repeated, it may succeed.
pub fn is_conflict(error: &DbErr) -> bool {
    has_code(error, &["40P01", "40001"])
}

fn has_code(error: &DbErr, codes: &[&str]) -> bool {
    let Some(sqlx::Error::Database(error)) = sqlx_error(error) else {
        return false;
    };
    error
        .code()
        .is_some_and(|code| codes.contains(&code.as_ref()))
}
