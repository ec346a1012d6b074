//! Substring search.
//!
//! Texts and searches are folded in the same way ([`crate::calendar::text::fold`]), so that case and accents are
//! ignored. The indexes ([`super::search_index`]) have the words of each text. A term is found by the words that
//! contain it. If a term is not part of one word, the index only finds candidates, whose texts are compared.

use std::cmp::Reverse;

use sea_orm::{
    ColumnTrait, Condition, DbBackend, DbErr, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement, UnionType},
};

use super::{
    Publishable,
    denormalised::event_value,
    entity::event,
    posting_lists,
    read_connection::ReadConnection,
    search_index::QUEUE,
    vocabulary::{self, FoundWords},
};
use crate::calendar::{
    search::Search,
    words::{TermWords, WordPattern},
};

/// The maximum number of patterns of included terms that are looked up, and of excluded terms. Texts are compared with
/// the other terms. Each pattern of one or two letters is compared with all words.
const MAX_PATTERNS: usize = 8;
/// A pattern of more words than this is not looked up in an index: comparing all texts costs less. Only one or two
/// letters are in so many words.
const MAX_WORDS: usize = 1024;
/// The number of words that PostgreSQL's index looks for at once. It compares the next row of each word to find the next
/// row of any.
const WORDS_AT_ONCE: usize = 64;

/// Returns the condition that the text contains all included terms and none of the excluded terms.
pub(crate) fn matches(text: &Expr, search: &Search) -> Condition {
    let pattern = |term: &String| {
        let escaped = term.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        LikeExpr::new(format!("%{escaped}%")).escape('\\')
    };
    // Most texts lack the longest term, and are compared with no others.
    let mut included: Vec<&String> = search.included.iter().collect();
    included.sort_by_key(|term| Reverse(term.len()));
    let included = included.into_iter().map(|term| text.clone().like(pattern(term)));
    let excluded = search.excluded.iter().map(|term| text.clone().not_like(pattern(term)));
    included.chain(excluded).fold(Condition::all(), Condition::add)
}

/// Makes PostgreSQL plan the statements of this transaction for their actual search terms. From the sixth execution on it
/// would use a generic plan, which can't know how selective the terms are.
pub(crate) async fn force_custom_plan(database: &impl ReadConnection, search: &Search) -> Result<(), DbErr> {
    if database.backend() == DbBackend::Postgres && !search.is_empty() {
        database.set_local("plan_cache_mode = force_custom_plan").await?;
    }
    Ok(())
}

/// The rows that match a search: those that an index finds, and the queued rows that match. The index may be outdated for
/// queued rows.
pub(crate) struct FoundRows {
    /// Selects, from the index, the IDs of the rows that are not queued.
    indexed: SelectStatement,
    /// Selects the IDs of queued rows.
    queued: SelectStatement,
}

impl FoundRows {
    /// Selects the IDs.
    pub(crate) fn into_ids(self) -> SelectStatement {
        let Self { mut indexed, queued } = self;
        indexed.union(UnionType::All, queued).to_owned()
    }

    /// Selects the IDs of events, and columns of which the index has copies.
    pub(crate) fn into_events(self, copies: &[event::Column]) -> SelectStatement {
        let Self {
            mut indexed,
            mut queued,
        } = self;
        for column in copies {
            indexed.column(*column);
            queued.expr_as(Expr::cust(event_value("events", *column)), *column);
        }
        Self { indexed, queued }.into_ids()
    }
}

/// Splits a search for the index of events, venues or organizers. Returns the rows that the index finds, if it can find
/// any of the included terms, and the remaining search for [`matches()`]. On PostgreSQL, the connection must show their
/// statement the same state as this function, as a transaction for reads does.
pub(crate) async fn split_search<E: Publishable>(
    database: &impl ReadConnection,
    search: &Search,
) -> Result<(Option<FoundRows>, Search), DbErr> {
    let mut index = IndexSearch::of(database, search).await?;
    if index.included.is_empty() {
        // Excluded terms only restrict the rows of included ones.
        return Ok((None, search.clone()));
    }
    if database.backend() == DbBackend::Sqlite {
        index.leave_out_long_lists::<E>(database).await?;
    }
    let remaining = index.remaining(search);
    let (mut indexed, id) = index.select::<E>(database.backend());
    let in_queue = Query::select()
        .column("target_id")
        .from(QUEUE)
        .and_where(Expr::col("kind").eq(E::KIND.name()))
        .to_owned();
    let queued = E::find()
        .select_only()
        .column(E::ID)
        .filter(E::ID.in_subquery(in_queue.clone()))
        .filter(matches(&E::SEARCH_TEXT.into_expr(), search))
        .into_query();
    indexed.and_where(id.not_in_subquery(in_queue));
    Ok((Some(FoundRows { indexed, queued }), remaining))
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
struct IndexSearch<'search> {
    /// The patterns of which a row must have a word.
    included: Vec<FoundTerm<'search>>,
    /// The patterns of which a row must have no word.
    excluded: Vec<FoundTerm<'search>>,
}

/// A pattern, and the words that it selects.
struct FoundTerm<'search> {
    term: IndexedTerm<'search>,
    words: FoundWords,
}

impl<'search> IndexSearch<'search> {
    /// Looks up the words of a search. Leaves out patterns of too many words.
    async fn of(database: &impl ReadConnection, search: &'search Search) -> Result<Self, DbErr> {
        let mut index = Self {
            included: Vec::new(),
            excluded: Vec::new(),
        };
        let (included, excluded) = (IndexedTerm::included(search), IndexedTerm::excluded(search));
        if included.is_empty() {
            return Ok(index);
        }
        let patterns: Vec<&WordPattern> = included.iter().chain(&excluded).map(|term| &term.pattern).collect();
        let mut found = vocabulary::find(database, &patterns, MAX_WORDS).await?.into_iter();
        for (found_terms, terms) in [(&mut index.included, included), (&mut index.excluded, excluded)] {
            let with_words = terms.into_iter().zip(found.by_ref());
            let with_words = with_words.map(|(term, words)| FoundTerm { term, words });
            found_terms.extend(with_words.filter(|found| found.words.ids.len() <= MAX_WORDS));
        }
        Ok(index)
    }

    /// Leaves out patterns whose posting lists cost more than comparing texts.
    async fn leave_out_long_lists<E: Publishable>(&mut self, database: &impl ReadConnection) -> Result<(), DbErr> {
        let patterns: Vec<&FoundWords> = self
            .included
            .iter()
            .chain(&self.excluded)
            .map(|found| &found.words)
            .collect();
        let too_long = posting_lists::are_too_long::<E>(database, &patterns, self.included.len()).await?;
        let mut too_long = too_long.into_iter();
        for terms in [&mut self.included, &mut self.excluded] {
            terms.retain(|_| too_long.next() == Some(false));
        }
        Ok(())
    }

    /// The terms of the search that the index alone does not find.
    fn remaining(&self, search: &Search) -> Search {
        let mut remaining = search.clone();
        for FoundTerm { term, .. } in self.included.iter().filter(|found| found.term.is_exact) {
            remaining.included.retain(|text| text != term.text);
        }
        for FoundTerm { term, .. } in &self.excluded {
            remaining.excluded.retain(|text| text != term.text);
        }
        remaining
    }

    /// Selects the IDs of matching rows from an index. Returns the column of the ID, too.
    fn select<E: Publishable>(self, backend: DbBackend) -> (SelectStatement, Expr) {
        match backend {
            DbBackend::Postgres => (self.on_postgres(E::SEARCH_INDEX), Expr::col("id")),
            _ => (self.on_sqlite(E::SEARCH_INDEX), Expr::col("rowid")),
        }
    }

    fn on_postgres(self, index: &'static str) -> SelectStatement {
        let Self { included, excluded } = self;
        let mut select = Query::select().column("id").from(index).to_owned();
        for found in &included {
            select.cond_where(has_any(&found.words.ids));
        }
        for found in &excluded {
            select.cond_where(has_any(&found.words.ids).not());
        }
        select
    }

    /// The words are looked up again by this statement, so that it sees the index and the words in one state.
    fn on_sqlite(self, index: &'static str) -> SelectStatement {
        let Self { included, excluded } = self;
        // Such as (12 OR 34) AND (56) NOT (78).
        let all = vec!["'(' || ? || ')'"; included.len()].join(" || ' AND ' || ");
        let none = " || ' NOT (' || ? || ')'".repeat(excluded.len());
        let query = format!("{index} MATCH ('(' || {all} || ')'{none})");
        let found = included.into_iter().chain(excluded);
        let words = found.map(|found| found.words.into_alternatives());
        Query::select()
            .column("rowid")
            .from(index)
            .and_where(Expr::cust_with_exprs(query, words))
            .to_owned()
    }
}

/// Whether a row of PostgreSQL's index has one of these words.
fn has_any(ids: &[i64]) -> Condition {
    let has_any = |ids: &[i64]| {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let array = format!("{{{}}}", ids.join(","));
        Expr::cust_with_values("word_ids && CAST($1 AS integer[])", [array])
    };
    match ids.is_empty() {
        // An empty condition would be true.
        true => Condition::any().add(Expr::val(false)),
        false => ids
            .chunks(WORDS_AT_ONCE)
            .map(has_any)
            .fold(Condition::any(), Condition::add),
    }
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
