//! Posting lists of SQLite's full-text indexes: the IDs of the rows that have a word, in ascending order.
//!
//! FTS5 reads the posting lists of all words of a query to their ends, even if few rows have one of the words. The texts
//! of these rows can be compared with the other terms instead.

use std::ops::Range;

use sea_orm::{
    ColumnTrait, DbErr, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use super::{Publishable, count, read_connection::ReadConnection, vocabulary::FoundWords};

/// The number of rows of a sample.
const SAMPLE: u64 = 100;
/// The number of places, evenly spaced over the IDs, from each of which a sample is taken. One is not enough: consecutive
/// IDs often belong to similar events, such as those of a series.
const PLACES: i64 = 4;
/// Posting lists that cost less than comparing this number of texts are read without more samples.
const FEW_TEXTS: u64 = 100;
/// The number of entries of one posting list that are read in the time in which the text of a found row is compared.
const ENTRIES_PER_TEXT: u64 = 200;
/// With this many more posting lists, finding a row that is in any of them takes as long again: FTS5 compares the next
/// entries of all of them.
const LISTS_PER_ENTRY: u64 = 12;

/// Returns for each pattern whether reading the posting lists of its words would cost more than comparing texts. The first
/// patterns, `included` of them, are those of which a row must have a word; one of these is always kept.
pub(super) async fn are_too_long<E: Publishable>(
    database: &impl ReadConnection,
    patterns: &[&FoundWords],
    included: usize,
) -> Result<Vec<bool>, DbErr> {
    let mut too_long = vec![false; patterns.len()];
    if patterns.len() < 2 {
        return Ok(too_long);
    }
    let mut patterns: Vec<SampledPattern<'_>> = patterns.iter().map(|words| SampledPattern::new(words)).collect();
    take_samples::<E>(database, &mut patterns, 0..1).await?;
    if highest_cost(&patterns) < FEW_TEXTS {
        return Ok(too_long);
    }
    take_samples::<E>(database, &mut patterns, 1..PLACES).await?;
    let rarest = rarest(&patterns[..included]);
    let compared = count_first_rows::<E>(database, patterns[rarest].words, highest_cost(&patterns)).await?;
    for (index, pattern) in patterns.iter().enumerate() {
        too_long[index] = index != rarest && pattern.lowest_cost() > compared;
    }
    Ok(too_long)
}

/// A pattern with samples of its rows.
struct SampledPattern<'words> {
    words: &'words FoundWords,
    samples: Vec<Sample>,
}

impl<'words> SampledPattern<'words> {
    fn new(words: &'words FoundWords) -> Self {
        Self {
            words,
            samples: Vec::new(),
        }
    }

    /// The estimated number of rows.
    fn rows(&self) -> u64 {
        extrapolate(&self.samples)
    }

    /// The estimated cost of reading the posting lists.
    fn cost(&self) -> u64 {
        cost(self.rows(), self.words.ids.len())
    }

    /// The lowest cost that any of the samples suggests.
    fn lowest_cost(&self) -> u64 {
        let rows = self.samples.chunks(1).map(extrapolate).min();
        cost(rows.unwrap_or_default(), self.words.ids.len())
    }
}

fn highest_cost(patterns: &[SampledPattern<'_>]) -> u64 {
    patterns.iter().map(SampledPattern::cost).max().unwrap_or_default()
}

/// The index of the pattern that the fewest rows have.
fn rarest(patterns: &[SampledPattern<'_>]) -> usize {
    let rows = patterns.iter().map(SampledPattern::rows).enumerate();
    rows.min_by_key(|(_, rows)| *rows).unwrap_or_default().0
}

/// The cost of finding this number of rows by a number of posting lists, as the number of texts that are compared in the
/// same time.
fn cost(rows: u64, lists: usize) -> u64 {
    rows.saturating_mul(LISTS_PER_ENTRY + lists as u64) / (LISTS_PER_ENTRY * ENTRIES_PER_TEXT)
}

/// Counts the rows that have one of the words, up to a maximum.
async fn count_first_rows<E: Publishable>(
    database: &impl ReadConnection,
    words: &FoundWords,
    maximum: u64,
) -> Result<u64, DbErr> {
    let rows = found_rows::<E>(words.alternatives()).limit(maximum).to_owned();
    let total = Query::select()
        .expr(count::rows())
        .from_subquery(rows, "found")
        .to_owned();
    Ok(count::fetch(database, &total).await?.unsigned_abs())
}

/// Some of the rows that have one of the most frequent words of a pattern: their number, the ID from which they were looked
/// for, the last of their IDs, and the last ID of all rows.
type Sample = [i64; 4];

/// Takes a sample of each pattern from each of these places.
async fn take_samples<E: Publishable>(
    database: &impl ReadConnection,
    patterns: &mut [SampledPattern<'_>],
    places: Range<i64>,
) -> Result<(), DbErr> {
    let selects = places.flat_map(|place| {
        let patterns = patterns.iter();
        patterns.map(move |pattern| select_sample::<E>(pattern.words, place))
    });
    let Some(all) = selects.reduce(|mut all, select| all.union(UnionType::All, select).to_owned()) else {
        return Ok(());
    };
    // SQLite returns the rows in the order of the selects.
    let samples: Vec<Sample> = database.rows(&all).await?;
    let count = patterns.len();
    for (index, sample) in samples.into_iter().enumerate() {
        patterns[index % count].samples.push(sample);
    }
    Ok(())
}

/// Selects a [`Sample`].
fn select_sample<E: Publishable>(words: &FoundWords, place: i64) -> SelectStatement {
    let newest = Func::coalesce([E::ID.into_expr().max(), count::zero()]);
    let newest = count::subquery(E::find().select_only().expr(Expr::from(newest)).into_query());
    let first = newest.clone().mul(place).div(PLACES);
    let rows = found_rows::<E>(words.most_frequent())
        .and_where(Expr::col("rowid").gte(first.clone()))
        .limit(SAMPLE)
        .to_owned();
    let last = Func::coalesce([Expr::col("rowid").max(), first.clone()]);
    Query::select()
        .expr(count::rows())
        .expr(first)
        .expr(last)
        .expr(newest)
        .from_subquery(rows, "sampled")
        .to_owned()
}

/// The number of rows, if they are as dense everywhere as in these samples.
fn extrapolate(samples: &[Sample]) -> u64 {
    let (mut found, mut searched, mut all) = (0, 0, 0);
    for [count, first, last, newest] in samples {
        let count = count.unsigned_abs();
        // A smaller sample has all rows that follow.
        let last = if count < SAMPLE { newest } else { last };
        found += count;
        searched += first.abs_diff(*last) + 1;
        all = newest.unsigned_abs() + 1;
    }
    (found as f64 / searched as f64 * all as f64) as u64
}

/// Selects the IDs of the rows of an index that have one of the alternatives.
fn found_rows<E: Publishable>(alternatives: String) -> SelectStatement {
    let index = E::SEARCH_INDEX;
    Query::select()
        .column("rowid")
        .from(index)
        .and_where(Expr::cust_with_values(format!("{index} MATCH ?"), [alternatives]))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rows_are_estimated() {
        let cases: [(&[Sample], u64); 8] = [
            (&[[0, 0, 0, 0]], 0),
            (&[[0, 0, 0, 999_999]], 0),
            (&[[99, 0, 900_000, 999_999]], 99),
            (&[[100, 0, 99, 999_999]], 1_000_000),
            (&[[100, 750_000, 751_999, 999_999]], 50_000),
            (&[[50, 750_000, 800_000, 999_999]], 200),
            (&[[100, 0, 99, 999_999], [0, 500_000, 500_000, 999_999]], 199),
            (&[[100, 0, 999, 999_999], [100, 500_000, 518_999, 999_999]], 10_000),
        ];
        for (samples, rows) in cases {
            assert_eq!(extrapolate(samples), rows, "{samples:?}");
        }
    }

    #[test]
    fn cost_depends_on_rows_and_lists() {
        for (rows, lists, texts) in [
            (0, 1, 0),
            (1_000_000, 0, 5_000),
            (1_000_000, 1, 5_416),
            (1_000_000, 12, 10_000),
            (1_000_000, 1_024, 431_666),
            (u64::MAX, 1_024, u64::MAX / 2_400),
        ] {
            assert_eq!(cost(rows, lists), texts, "{rows}, {lists}");
        }
    }
}
