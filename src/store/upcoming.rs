//! The next times at which responses change without a write: when scheduled objects are published and when events end.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

/// The next changes, in seconds since 1970 UTC; `None` if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upcoming {
    /// The next publication of a scheduled event, venue or organizer.
    pub publication: Option<i64>,
    /// The last second of the published event that ends first.
    pub end: Option<i64>,
}

/// Each subquery reads one entry of an index on the status and the time. Both databases accept `$1`.
const NEXT: &str = "SELECT \
    (SELECT published_at FROM events WHERE status = 'publish' AND published_at > $1 ORDER BY published_at LIMIT 1), \
    (SELECT published_at FROM venues WHERE status = 'publish' AND published_at > $1 ORDER BY published_at LIMIT 1), \
    (SELECT published_at FROM organizers WHERE status = 'publish' AND published_at > $1 ORDER BY published_at LIMIT 1), \
    (SELECT ends_at FROM events WHERE status = 'publish' AND ends_at >= $1 ORDER BY ends_at LIMIT 1)";

impl Upcoming {
    pub(super) fn on_sqlite(connection: &rusqlite::Connection, now: i64) -> rusqlite::Result<Self> {
        connection.prepare_cached(NEXT)?.query_row([now], |row| {
            Ok(Self::of([row.get(0)?, row.get(1)?, row.get(2)?], row.get(3)?))
        })
    }

    pub(super) async fn on(database: &impl ConnectionTrait, now: i64) -> Result<Self, DbErr> {
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, NEXT, [now.into()]);
        let row = database.query_one_raw(statement).await?;
        let row = row.ok_or_else(|| DbErr::RecordNotFound("a row of subqueries".to_owned()))?;
        let at = |index| row.try_get_by_index(index);
        Ok(Self::of([at(0)?, at(1)?, at(2)?], at(3)?))
    }

    fn of(publications: [Option<i64>; 3], end: Option<i64>) -> Self {
        Self {
            publication: publications.into_iter().flatten().min(),
            end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    #[tokio::test]
    async fn upcoming_is_read_from_covering_indexes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let store = store::open(&format!("sqlite://{}", file.display()), true).await;
        store.expect("a database").close().await.expect("it closes");
        let connection = rusqlite::Connection::open(&file).expect("the file exists");
        let plan: Vec<String> = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {NEXT}"))
            .and_then(|mut plan| plan.query_map([0], |row| row.get("detail"))?.collect())
            .expect("a plan");
        let searches: Vec<&String> = plan.iter().filter(|step| step.contains("INDEX")).collect();
        assert_eq!(searches.len(), 4, "{plan:?}");
        for search in searches {
            assert!(search.starts_with("SEARCH") && search.contains("COVERING"), "{search}");
        }
        assert!(!plan.iter().any(|step| step.contains("B-TREE")), "{plan:?}");
    }
}
