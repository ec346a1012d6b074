//! Errors of PostgreSQL by their codes (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use sea_orm::{DbErr, RuntimeErr, sqlx};

/// Whether the transaction lost to another one: `deadlock_detected` or `serialization_failure`. Repeated, it may succeed.
pub fn is_conflict(error: &DbErr) -> bool {
    has_code(error, &["40P01", "40001"])
}

fn has_code(error: &DbErr, codes: &[&str]) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) =
        error
    else {
        return false;
    };
    match error.as_ref() {
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| codes.contains(&code.as_ref())),
        _ => false,
    }
}
