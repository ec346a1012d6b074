//! The state of the calendar as a whole: its identity, and what tells whether anything has changed.

use sea_orm::{DbErr, Statement};

use super::{
    read_connection::ReadConnection,
    row::{FromRow, Row},
};

/// The state of the calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalendarState {
    /// The UUID of the calendar, which never changes.
    pub uuid: String,
    /// Differs after each write, also between servers and after a restart.
    pub version: CalendarVersion,
    /// The last write or the last scheduled publication, in seconds since 1970 UTC.
    pub changed_at: i64,
}

/// A version of all data, at one time.
///
/// It consists of the lowest and the highest number in the change log, the number of its rows, and the latest publication.
/// The highest number does not suffice: on PostgreSQL, a transaction with a lower one may be committed later. Of the rows,
/// those with the lowest numbers are deleted, which increases the lowest number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalendarVersion(pub [i64; 4]);

/// Each subquery of a publication reads one entry of an index on the status and the time. Both databases accept `$1`.
const STATE: &str = "SELECT (SELECT uuid FROM calendar_identity), \
    COALESCE(MIN(number), 0), COALESCE(MAX(number), 0), COUNT(*), COALESCE(MAX(changed_at), 0), \
    COALESCE((SELECT published_at FROM events WHERE status = 'publish' AND published_at <= $1 \
    ORDER BY published_at DESC LIMIT 1), 0), \
    COALESCE((SELECT published_at FROM venues WHERE status = 'publish' AND published_at <= $1 \
    ORDER BY published_at DESC LIMIT 1), 0), \
    COALESCE((SELECT published_at FROM organizers WHERE status = 'publish' AND published_at <= $1 \
    ORDER BY published_at DESC LIMIT 1), 0) \
    FROM change_log";

/// Reads the state at `now`, in seconds since 1970 UTC.
pub(crate) async fn read(database: &impl ReadConnection, now: i64) -> Result<CalendarState, DbErr> {
    let statement = Statement::from_sql_and_values(database.backend(), STATE, [now.into()]);
    let rows: Vec<CalendarState> = database.rows_of(statement).await?;
    let state = rows.into_iter().next();
    state.ok_or_else(|| DbErr::RecordNotFound("an aggregate has a row".to_owned()))
}

impl FromRow for CalendarState {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let published_at = row.integer(5)?.max(row.integer(6)?).max(row.integer(7)?);
        Ok(Self {
            uuid: row.text(0)?.unwrap_or_default(),
            version: CalendarVersion([row.integer(1)?, row.integer(2)?, row.integer(3)?, published_at]),
            changed_at: row.integer(4)?.max(published_at),
        })
    }
}
