//! Words and phrases in texts, found by an index of trigrams where they are long enough for it.
//!
//! Texts and searches are folded alike ([`crate::calendar::text::fold`]), so that case and accents do not count.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement},
};

use crate::calendar::search::Search;

/// The full-text index of events.
pub const EVENT_INDEX: &str = "event_search";

/// The fewest characters that a trigram finds.
const TRIGRAM: usize = 3;

/// A condition on each term: a substring of the column, or none where it is excluded.
pub fn matches<C: ColumnTrait>(column: C, search: &Search) -> Condition {
    let pattern = |term: &String| {
        let escaped = term.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        LikeExpr::new(format!("%{escaped}%")).escape('\\')
    };
    let column = || Expr::col(column.as_column_ref());
    let included = search.included.iter().map(|term| column().like(pattern(term)));
    let excluded = search.excluded.iter().map(|term| column().not_like(pattern(term)));
    included.chain(excluded).fold(Condition::all(), Condition::add)
}

/// Has PostgreSQL plan the statements of this transaction for the very terms that are searched. From the fifth time on
/// it would take the plan for any terms, which knows neither that the index finds few nor that it does not help with
/// two letters.
pub async fn force_custom_plan(database: &impl ConnectionTrait, search: &Search) -> Result<(), DbErr> {
    if database.get_database_backend() == DbBackend::Postgres && !search.is_empty() {
        let setting = "SET LOCAL plan_cache_mode = force_custom_plan";
        database.execute_unprepared(setting).await?;
    }
    Ok(())
}

/// Selects the keys of the rows that match all of those terms which the index of the table finds by itself, if it
/// finds any, and leaves the terms that [`matches`] has to compare. PostgreSQL's index serves that one as it is.
pub fn search_index(backend: DbBackend, index: &'static str, search: &Search) -> (Option<SelectStatement>, Search) {
    let is_found = |term: &String| backend == DbBackend::Sqlite && term.chars().count() >= TRIGRAM;
    let split = |terms: &[String]| -> (Vec<String>, Vec<String>) { terms.iter().cloned().partition(is_found) };
    let (included, included_left) = split(&search.included);
    if included.is_empty() {
        // The index can take away from what it has found, but find nothing by what is excluded.
        return (None, search.clone());
    }
    let (excluded, excluded_left) = split(&search.excluded);
    // As phrases of FTS5: a quote is written twice.
    let phrase = |term: &String| format!("\"{}\"", term.replace('"', "\"\""));
    let included: Vec<String> = included.iter().map(phrase).collect();
    let mut query = format!("({})", included.join(" AND "));
    for term in &excluded {
        query = format!("{query} NOT {}", phrase(term));
    }
    let keys = Query::select()
        .column("rowid")
        .from(index)
        .and_where(Expr::cust_with_values(format!("{index} MATCH ?"), [query]))
        .to_owned();
    let left = Search {
        included: included_left,
        excluded: excluded_left,
    };
    (Some(keys), left)
}

/// Fills the empty full-text index of events on SQLite from the stored events. PostgreSQL has built it already.
pub async fn fill_event_index(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    if database.get_database_backend() != DbBackend::Sqlite {
        return Ok(());
    }
    let set = |option: &str, value: u32| {
        format!("INSERT INTO {EVENT_INDEX} ({EVENT_INDEX}, rank) VALUES ('{option}', {value})")
    };
    for statement in [
        // Bytes that are gathered in memory before they are written, and segments that are merged as they are written:
        // all are merged at the end.
        set("hashsize", 64 * 1024 * 1024),
        set("automerge", 0),
        format!("INSERT INTO {EVENT_INDEX} (rowid, search_text) SELECT id, search_text FROM events"),
        // Otherwise a later write would have to merge the segments, and its client would wait.
        format!("INSERT INTO {EVENT_INDEX} ({EVENT_INDEX}) VALUES ('optimize')"),
        // FTS5's defaults.
        set("hashsize", 1024 * 1024),
        set("automerge", 4),
    ] {
        database.execute_unprepared(&statement).await?;
    }
    Ok(())
}
