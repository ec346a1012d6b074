//! The words of all indexed texts.
//!
//! The table has each word once. Words are never removed: they are few compared with the texts, and mostly come back.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{
    DbBackend, DbErr, Statement,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, UnionType},
};

use super::{count, read_connection::ReadConnection, write_connection::WriteConnection};
use crate::calendar::words::WordPattern;

/// The shortest text that SQLite's index of trigrams can find, in characters.
const TRIGRAM: usize = 3;
/// The ID that no word has.
const NO_WORD: &str = "0";

/// The words that a pattern selects.
#[derive(Clone, Debug)]
pub(super) struct FoundWords {
    pattern: WordPattern,
    /// Their IDs, in no particular order.
    pub ids: Vec<i64>,
}

/// Looks words up by patterns, with one statement. Finds one word more than the maximum if there are more.
pub(super) async fn find(
    database: &impl ReadConnection,
    patterns: &[&WordPattern],
    maximum: usize,
) -> Result<Vec<FoundWords>, DbErr> {
    let backend = database.backend();
    let mut found: Vec<FoundWords> = patterns
        .iter()
        .map(|pattern| FoundWords {
            pattern: (*pattern).clone(),
            ids: Vec::new(),
        })
        .collect();
    let selects = patterns.iter().enumerate().map(|(index, pattern)| {
        let limited = select_ids(backend, pattern).limit(maximum as u64 + 1).to_owned();
        Query::select()
            .expr(Expr::cust(format!("CAST({index} AS bigint)")))
            .column("id")
            .from_subquery(limited, "found")
            .to_owned()
    });
    let all = selects.reduce(|mut all, select| all.union(UnionType::All, select).to_owned());
    let Some(all) = all else {
        return Ok(found);
    };
    let rows: Vec<[i64; 2]> = database.rows(&all).await?;
    for [index, id] in rows {
        let words = usize::try_from(index).ok().and_then(|index| found.get_mut(index));
        let words = words.expect("the statement has a select for each pattern");
        words.ids.push(id);
    }
    Ok(found)
}

/// Selects the IDs of words.
fn select_ids(backend: DbBackend, pattern: &WordPattern) -> SelectStatement {
    let word = Expr::col("word");
    // The letters and digits of a word include none of LIKE's special characters.
    let matches = match pattern {
        WordPattern::Is(text) => word.eq(text.as_str()),
        WordPattern::BeginsWith(text) => word.like(format!("{text}%")),
        WordPattern::EndsWith(text) => word.like(format!("%{text}")),
        WordPattern::Contains(text) => word.like(format!("%{text}%")),
    };
    let mut select = Query::select().column("id").from("words").and_where(matches).to_owned();
    let is_part = !matches!(pattern, WordPattern::Is(_));
    if is_part && backend == DbBackend::Sqlite && pattern.text().chars().count() >= TRIGRAM {
        let phrase = format!("\"{}\"", pattern.text());
        let with_trigrams = Query::select()
            .column("rowid")
            .from("word_search")
            .and_where(Expr::cust_with_values("word_search MATCH ?", [phrase]))
            .to_owned();
        select.and_where(Expr::col("id").in_subquery(with_trigrams));
    }
    select
}

impl FoundWords {
    /// The words as alternatives of a full-text query of SQLite, such as `12 OR 34`.
    pub(super) fn alternatives(&self) -> String {
        alternatives(&self.ids)
    }

    /// The words that are probably in most texts: those with the lowest IDs, because frequent words are indexed first.
    pub(super) fn most_frequent(&self) -> String {
        /// SQLite looks up each word for each sample.
        const MAX: usize = 4;
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        ids.truncate(MAX);
        alternatives(&ids)
    }

    /// The same as an expression that looks the words up again.
    pub(super) fn into_alternatives(self) -> Expr {
        let alternatives = Expr::cust(format!("coalesce(group_concat(id, ' OR '), '{NO_WORD}')"));
        let words = select_ids(DbBackend::Sqlite, &self.pattern);
        count::subquery(
            Query::select()
                .expr(alternatives)
                .from_subquery(words, "found")
                .to_owned(),
        )
    }
}

fn alternatives(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    match ids.is_empty() {
        true => NO_WORD.to_owned(),
        false => ids.join(" OR "),
    }
}

/// The ID of each word. Adds those that are new. The caller holds the lock of the search index.
pub(super) async fn ids_of(
    database: &impl WriteConnection,
    words: &BTreeSet<String>,
) -> Result<HashMap<String, i64>, DbErr> {
    if words.is_empty() {
        return Ok(HashMap::new());
    }
    let backend = database.backend();
    let words = serde_json::to_string(words).map_err(|error| DbErr::Json(error.to_string()))?;
    let run = |sql: &str| Statement::from_sql_and_values(backend, sql, [words.as_str().into()]);
    let (insert, select) = match backend {
        DbBackend::Postgres => (INSERT_ON_POSTGRES, SELECT_ON_POSTGRES),
        _ => (INSERT_ON_SQLITE, SELECT_ON_SQLITE),
    };
    database.execute_raw(run(insert)).await?;
    let rows: Vec<(i64, String)> = database.rows_of(run(select)).await?;
    Ok(rows.into_iter().map(|(id, word)| (word, id)).collect())
}

/// The value is a JSON array of words.
const INSERT_ON_SQLITE: &str = "INSERT INTO words (word) SELECT value FROM json_each(?) \
                                WHERE NOT EXISTS (SELECT 1 FROM words WHERE word = value)";
const SELECT_ON_SQLITE: &str = "SELECT words.id, words.word FROM json_each(?) AS wanted \
                                CROSS JOIN words ON words.word = wanted.value";
const INSERT_ON_POSTGRES: &str = "INSERT INTO words (word) \
                                  SELECT value FROM json_array_elements_text(CAST($1 AS json)) AS wanted(value) \
                                  WHERE NOT EXISTS (SELECT 1 FROM words WHERE word = value)";
const SELECT_ON_POSTGRES: &str = "SELECT words.id, words.word \
                                  FROM json_array_elements_text(CAST($1 AS json)) AS wanted(value) \
                                  JOIN words ON words.word = wanted.value";

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ids: impl IntoIterator<Item = i64>) -> FoundWords {
        FoundWords {
            pattern: WordPattern::Contains("the".to_owned()),
            ids: ids.into_iter().collect(),
        }
    }

    #[test]
    fn words_are_alternatives() {
        assert_eq!(words([]).alternatives(), "0");
        assert_eq!(words([12, 34]).alternatives(), "12 OR 34");
    }

    #[test]
    fn most_frequent_words_are_those_with_the_lowest_ids() {
        assert_eq!(words([]).most_frequent(), "0");
        assert_eq!(words([34, 12]).most_frequent(), "12 OR 34");
        let many = words((1..=1000).rev());
        assert_eq!(many.most_frequent(), "1 OR 2 OR 3 OR 4");
    }
}
