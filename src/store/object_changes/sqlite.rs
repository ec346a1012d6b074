//! The order of changes on SQLite: their numbers, since there is one writer.

use sea_orm::{DbBackend, DbErr, Statement};

use super::{Change, Cursor, Head, Position, Range, bound, list};
use crate::{
    calendar::Kind,
    store::{
        read_connection::ReadConnection,
        row::{FromRow, Row},
    },
};

/// The last number, even if its row was deleted.
const LAST_NUMBER: &str = "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'object_changes'), 0)";

impl FromRow for Head {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            position: Position(row.integer(0)?.to_string()),
            epoch: row.text(1)?.unwrap_or_default(),
        })
    }
}

pub(super) async fn head(database: &impl ReadConnection) -> Result<Head, DbErr> {
    let text = format!("SELECT {LAST_NUMBER}, uuid FROM change_epochs ORDER BY id DESC LIMIT 1");
    let rows: Vec<Head> = database
        .rows_of(Statement::from_string(DbBackend::Sqlite, text))
        .await?;
    rows.into_iter()
        .next()
        .ok_or_else(|| DbErr::RecordNotFound("the table change_epochs is empty".to_owned()))
}

/// The last number that was used.
pub(super) async fn last_number(database: &impl ReadConnection) -> Result<i64, DbErr> {
    let statement = Statement::from_string(DbBackend::Sqlite, format!("SELECT {LAST_NUMBER}"));
    let rows: Vec<[i64; 1]> = database.rows_of(statement).await?;
    Ok(rows.first().map_or(0, |[number]| *number))
}

/// A number belongs to a history up to the number at which the next one began.
pub(super) async fn is_known(database: &impl ReadConnection, head: &Head) -> Result<bool, DbErr> {
    let Some(number) = number(&head.position) else {
        return Ok(false);
    };
    let text = format!(
        "SELECT COALESCE((SELECT MIN(later.first_number) FROM change_epochs AS later WHERE later.id > own.id), \
         {LAST_NUMBER}) FROM change_epochs AS own WHERE own.uuid = $1"
    );
    let statement = Statement::from_sql_and_values(DbBackend::Sqlite, text, [head.epoch.as_str().into()]);
    let rows: Vec<[i64; 1]> = database.rows_of(statement).await?;
    Ok(rows.first().is_some_and(|[last]| number <= *last))
}

pub(super) async fn changes(
    database: &impl ReadConnection,
    Range { since, until }: Range<'_>,
    after: Option<Cursor>,
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Change>, DbErr> {
    let (Some(since), Some(until)) = (number(since), number(until)) else {
        return Err(DbErr::Type("a position is not a number".to_owned()));
    };
    let since = after.map_or(since, |after| after.order.max(since));
    // The plus keeps the planner from the index on the kind.
    let text = format!(
        "SELECT number, kind, object_id, changed_at FROM object_changes \
         WHERE number > $1 AND number <= $2 AND +kind IN ({}) ORDER BY number LIMIT $3",
        list(kinds)
    );
    let values = [since.into(), until.into(), bound(limit)];
    let statement = Statement::from_sql_and_values(DbBackend::Sqlite, text, values);
    database.rows_of(statement).await
}

/// The number of a position. None if it is a snapshot of PostgreSQL.
fn number(position: &Position) -> Option<i64> {
    position.0.parse().ok().filter(|number| *number >= 0)
}
