//! The order in which objects were changed, for copies of the calendar that follow it.
//!
//! Triggers write it in the transaction of each write: one row for each object, with its last change. The state of an
//! object is read when its change is: the last state wins, and an object that no longer exists is a deletion.

mod epoch;
mod postgres;
mod retention;
mod scheduled;
mod sqlite;

use sea_orm::{DbBackend, DbErr, Statement};

use super::{
    read_connection::ReadConnection,
    row::{FromRow, Row},
};
use crate::calendar::Kind;

pub(crate) use epoch::{begin_epoch, continue_epoch, ensure_epoch};
pub use retention::trim;
pub(crate) use retention::{Retention, trim_regularly};
pub(crate) use scheduled::due;

/// A position in the order of changes, as text that only the store interprets: on SQLite the number of a change, on
/// PostgreSQL a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position(pub String);

/// A position with the history that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub epoch: String,
    pub position: Position,
}

/// The changes between two positions: those that are visible at `until`, but not yet at `since`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'a> {
    pub since: &'a Position,
    pub until: &'a Position,
}

/// A change of an object, with its place in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The number or the transaction of the change, or the time of a scheduled publication.
    pub order: i64,
    pub kind: Kind,
    pub id: i64,
    /// In seconds since 1970 UTC.
    pub changed_at: i64,
}

/// The place of the last change that was read in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub order: i64,
    pub kind: Kind,
    pub id: i64,
}

impl From<Change> for Cursor {
    fn from(change: Change) -> Self {
        let Change { order, kind, id, .. } = change;
        Self { order, kind, id }
    }
}

/// The current end of the order of changes.
pub(crate) async fn head(database: &impl ReadConnection) -> Result<Head, DbErr> {
    match database.backend() {
        DbBackend::Postgres => postgres::head(database).await,
        _ => sqlite::head(database).await,
    }
}

/// Whether the position belongs to the history of this database: neither to another database nor to a state that was
/// lost when the database was restored.
pub(crate) async fn is_known(database: &impl ReadConnection, position: &Head) -> Result<bool, DbErr> {
    match database.backend() {
        DbBackend::Postgres => postgres::is_known(database, position).await,
        _ => sqlite::is_known(database, position).await,
    }
}

/// The first changes of these kinds in the range after the cursor, in their order. Positions must be known.
pub(crate) async fn changes(
    database: &impl ReadConnection,
    range: Range<'_>,
    after: Option<Cursor>,
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Change>, DbErr> {
    match database.backend() {
        DbBackend::Postgres => postgres::changes(database, range, after, kinds, limit).await,
        _ => sqlite::changes(database, range, after, kinds, limit).await,
    }
}

/// The first IDs of a kind after this one, in ascending order.
pub(crate) async fn ids_after(
    database: &impl ReadConnection,
    kind: Kind,
    id: i64,
    limit: usize,
) -> Result<Vec<i64>, DbErr> {
    let text = format!("SELECT id FROM {} WHERE id > $1 ORDER BY id LIMIT $2", kind.plural());
    let values = [id.into(), bound(limit)];
    let statement = Statement::from_sql_and_values(database.backend(), text, values);
    let rows: Vec<[i64; 1]> = database.rows_of(statement).await?;
    Ok(rows.into_iter().map(|[id]| id).collect())
}

/// The kinds as a list in SQL.
fn list(kinds: &[Kind]) -> String {
    let names: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
    names.join(", ")
}

/// A limit as a value of a statement.
fn bound(limit: usize) -> sea_orm::Value {
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}

/// A row with the order, the kind, the ID and the time of a change.
impl FromRow for Change {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let name = row.text_ref(1)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        Ok(Self {
            order: row.integer(0)?,
            kind: kind.ok_or_else(|| DbErr::Type(format!("no kind of object is called {name}")))?,
            id: row.integer(2)?,
            changed_at: row.integer(3)?,
        })
    }
}
