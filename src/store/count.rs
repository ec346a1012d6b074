//! Statements that tell one number, and the expressions that they are made of.

use sea_orm::{
    ConnectionTrait, DbErr,
    sea_query::{Expr, Query, SelectStatement},
};

/// How many rows there are.
pub fn rows() -> Expr {
    Expr::cust("COUNT(*)")
}

/// The number of events by the rows of a table of counts. PostgreSQL sums whole numbers up to a wider type.
pub fn sum_of_events() -> Expr {
    Expr::cust("COALESCE(CAST(SUM(events) AS bigint), 0)")
}

/// Nothing, in the type of the other numbers.
pub fn zero() -> Expr {
    Expr::cust("CAST(0 AS bigint)")
}

/// What a statement with one row and one column tells, in another statement.
pub fn subquery(select: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(select.into()))
}

/// Asks for two amounts by one statement.
pub async fn fetch_both(database: &impl ConnectionTrait, one: Expr, other: Expr) -> Result<(u64, u64), DbErr> {
    let statement = Query::select().expr(one).expr(other).to_owned();
    let row = database.query_one(&statement).await?;
    let at = |index: usize| match &row {
        Some(row) => row.try_get_by_index(index).map(i64::unsigned_abs),
        None => Ok(0),
    };
    Ok((at(0)?, at(1)?))
}

/// Asks a statement with one row and one column; no row counts as nothing.
pub async fn fetch(database: &impl ConnectionTrait, select: &SelectStatement) -> Result<i64, DbErr> {
    match database.query_one(select).await? {
        Some(row) => row.try_get_by_index(0),
        None => Ok(0),
    }
}
