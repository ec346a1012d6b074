//! Substring search by trigram indexes.
//!
//! Texts and searches are folded in the same way ([`crate::calendar::text::fold`]), so that case and accents are ignored.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement},
};

use crate::calendar::search::Search;

/// The full-text index of events.
pub(crate) const EVENT_INDEX: &str = "event_search";

/// The shortest term that a trigram index can find, in characters.
const MIN_INDEXED_CHARACTERS: usize = 3;

/// Whether the column contains all included terms and no excluded one.
pub(crate) fn matches<C: ColumnTrait>(column: C, search: &Search) -> Condition {
    let pattern = |term: &String| {
        let escaped = term.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        LikeExpr::new(format!("%{escaped}%")).escape('\\')
    };
    let column = || Expr::col(column.as_column_ref());
    let included = search.included.iter().map(|term| column().like(pattern(term)));
    let excluded = search.excluded.iter().map(|term| column().not_like(pattern(term)));
    included.chain(excluded).fold(Condition::all(), Condition::add)
}

/// Makes PostgreSQL plan the statements of this transaction for their actual search terms. From the sixth execution on it
/// would use a generic plan, which can't know how selective the terms are, nor that the index can't find terms of two
/// characters.
pub(crate) async fn force_custom_plan(database: &impl ConnectionTrait, search: &Search) -> Result<(), DbErr> {
    if database.get_database_backend() == DbBackend::Postgres && !search.is_empty() {
        let setting = "SET LOCAL plan_cache_mode = force_custom_plan";
        database.execute_unprepared(setting).await?;
    }
    Ok(())
}

/// Splits a search for SQLite's full-text index. Returns a statement that selects the IDs of the rows that the index
/// finds, if it can find any of the terms, and the remaining search for [`matches()`], which PostgreSQL's index serves.
pub(crate) fn search_index(
    backend: DbBackend,
    index: &'static str,
    search: &Search,
) -> (Option<SelectStatement>, Search) {
    let is_indexed = |term: &String| backend == DbBackend::Sqlite && term.chars().count() >= MIN_INDEXED_CHARACTERS;
    let split = |terms: &[String]| -> (Vec<String>, Vec<String>) { terms.iter().cloned().partition(is_indexed) };
    let (included, included_remaining) = split(&search.included);
    if included.is_empty() {
        // FTS5 has no unary NOT: excluded terms only restrict the rows of included ones.
        return (None, search.clone());
    }
    let (excluded, excluded_remaining) = split(&search.excluded);
    // FTS5 phrases: quotes are doubled.
    let phrase = |term: &String| format!("\"{}\"", term.replace('"', "\"\""));
    let included: Vec<String> = included.iter().map(phrase).collect();
    let mut query = format!("({})", included.join(" AND "));
    for term in &excluded {
        query = format!("{query} NOT {}", phrase(term));
    }
    let ids = Query::select()
        .column("rowid")
        .from(index)
        .and_where(Expr::cust_with_values(format!("{index} MATCH ?"), [query]))
        .to_owned();
    let remaining = Search {
        included: included_remaining,
        excluded: excluded_remaining,
    };
    (Some(ids), remaining)
}

/// Fills the empty full-text index of events on SQLite from the stored events. PostgreSQL has built it already.
pub(crate) async fn fill_event_index(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    if database.get_database_backend() != DbBackend::Sqlite {
        return Ok(());
    }
    let set = |option: &str, value: u32| {
        format!("INSERT INTO {EVENT_INDEX} ({EVENT_INDEX}, rank) VALUES ('{option}', {value})")
    };
    let index_events = |rows: &str| {
        format!("INSERT INTO {EVENT_INDEX} (rowid, search_text) SELECT id, search_text FROM events ORDER BY id {rows}")
    };
    // Otherwise later writes would have to merge the segments.
    let optimize = format!("INSERT INTO {EVENT_INDEX} ({EVENT_INDEX}) VALUES ('optimize')");
    for statement in [
        // A larger buffer and no incremental merges, since 'optimize' merges all segments at the end.
        set("hashsize", 64 * 1024 * 1024),
        set("automerge", 0),
        // Two segments at least, so that the merged one is not on the lowest level, to which each write adds one.
        index_events("LIMIT 1"),
        optimize.clone(),
        index_events("LIMIT -1 OFFSET 1"),
        optimize,
        // FTS5's defaults.
        set("hashsize", 1024 * 1024),
        set("automerge", 4),
    ] {
        database.execute_unprepared(&statement).await?;
    }
    Ok(())
}
