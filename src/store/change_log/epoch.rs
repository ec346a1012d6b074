//! A new beginning of the change log, after all rows have been replaced.
//!
//! It concerns servers, which read the log while they run, and the validators of their responses
//! ([`crate::store::calendar_state`]): no number may stand for two states of the data. Unlike a history of
//! [`crate::store::object_changes`], it has no name, and a start of a server does not begin another one, which would make
//! all validators outdated.

use sea_orm::{DbBackend, DbErr, Statement};

use crate::store::write_connection::WriteConnection;

/// The numbers of an epoch begin at its time in seconds, shifted by this number of bits, so that they are above those of
/// earlier epochs as long as there are fewer than a million changes per second.
const BITS: u32 = 20;

/// Begins an epoch at `now`, in seconds since 1970 UTC. No number was used before, so that neither a server nor a
/// client takes a version of the former rows for one of the present rows.
pub(crate) async fn begin(transaction: &impl WriteConnection, now: i64) -> Result<(), DbErr> {
    let backend = transaction.backend();
    let highest = Statement::from_string(backend, "SELECT COALESCE(MAX(number), 0) FROM change_log");
    let rows: Vec<[i64; 1]> = transaction.rows_of(highest).await?;
    let highest = rows.first().map_or(0, |[number]| *number);
    let first = (now << BITS).max(highest + 1);
    let begin = match backend {
        DbBackend::Postgres => format!(
            "DELETE FROM change_log; \
             SELECT setval(pg_get_serial_sequence('change_log', 'number'), {first}, false); \
             INSERT INTO change_log (event_id) VALUES (NULL)"
        ),
        _ => format!("DELETE FROM change_log; INSERT INTO change_log (number, event_id) VALUES ({first}, NULL)"),
    };
    transaction.execute_unprepared(&begin).await
}
