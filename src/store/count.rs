//! Expressions and statements that count.

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr,
    sea_query::{Asterisk, Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{ListVersion, versioned_cache::VersionedCache};

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

/// A connection that may know the counts of its version of the data from earlier reads.
pub trait CountingConnection: ConnectionTrait {
    /// None if it does not know its version.
    fn known_counts(&self) -> Option<(&KnownCounts, ListVersion)> {
        None
    }
}

impl CountingConnection for DatabaseConnection {}

/// The results of statements with at most two counts, by the text and the values of the statement.
pub type KnownCounts = VersionedCache<String, [i64; 2]>;

/// Reads two counts that do not depend on the texts of events with one statement.
pub(crate) async fn fetch_both(
    database: &impl CountingConnection,
    one: Expr,
    other: Expr,
) -> Result<(u64, u64), DbErr> {
    let statement = Query::select().expr(one).expr(other).to_owned();
    let [one, other] = fetch_known(database, &statement, 2).await?;
    Ok((one.unsigned_abs(), other.unsigned_abs()))
}

/// Reads a count that does not depend on the texts of events.
pub(crate) async fn fetch_one(database: &impl CountingConnection, select: &SelectStatement) -> Result<i64, DbErr> {
    let [count, _] = fetch_known(database, select, 1).await?;
    Ok(count)
}

/// Runs a statement with one row and at most two columns, unless its result is known. Missing values are 0.
async fn fetch_known(
    database: &impl CountingConnection,
    select: &SelectStatement,
    columns: usize,
) -> Result<[i64; 2], DbErr> {
    let statement = database.get_database_backend().build(select);
    let known = database.known_counts();
    let key = known.map(|_| format!("{} {:?}", statement.sql, statement.values));
    if let (Some((counts, version)), Some(key)) = (known, &key)
        && let Some(found) = counts.get(Some(version), key)
    {
        return Ok(found);
    }
    let mut found = [0; 2];
    if let Some(row) = database.query_one_raw(statement).await? {
        for (index, count) in found.iter_mut().enumerate().take(columns) {
            *count = row.try_get_by_index(index)?;
        }
    }
    if let (Some((counts, version)), Some(key)) = (known, key) {
        let bytes = key.len();
        counts.insert(Some(version), key, found, bytes);
    }
    Ok(found)
}

/// Runs a statement with one row and one column. Returns 0 if it has no row.
pub(crate) async fn fetch(database: &impl ConnectionTrait, select: &SelectStatement) -> Result<i64, DbErr> {
    match database.query_one(select).await? {
        Some(row) => row.try_get_by_index(0),
        None => Ok(0),
    }
}
