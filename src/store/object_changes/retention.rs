//! Deletes old changes, so that the table does not grow without bound.

use std::{str::FromStr, time::Duration};

use chrono::Utc;
use sea_orm::{DbBackend, DbErr, Statement};

use crate::store::{Store, read_connection::ReadConnection, write_connection::WriteConnection};

/// How long changes are kept, and positions are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention(Duration);

/// The error for a duration out of range.
#[derive(Clone, Debug, thiserror::Error)]
#[error("must be from 1h to 3650d, such as 90d")]
pub struct InvalidRetention;

impl FromStr for Retention {
    type Err = InvalidRetention;

    fn from_str(text: &str) -> Result<Self, InvalidRetention> {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        const LONGEST: Duration = Duration::from_secs(3650 * 24 * 60 * 60);
        let duration = humantime::parse_duration(text).map_err(|_| InvalidRetention)?;
        (HOUR..=LONGEST)
            .contains(&duration)
            .then_some(Self(duration))
            .ok_or(InvalidRetention)
    }
}

impl Retention {
    /// The earliest time whose positions are valid at `now`, as Unix timestamps.
    pub(crate) fn since(self, now: i64) -> i64 {
        now.saturating_sub_unsigned(self.0.as_secs())
    }
}

/// How often to delete old changes.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Changes are kept for longer than positions are valid: a change is as old as its statement, and its transaction may
/// have been committed later. Clocks may differ, too.
const MARGIN: i64 = 24 * 60 * 60;
/// Rows for each transaction, to limit how long other writers wait.
const BATCH: i64 = 1_000;

/// Deletes old changes at intervals, until it is aborted.
pub(crate) async fn trim_regularly(store: Store, retention: Retention) {
    loop {
        match trim(&store, retention.since(Utc::now().timestamp()) - MARGIN).await {
            Ok(0) => {}
            Ok(changes) => tracing::info!(changes, "deleted old changes"),
            Err(error) => tracing::warn!(%error, "can't delete old changes"),
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Deletes the changes before this time, a Unix timestamp, the first ones first. Returns their number.
pub async fn trim(store: &Store, before: i64) -> Result<u64, DbErr> {
    let backend = store.reader().backend();
    let old = match backend {
        DbBackend::Postgres => {
            "DELETE FROM object_changes USING (\
             SELECT kind, object_id FROM object_changes ORDER BY transaction_id LIMIT $1 FOR UPDATE SKIP LOCKED\
             ) AS first WHERE object_changes.kind = first.kind AND object_changes.object_id = first.object_id \
             AND changed_at < $2"
        }
        _ => {
            "DELETE FROM object_changes WHERE number IN (\
             SELECT number FROM object_changes ORDER BY number LIMIT $1) AND changed_at < $2"
        }
    };
    let epochs = "DELETE FROM change_epochs WHERE id < (SELECT MAX(id) FROM change_epochs WHERE created_at < $1)";
    let mut deleted = 0;
    loop {
        let batch = store
            .write(|transaction| async move {
                let statement = Statement::from_sql_and_values(backend, old, [BATCH.into(), before.into()]);
                let deleted = transaction.execute_raw(statement).await?;
                let statement = Statement::from_sql_and_values(backend, epochs, [before.into()]);
                transaction.execute_raw(statement).await?;
                Ok::<_, DbErr>(deleted)
            })
            .await?;
        deleted += batch;
        if batch < BATCH.unsigned_abs() {
            return Ok(deleted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retention_is_limited() {
        for text in ["1h", "90d", "3650d"] {
            assert!(text.parse::<Retention>().is_ok(), "{text}");
        }
        for text in ["", "90", "59min", "3651d", "-1d"] {
            assert!(text.parse::<Retention>().is_err(), "{text}");
        }
    }
}
