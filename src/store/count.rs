//! Expressions and statements that count.

use sea_orm::{
    DbErr,
    sea_query::{Asterisk, Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{known_results::key, read_connection::ReadConnection};

/// The number of rows.
pub(crate) fn rows() -> Expr {
    Expr::col(Asterisk).count()
}

/// The sum of `event_count` in a table of counts, or 0. PostgreSQL gives sums of `bigint` a wider type.
pub(crate) fn sum_of_events() -> Expr {
    let sum = Expr::col("event_count").sum().cast_as("bigint");
    Func::coalesce([sum, zero()]).into()
}

/// Zero, in the type of the other expressions.
pub(crate) fn zero() -> Expr {
    Expr::cust("CAST(0 AS bigint)")
}

/// Converts a statement with one row and one column to an expression.
pub(crate) fn subquery(select: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(select.into()))
}

/// Selects two counts that do not depend on the texts of events.
pub(crate) fn both(one: Expr, other: Expr) -> SelectStatement {
    Query::select().expr(one).expr(other).to_owned()
}

/// Reads the counts of a statement that [`both`] has built.
pub(crate) async fn fetch_both(database: &impl ReadConnection, both: &SelectStatement) -> Result<[i64; 2], DbErr> {
    fetch_known(database, both, |counts| counts).await
}

/// Reads a count that does not depend on the texts of events.
pub(crate) async fn fetch_one(database: &impl ReadConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let [count, _] = fetch_known(database, select, |[count]| [count, 0]).await?;
    Ok(count)
}

/// Returns the result of a statement of one or two counts if it is known from an earlier read.
pub(crate) fn known(database: &impl ReadConnection, select: &SelectStatement) -> Option<[i64; 2]> {
    let (known, version) = database.known_results()?;
    let key = key(&database.backend().build(select));
    known.counts.get(Some(version), &key)
}

/// Runs a statement with one row of counts, unless its result is known. Without a row, all are 0.
async fn fetch_known<const N: usize>(
    database: &impl ReadConnection,
    select: &SelectStatement,
    to_known: fn([i64; N]) -> [i64; 2],
) -> Result<[i64; 2], DbErr> {
    let Some((known, version)) = database.known_results() else {
        let row = database.row(select).await?;
        return Ok(row.map_or([0; 2], to_known));
    };
    let statement = database.backend().build(select);
    let key = key(&statement);
    if let Some(found) = known.counts.get(Some(version), &key) {
        return Ok(found);
    }
    let rows = database.rows_of(statement).await?;
    let found = rows.first().copied().map_or([0; 2], to_known);
    let bytes = key.len();
    known.counts.insert(Some(version), key, found, bytes);
    Ok(found)
}

/// Runs a statement with one row and one column. Returns 0 if it has no row.
pub(crate) async fn fetch(database: &impl ReadConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let row: Option<[i64; 1]> = database.row(select).await?;
    Ok(row.map_or(0, |[count]| count))
}
