//! Expressions and statements that count.

use sea_orm::{
    DbErr,
    sea_query::{Asterisk, Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{known_counts::key, read_connection::ReadConnection};

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

/// Reads two counts that do not depend on the texts of events with one statement.
pub(crate) async fn fetch_both(database: &impl ReadConnection, one: Expr, other: Expr) -> Result<(u64, u64), DbErr> {
    let statement = Query::select().expr(one).expr(other).to_owned();
    let [one, other] = fetch_known(database, &statement, |counts| counts).await?;
    Ok((one.unsigned_abs(), other.unsigned_abs()))
}

/// Reads a count that does not depend on the texts of events.
pub(crate) async fn fetch_one(database: &impl ReadConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let [count, _] = fetch_known(database, select, |[count]| [count, 0]).await?;
    Ok(count)
}

/// Runs a statement with one row of counts, unless its result is known. Without a row, all are 0.
async fn fetch_known<const N: usize>(
    database: &impl ReadConnection,
    select: &SelectStatement,
    to_known: fn([i64; N]) -> [i64; 2],
) -> Result<[i64; 2], DbErr> {
    let Some((counts, version)) = database.known_counts() else {
        let row = database.row(select).await?;
        return Ok(row.map_or([0; 2], to_known));
    };
    let statement = database.backend().build(select);
    let key = key(&statement);
    let counts = &counts.of_statements;
    if let Some(found) = counts.get(Some(version), &key) {
        return Ok(found);
    }
    let rows = database.rows_of(statement).await?;
    let found = rows.first().copied().map_or([0; 2], to_known);
    let bytes = key.len();
    counts.insert(Some(version), key, found, bytes);
    Ok(found)
}

/// Runs a statement with one row and one column. Returns 0 if it has no row.
pub(crate) async fn fetch(database: &impl ReadConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let row: Option<[i64; 1]> = database.row(select).await?;
    Ok(row.map_or(0, |[count]| count))
}
