//! Words in texts, found by an index of trigrams where they are long enough for it.
//!
//! Texts and words are folded alike ([`crate::calendar::text::fold`]), so that case and accents do not count.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr,
    sea_query::{Expr, ExprTrait, LikeExpr, Query, SelectStatement},
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

/// Has PostgreSQL plan the statements of this transaction for the very words that are searched. From the fifth time on
/// it would take the plan for any words, which knows neither that the index finds few nor that it does not help with
/// two letters.
pub async fn plan_for(database: &impl ConnectionTrait, words: &[String]) -> Result<(), DbErr> {
    if database.get_database_backend() == DbBackend::Postgres && !words.is_empty() {
        let setting = "SET LOCAL plan_cache_mode = force_custom_plan";
        database.execute_unprepared(setting).await?;
    }
    Ok(())
}

/// Selects the keys of the rows that have all of those words which the index of the table finds by itself, if it
/// finds any, and leaves the words that [`contains_words`] has to find. PostgreSQL's index serves that one as it is.
pub fn by_index(
    backend: DbBackend,
    index: &'static str,
    words: &[String],
) -> (Option<SelectStatement>, Vec<String>) {
    let is_found = |word: &&String| backend == DbBackend::Sqlite && word.chars().count() >= TRIGRAM;
    let (found, left): (Vec<&String>, Vec<&String>) = words.iter().partition(is_found);
    // As phrases of FTS5: a quote is written twice.
    let phrases: Vec<String> = found
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    let keys = (!phrases.is_empty()).then(|| {
        Query::select()
            .column("rowid")
            .from(index)
            .and_where(Expr::cust_with_values(
                format!("{index} MATCH ?"),
                [phrases.join(" AND ")],
            ))
            .to_owned()
    });
    (keys, left.into_iter().cloned().collect())
}
