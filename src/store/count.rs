//! Expressions and statements that count.

use sea_orm::{
    ConnectionTrait, DbErr,
    sea_query::{Asterisk, Expr, ExprTrait, Func, Query, SelectStatement},
};

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

/// Reads two counts with one statement.
pub(crate) async fn fetch_both(database: &impl ConnectionTrait, one: Expr, other: Expr) -> Result<(u64, u64), DbErr> {
    let statement = Query::select().expr(one).expr(other).to_owned();
    let row = database.query_one(&statement).await?;
    let at = |index: usize| match &row {
        Some(row) => row.try_get_by_index(index).map(i64::unsigned_abs),
        None => Ok(0),
    };
    Ok((at(0)?, at(1)?))
}

/// Runs a statement with one row and one column. Returns 0 if it has no row.
pub(crate) async fn fetch(database: &impl ConnectionTrait, select: &SelectStatement) -> Result<i64, DbErr> {
    match database.query_one(select).await? {
        Some(row) => row.try_get_by_index(0),
        None => Ok(0),
    }
}
