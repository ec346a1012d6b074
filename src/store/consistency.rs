//! Compares derived tables and columns with the data that they are derived from, and computes them again.
//!
//! Each comparison is a statement that counts the differences. The columns that SQL can't compute are compared in
//! [`crate::transfer`].

use chrono::Utc;
use sea_orm::{DbBackend, DbErr, IdenStatic, Statement};

use super::{
    Publishable, Snapshot, Store, Transaction,
    denormalised::{self, LISTING_COLUMNS, event_value},
    entity::{
        event::{self, Column},
        event_time_bucket, organizer, venue,
    },
    locks::{self, AdvisoryLock},
    object_changes,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    search_index,
    write_connection::WriteConnection,
};

/// The tables of links.
const LINKS: [&str; 4] = ["event_venues", "event_organizers", "event_categories", "event_tags"];

/// The closure of the category tree.
const CLOSURE: &str = "SELECT id AS category_id, id AS ancestor_id FROM categories \
    UNION SELECT closure.category_id, categories.parent FROM closure JOIN categories ON categories.id = \
    closure.ancestor_id WHERE categories.parent <> 0";

/// Whether an event `e` has a published venue with coordinates.
const LOCATED: &str = "EXISTS (SELECT 1 FROM event_venues AS l JOIN venues AS v ON v.id = l.target_id \
    WHERE l.event_id = e.id AND v.status = 'publish' AND v.geo_lat IS NOT NULL AND v.geo_lng IS NOT NULL)";

/// Data that differ from what they are derived from, or refer to missing rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What differs, such as `category_closure`.
    pub what: String,
    /// The number of rows.
    pub rows: i64,
}

/// A comparison: what is compared, and the statement that counts the differences.
struct Comparison {
    what: String,
    count: String,
}

/// The condition on a row with copies of these columns that differs from its event `e`.
fn differs_from_event(row: &str, columns: &[Column]) -> String {
    let differs = |column: &Column| {
        let value = event_value("e", *column);
        format!("{row}.{} IS DISTINCT FROM {value}", column.as_str())
    };
    columns.iter().map(differs).collect::<Vec<_>>().join(" OR ")
}

/// Counts the rows that only one of two selections has.
fn count_differences(expected: &str, found: &str) -> String {
    format!(
        "SELECT (SELECT COUNT(*) FROM ({expected} EXCEPT {found}) AS missing) \
         + (SELECT COUNT(*) FROM ({found} EXCEPT {expected}) AS superfluous)"
    )
}

fn comparisons(backend: DbBackend) -> Vec<Comparison> {
    let comparison = |what: &str, count: String| Comparison {
        what: what.to_owned(),
        count,
    };
    let located = format!("SELECT COUNT(*) FROM events AS e WHERE e.located <> {LOCATED}");
    let closure = count_differences(
        "SELECT category_id, ancestor_id FROM closure",
        "SELECT category_id, ancestor_id FROM category_closure",
    );
    let columns = LISTING_COLUMNS.map(|column| column.as_str());
    let values = LISTING_COLUMNS.map(|column| event_value("e", column));
    let event_closure = count_differences(
        &format!(
            "SELECT DISTINCT l.event_id, c.ancestor_id, {} FROM event_categories AS l \
             JOIN category_closure AS c ON c.category_id = l.target_id JOIN events AS e ON e.id = l.event_id",
            values.join(", ")
        ),
        &format!(
            "SELECT event_id, target_id, {} FROM event_category_closure",
            columns.join(", ")
        ),
    );
    let buckets = count_differences(
        &format!(
            "SELECT status, hide_from_listings, starts_at >> {}, featured, ticketed, located, COUNT(*) FROM events \
             GROUP BY 1, 2, 3, 4, 5, 6",
            event_time_bucket::BITS
        ),
        "SELECT status, hide_from_listings, time_bucket, featured, ticketed, located, SUM(event_count) \
         FROM event_time_buckets GROUP BY 1, 2, 3, 4, 5, 6 HAVING SUM(event_count) <> 0",
    );
    // Without a history, changes can't be read.
    let epochs = "SELECT COUNT(*) FROM (SELECT 1 AS one) AS missing WHERE NOT EXISTS (SELECT 1 FROM change_epochs)";
    let mut all = vec![
        comparison("change_epochs", epochs.to_owned()),
        comparison("events.located", located),
        comparison(
            "category_closure",
            format!("WITH RECURSIVE closure AS ({CLOSURE}) {closure}"),
        ),
        comparison("event_category_closure", event_closure),
        comparison("event_time_buckets", buckets),
    ];
    for table in LINKS {
        let count = format!(
            "SELECT COUNT(*) FROM {table} AS l JOIN events AS e ON e.id = l.event_id WHERE {}",
            differs_from_event("l", &LISTING_COLUMNS)
        );
        all.push(comparison(table, count));
    }
    for (links, counts) in [
        ("event_categories", "category_event_counts"),
        ("event_tags", "tag_event_counts"),
    ] {
        let count = count_differences(
            &format!(
                "SELECT target_id, COUNT(*) FROM {links} WHERE published_at IS NOT NULL AND NOT hide_from_listings \
                 GROUP BY target_id"
            ),
            &format!(
                "SELECT target_id, SUM(event_count) FROM {counts} GROUP BY target_id HAVING SUM(event_count) <> 0"
            ),
        );
        all.push(comparison(counts, count));
    }
    for (table, links) in [("venues", "event_venues"), ("organizers", "event_organizers")] {
        let count = format!(
            "SELECT COUNT(*) FROM {table} AS t WHERE t.last_ends_at IS DISTINCT FROM \
             (SELECT MAX(l.ends_at) FROM {links} AS l WHERE l.target_id = t.id AND l.published_at IS NOT NULL)"
        );
        all.push(comparison(&format!("{table}.last_ends_at"), count));
    }
    for index in search_indexes(backend) {
        let count = format!(
            "SELECT (SELECT COUNT(*) FROM {}) + (SELECT COUNT(*) FROM {})",
            index.missing(),
            index.superfluous()
        );
        all.push(comparison(index.name, count));
    }
    all
}

/// The index of the texts of a table.
struct SearchIndex {
    name: &'static str,
    kind: &'static str,
    table: &'static str,
    /// The table with the IDs of indexed rows, in the column `id`.
    indexed: String,
    /// The columns of events that it has copies of.
    copies: &'static [Column],
}

impl SearchIndex {
    fn of<E: Publishable>(backend: DbBackend) -> Self {
        let name = E::SEARCH_INDEX;
        Self {
            name,
            kind: E::KIND.name(),
            table: E::KIND.plural(),
            indexed: match backend {
                DbBackend::Postgres => name.to_owned(),
                // The index has no other column that can be read.
                _ => format!("{name}_docsize"),
            },
            copies: search_index::copied_columns(backend, name),
        }
    }

    /// The rows `e` that are neither indexed with their current columns nor queued.
    fn missing(&self) -> String {
        let Self {
            kind,
            table,
            indexed,
            copies,
            ..
        } = self;
        let is_current = match copies.is_empty() {
            true => String::new(),
            false => format!(" AND NOT ({})", differs_from_event("i", copies)),
        };
        format!(
            "{table} AS e WHERE NOT EXISTS (SELECT 1 FROM {indexed} AS i WHERE i.id = e.id{is_current}) \
             AND NOT EXISTS (SELECT 1 FROM search_queue AS q WHERE q.kind = '{kind}' AND q.target_id = e.id)"
        )
    }

    /// The entries of deleted rows that are not queued.
    fn superfluous(&self) -> String {
        let Self {
            kind, table, indexed, ..
        } = self;
        format!(
            "{indexed} AS i WHERE NOT EXISTS (SELECT 1 FROM {table} AS t WHERE t.id = i.id) \
             AND NOT EXISTS (SELECT 1 FROM search_queue AS q WHERE q.kind = '{kind}' AND q.target_id = i.id)"
        )
    }
}

fn search_indexes(backend: DbBackend) -> [SearchIndex; 3] {
    [
        SearchIndex::of::<event::Entity>(backend),
        SearchIndex::of::<venue::Entity>(backend),
        SearchIndex::of::<organizer::Entity>(backend),
    ]
}

/// Begins a read of one state of the data, without a time limit for its statements.
pub(crate) async fn snapshot(store: &Store) -> Result<Snapshot, DbErr> {
    let snapshot = store.snapshot().await?;
    if snapshot.backend() == DbBackend::Postgres {
        snapshot.set_local("statement_timeout = 0").await?;
    }
    Ok(snapshot)
}

/// Compares all derived tables, and those derived columns that SQL can compute. Returns the differences.
pub(crate) async fn differences(snapshot: &Snapshot) -> Result<Vec<Difference>, DbErr> {
    let mut differences = Vec::new();
    for Comparison { what, count } in comparisons(snapshot.backend()) {
        let rows = count_rows(snapshot, count).await?;
        if rows > 0 {
            differences.push(Difference { what, rows });
        }
    }
    Ok(differences)
}

/// Counts the rows that refer to missing ones, by foreign key.
pub(crate) async fn orphans(snapshot: &Snapshot) -> Result<Vec<Difference>, DbErr> {
    let backend = snapshot.backend();
    let mut orphans = Vec::new();
    if backend == DbBackend::Sqlite {
        let select = "SELECT \"table\", '', parent, COUNT(*) FROM pragma_foreign_key_check GROUP BY 1, 2, 3";
        let rows: Vec<ForeignKey> = snapshot.rows_of(Statement::from_string(backend, select)).await?;
        orphans.extend(rows.into_iter().map(|key| Difference {
            what: format!("{}, which refers to {}", key.table, key.target),
            rows: key.rows,
        }));
        return Ok(orphans);
    }
    let keys: Vec<ForeignKey> = snapshot.rows_of(Statement::from_string(backend, POSTGRES_KEYS)).await?;
    for ForeignKey {
        table, column, target, ..
    } in keys
    {
        let count = format!(
            "SELECT COUNT(*) FROM {table} AS t WHERE t.{column} IS NOT NULL \
             AND NOT EXISTS (SELECT 1 FROM {target} AS r WHERE r.id = t.{column})"
        );
        let rows = count_rows(snapshot, count).await?;
        if rows > 0 {
            orphans.push(Difference {
                what: format!("{table}.{column}, which refers to {target}"),
                rows,
            });
        }
    }
    Ok(orphans)
}

/// All foreign keys have one column, and refer to an ID.
const POSTGRES_KEYS: &str = "SELECT conrelid::regclass::text, attname::text, confrelid::regclass::text, 0::bigint \
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] \
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2";

/// A foreign key, and the number of rows that violate it.
struct ForeignKey {
    table: String,
    column: String,
    target: String,
    rows: i64,
}

impl FromRow for ForeignKey {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            table: row.text_ref(0)?.into_owned(),
            column: row.text_ref(1)?.into_owned(),
            target: row.text_ref(2)?.into_owned(),
            rows: row.integer(3)?,
        })
    }
}

/// The problems that SQLite finds in its file. PostgreSQL has no such check.
pub(crate) async fn damages(snapshot: &Snapshot) -> Result<Vec<String>, DbErr> {
    let backend = snapshot.backend();
    if backend != DbBackend::Sqlite {
        return Ok(Vec::new());
    }
    let check = Statement::from_string(backend, "PRAGMA integrity_check(10)");
    let problems: Vec<String> = snapshot.rows_of(check).await?;
    Ok(problems.into_iter().filter(|problem| problem != "ok").collect())
}

async fn count_rows(snapshot: &Snapshot, count: String) -> Result<i64, DbErr> {
    let statement = Statement::from_string(snapshot.backend(), count);
    let rows: Vec<[i64; 1]> = snapshot.rows_of(statement).await?;
    Ok(rows.first().map_or(0, |[rows]| *rows))
}

/// Computes all derived tables again, and those derived columns that SQL can compute.
pub(crate) async fn repair(store: &Store) -> Result<(), DbErr> {
    let transaction = store.begin().await?;
    repair_in(&transaction).await?;
    transaction.commit().await?;
    search_index::index_queued(store).await.map(drop)
}

async fn repair_in(transaction: &Transaction) -> Result<(), DbErr> {
    let backend = transaction.backend();
    locks::take(transaction, [AdvisoryLock::CategoryTree, AdvisoryLock::SearchIndex]).await?;
    if backend == DbBackend::Postgres {
        // What is counted must not change until it is stored.
        let lock = format!(
            "SET LOCAL lock_timeout = 0; \
             LOCK TABLE categories, tags, venues, organizers, events, {} IN SHARE ROW EXCLUSIVE MODE",
            LINKS.join(", ")
        );
        transaction.execute_unprepared(&lock).await?;
    }
    let located = format!("UPDATE events AS e SET located = NOT located WHERE e.located <> {LOCATED}");
    transaction.execute_unprepared(&located).await?;
    // Triggers change the counts with the links, so that counts come last.
    for table in LINKS {
        let values = LISTING_COLUMNS.map(|column| format!("{} = {}", column.as_str(), event_value("e", column)));
        let update = format!(
            "UPDATE {table} SET {} FROM events AS e WHERE e.id = {table}.event_id AND ({})",
            values.join(", "),
            differs_from_event(table, &LISTING_COLUMNS)
        );
        transaction.execute_unprepared(&update).await?;
    }
    let closure = format!(
        "DELETE FROM event_category_closure; DELETE FROM category_closure; \
         WITH RECURSIVE closure AS ({CLOSURE}) \
         INSERT INTO category_closure (category_id, ancestor_id) SELECT category_id, ancestor_id FROM closure"
    );
    transaction.execute_unprepared(&closure).await?;
    denormalised::fill_event_category_closure(transaction).await?;
    denormalised::fill_counts(transaction).await?;
    for index in search_indexes(backend) {
        let kind = index.kind;
        for (id, rows) in [("e.id", index.missing()), ("i.id", index.superfluous())] {
            let queue = format!("INSERT INTO search_queue (kind, target_id) SELECT '{kind}', {id} FROM {rows}");
            transaction.execute_unprepared(&queue).await?;
        }
    }
    object_changes::ensure_epoch(transaction, Utc::now().timestamp()).await?;
    // Servers discard what they have computed from the former data.
    let log = "INSERT INTO change_log (event_id) VALUES (NULL)";
    transaction.execute_unprepared(log).await?;
    Ok(())
}
