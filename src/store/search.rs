//! Words in texts, found by an index of trigrams where they are long enough for it.
//!
//! Texts and words are folded alike ([`crate::calendar::text::fold`]), so that case and accents do not count.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend,
    sea_query::{Expr, ExprTrait, LikeExpr, SelectStatement},
};

/// The fewest characters that a trigram finds.
const TRIGRAM: usize = 3;

/// A condition on each word: a substring of the column.
pub fn contains_words<C: ColumnTrait>(column: C, words: &[String]) -> Condition {
    words.iter().fold(Condition::all(), |condition, word| {
        let escaped = word
            .replace('\\', "\\\\")
            .replace('%', "\\%")
            .replace('_', "\\_");
        condition.add(
            Expr::col(column.as_column_ref())
                .like(LikeExpr::new(format!("%{escaped}%")).escape('\\')),
        )
    })
}

/// The words as an index of FTS5 finds them, and those that are too short for it. PostgreSQL's index serves
/// [`contains_words`] as it is.
pub fn by_trigrams(words: &[String]) -> (Option<String>, Vec<String>) {
    let (long, short): (Vec<String>, Vec<String>) = words
        .iter()
        .cloned()
        .partition(|word| word.chars().count() >= TRIGRAM);
    let phrases: Vec<String> = long
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    ((!long.is_empty()).then(|| phrases.join(" AND ")), short)
}

/// The same as [`contains_words`] for the rows of a table whose key is `id`, by their index.
pub fn finds_words<C: ColumnTrait>(
    database: &impl ConnectionTrait,
    index: &'static str,
    id: Expr,
    column: C,
    words: &[String],
) -> Condition {
    if database.get_database_backend() != DbBackend::Sqlite {
        return contains_words(column, words);
    }
    let (phrases, short) = by_trigrams(words);
    Condition::all()
        .add_option(phrases.map(|phrases| id.in_subquery(matching(index, phrases))))
        .add(contains_words(column, &short))
}

/// The keys of the rows that an index of FTS5 finds.
fn matching(index: &'static str, phrases: String) -> SelectStatement {
    sea_orm::sea_query::Query::select()
        .column("rowid")
        .from(index)
        .and_where(Expr::cust_with_values(
            format!("{index} MATCH ?"),
            [phrases],
        ))
        .to_owned()
}
