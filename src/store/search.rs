//! Substring search.
//!
//! Texts and searches are folded in the same way ([`crate::calendar::text::fold`]), so that case and accents are
//! ignored. The indexes ([`super::search_index`]) have the words of each text. A term is found by the words that
//! contain it. If a term is not part of one word, the index only finds candidates, whose texts are compared.

use std::cmp::Reverse;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement, UnionType},
};

use super::{
    Publishable, count,
    read_connection::ReadConnection,
    search_index::QUEUE,
    vocabulary::{self, FoundWords},
};
use crate::calendar::{
    search::Search,
    words::{TermWords, WordPattern},
};

/// The maximum number of patterns of included terms that are looked up, and of excluded terms. Texts are compared with
/// the other terms.
const MAX_PATTERNS: usize = 16;
/// A pattern of more words than this is not looked up in an index: comparing texts costs less.
const MAX_WORDS: usize = 4096;
/// The number of words up to which an index looks for all of them at once. It compares the next row of each word to
/// find the next row of any.
const WORDS_AT_ONCE: usize = 64;
/// The number of rows that show how frequent a pattern of more words is.
const SAMPLE: u64 = 200;
/// The number of rows of the sample from which on comparing texts costs less than the index.
const FREQUENT: i64 = 70;

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
/// would use a generic plan, which can't know how selective the terms are.
pub(crate) async fn force_custom_plan(database: &impl ConnectionTrait, search: &Search) -> Result<(), DbErr> {
    if database.get_database_backend() == DbBackend::Postgres && !search.is_empty() {
        let setting = "SET LOCAL plan_cache_mode = force_custom_plan";
        database.execute_unprepared(setting).await?;
    }
    Ok(())
}

/// Splits a search for the index of events, venues or organizers. Returns a statement that selects the IDs of the rows
/// that the index finds, if it can find any of the included terms, and the remaining search for [`matches()`]. On
/// PostgreSQL, the connection must show the statement the same state as this function, as a transaction for reads does.
pub(crate) async fn split_search<E: Publishable>(
    database: &impl ReadConnection,
    search: &Search,
) -> Result<(Option<SelectStatement>, Search), DbErr> {
    let (included, excluded) = (IndexedTerm::included(search), IndexedTerm::excluded(search));
    if included.is_empty() {
        // Excluded terms only restrict the rows of included ones.
        return Ok((None, search.clone()));
    }
    let patterns: Vec<&WordPattern> = included.iter().chain(&excluded).map(|term| &term.pattern).collect();
    let mut found = vocabulary::find(database, &patterns, MAX_WORDS).await?.into_iter();
    let (mut index, mut remaining) = (IndexSearch::default(), search.clone());
    for (term, words) in included.iter().zip(found.by_ref()) {
        match words.ids.len() {
            0..=WORDS_AT_ONCE => index.few.push(words),
            ..=MAX_WORDS if !is_frequent::<E>(database, term.pattern.text()).await? => index.many.push(words),
            _ => continue,
        }
        if term.is_exact {
            remaining.included.retain(|other| other != term.text);
        }
    }
    for (term, words) in excluded.iter().zip(found) {
        if words.ids.len() <= WORDS_AT_ONCE && !index.few.is_empty() {
            remaining.excluded.retain(|other| other != term.text);
            index.excluded.push(words);
        }
    }
    let backend = database.get_database_backend();
    let Some((mut indexed, id)) = index.select::<E>(backend) else {
        return Ok((None, search.clone()));
    };
    // What the index has of these rows may be outdated.
    let queued = Query::select()
        .column("target_id")
        .from(QUEUE)
        .and_where(Expr::col("kind").eq(E::KIND.name()))
        .to_owned();
    let matching_queued = E::find()
        .select_only()
        .column(E::ID)
        .filter(E::ID.in_subquery(queued.clone()))
        .filter(matches(E::SEARCH_TEXT, search))
        .into_query();
    indexed
        .and_where(id.not_in_subquery(queued))
        .union(UnionType::All, matching_queued);
    Ok((Some(indexed), remaining))
}

/// Returns true if many of the newest rows contain the text. It is probably as frequent in all of them.
async fn is_frequent<E: Publishable>(database: &impl ReadConnection, text: &str) -> Result<bool, DbErr> {
    let newest = E::find()
        .select_only()
        .column(E::SEARCH_TEXT)
        .order_by_desc(E::ID)
        .limit(SAMPLE)
        .into_query();
    let search = Search {
        included: vec![text.to_owned()],
        excluded: Vec::new(),
    };
    let count = Query::select()
        .expr(count::rows())
        .from_subquery(newest, E::default().table_name().to_owned())
        .cond_where(matches(E::SEARCH_TEXT, &search))
        .to_owned();
    Ok(count::fetch(database, &count).await? >= FREQUENT)
}

/// A pattern of a term to look up.
struct IndexedTerm<'search> {
    text: &'search String,
    pattern: WordPattern,
    /// Whether the pattern suffices to find the term.
    is_exact: bool,
}

impl<'search> IndexedTerm<'search> {
    /// The longest patterns of the included terms, which most rows lack.
    fn included(search: &'search Search) -> Vec<Self> {
        let mut terms: Vec<Self> = search.included.iter().flat_map(Self::of).collect();
        terms.sort_by_key(|term| Reverse(term.pattern.text().len()));
        terms.truncate(MAX_PATTERNS);
        terms
    }

    /// The patterns of excluded terms. Those that only find candidates would exclude too many rows.
    fn excluded(search: &'search Search) -> Vec<Self> {
        let terms = search.excluded.iter().flat_map(Self::of);
        terms.filter(|term| term.is_exact).take(MAX_PATTERNS).collect()
    }

    fn of(text: &'search String) -> impl Iterator<Item = Self> {
        let TermWords { patterns, is_exact } = TermWords::of(text);
        patterns.into_iter().map(move |pattern| Self {
            text,
            pattern,
            is_exact,
        })
    }
}

/// What an index searches for: one of the words of each pattern, and none of the excluded words.
#[derive(Default)]
struct IndexSearch {
    /// The words of patterns that have at most [`WORDS_AT_ONCE`].
    few: Vec<FoundWords>,
    /// The words of other patterns.
    many: Vec<FoundWords>,
    /// At most [`WORDS_AT_ONCE`] words of each pattern. Empty if `few` is empty.
    excluded: Vec<FoundWords>,
}

impl IndexSearch {
    /// Selects the IDs of matching rows from an index. Returns the column of the ID, too. None without any pattern.
    fn select<E: Publishable>(self, backend: DbBackend) -> Option<(SelectStatement, Expr)> {
        match backend {
            DbBackend::Postgres => Some((self.on_postgres(E::SEARCH_INDEX)?, Expr::col("id"))),
            _ => Some((self.on_sqlite(E::SEARCH_INDEX)?, Expr::col("rowid"))),
        }
    }

    fn on_postgres(self, index: &'static str) -> Option<SelectStatement> {
        let Self { few, many, excluded } = self;
        if few.is_empty() && many.is_empty() {
            return None;
        }
        let mut select = Query::select().column("id").from(index).to_owned();
        for words in few.iter().chain(&many) {
            let any = match words.ids.is_empty() {
                true => Condition::any().add(has_any(&[])),
                false => words
                    .ids
                    .chunks(WORDS_AT_ONCE)
                    .map(has_any)
                    .fold(Condition::any(), Condition::add),
            };
            select.cond_where(any);
        }
        for words in &excluded {
            select.and_where(has_any(&words.ids).not());
        }
        Some(select)
    }

    /// The words are looked up again by this statement, so that it sees the index and the words in one state.
    fn on_sqlite(self, index: &'static str) -> Option<SelectStatement> {
        let Self { few, many, excluded } = self;
        let mut rows_of_many = many.into_iter().map(|words| words.select_rows(index));
        let mut select = match few.is_empty() {
            true => Query::select()
                .column("rowid")
                .from_subquery(rows_of_many.next()?, "any")
                .to_owned(),
            false => {
                // Such as (12 OR 34) AND (56) NOT (78).
                let all = vec!["'(' || ? || ')'"; few.len()].join(" || ' AND ' || ");
                let none = " || ' NOT (' || ? || ')'".repeat(excluded.len());
                let query = format!("{index} MATCH ('(' || {all} || ')'{none})");
                let words = few.into_iter().chain(excluded).map(FoundWords::into_alternatives);
                Query::select()
                    .column("rowid")
                    .from(index)
                    .and_where(Expr::cust_with_exprs(query, words))
                    .to_owned()
            }
        };
        for rows in rows_of_many {
            // The plus keeps SQLite from running the query once for each of these rows.
            select.and_where(Expr::cust("+rowid").in_subquery(rows));
        }
        Some(select)
    }
}

/// Whether a row of PostgreSQL's index has one of these words.
fn has_any(ids: &[i64]) -> Expr {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let array = format!("{{{}}}", ids.join(","));
    Expr::cust_with_values("word_ids && CAST($1 AS integer[])", [array])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_patterns_are_looked_up() {
        let search = Search::parse("jazz \"open air\" & -rock -\"hip hop\"");
        let included = IndexedTerm::included(&search);
        let patterns: Vec<(&str, &str, bool)> = included
            .iter()
            .map(|term| (term.text.as_str(), term.pattern.text(), term.is_exact))
            .collect();
        assert_eq!(
            patterns,
            [
                ("jazz", "jazz", true),
                ("open air", "open", false),
                ("open air", "air", false)
            ]
        );
        let excluded = IndexedTerm::excluded(&search);
        let patterns: Vec<&str> = excluded.iter().map(|term| term.pattern.text()).collect();
        assert_eq!(patterns, ["rock"]);
        let many: Vec<String> = (0..100).map(|number| format!("word{number}")).collect();
        let many = Search::parse(&many.join(" "));
        assert_eq!(IndexedTerm::included(&many).len(), MAX_PATTERNS);
    }
}
