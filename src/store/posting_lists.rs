//! Posting lists of SQLite's full-text indexes: the IDs of the rows that have a word, in ascending order.
//!
//! FTS5 reads the posting lists of all words of a query to their ends, even if few rows have one of the words. The texts
//! of these rows can be compared with the other terms instead.

use sea_orm::{
    ColumnTrait, DbErr, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use super::{Publishable, count, read_connection::ReadConnection, vocabulary::FoundWords};

/// The number of entries from which the length of a longer posting list is estimated.
const SAMPLE: u64 = 500;
/// The number of places, evenly spaced over the IDs, from each of which a sample is taken.
const PLACES: i64 = 4;
/// The number of texts whose comparison costs less than samples of a posting list.
const FEW_TEXTS: u64 = 100;
/// The maximum number of rows whose texts are compared instead of reading a posting list.
const MAX_COMPARED: u64 = 20_000;
/// The number of entries of a posting list that are read in the time in which the text of a found row is compared.
const ENTRIES_PER_TEXT: u64 = 80;

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
    let first_samples = patterns.iter().map(|words| sample::<E>(words, 0));
    let lengths = estimate_lengths(database, first_samples).await?;
    let of_included = lengths.iter().take(included).enumerate();
    let Some((rarest, shortest)) = of_included.min_by_key(|(_, length)| **length) else {
        return Ok(too_long);
    };
    if !lengths.iter().any(|length| is_too_long(*length, *shortest)) {
        return Ok(too_long);
    }
    let compared = count_first_rows::<E>(database, patterns[rarest], MAX_COMPARED + 1).await?;
    if compared > MAX_COMPARED {
        return Ok(too_long);
    }
    for (index, (words, length)) in patterns.iter().zip(lengths).enumerate() {
        if index != rarest && is_too_long(length, compared) {
            too_long[index] = compared < FEW_TEXTS || is_too_long_everywhere::<E>(database, words, compared).await?;
        }
    }
    Ok(too_long)
}

/// Whether reading a posting list costs more than comparing this number of texts.
fn is_too_long(length: u64, compared: u64) -> bool {
    length / ENTRIES_PER_TEXT > compared
}

/// Takes samples from the places after the first one. Returns whether each of them shows that a posting list is too long.
/// One sample is not enough: consecutive IDs often belong to similar events, such as those of a series.
async fn is_too_long_everywhere<E: Publishable>(
    database: &impl ReadConnection,
    words: &FoundWords,
    compared: u64,
) -> Result<bool, DbErr> {
    let samples = (1..PLACES).map(|place| sample::<E>(words, place));
    let lengths = estimate_lengths(database, samples).await?;
    Ok(lengths.into_iter().all(|length| is_too_long(length, compared)))
}

/// Counts the rows that have one of the words, up to a maximum.
async fn count_first_rows<E: Publishable>(
    database: &impl ReadConnection,
    words: &FoundWords,
    maximum: u64,
) -> Result<u64, DbErr> {
    let rows = found_rows::<E>(words).limit(maximum).to_owned();
    let total = Query::select()
        .expr(count::rows())
        .from_subquery(rows, "found")
        .to_owned();
    Ok(count::fetch(database, &total).await?.unsigned_abs())
}

/// Selects a sample of the rows that have one of the words: the number of rows, the first ID at this place, the last ID of
/// the sample, and the last ID of all rows.
fn sample<E: Publishable>(words: &FoundWords, place: i64) -> SelectStatement {
    let newest = Func::coalesce([E::ID.into_expr().max(), count::zero()]);
    let newest = count::subquery(E::find().select_only().expr(Expr::from(newest)).into_query());
    let first = newest.clone().mul(place).div(PLACES);
    let rows = found_rows::<E>(words)
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

/// Estimates the lengths of posting lists from samples.
async fn estimate_lengths(
    database: &impl ReadConnection,
    samples: impl Iterator<Item = SelectStatement>,
) -> Result<Vec<u64>, DbErr> {
    let Some(all) = samples.reduce(|mut all, sample| all.union(UnionType::All, sample).to_owned()) else {
        return Ok(Vec::new());
    };
    let samples: Vec<[i64; 4]> = database.rows(&all).await?;
    Ok(samples.into_iter().map(estimate_length).collect())
}

/// The length of a posting list whose entries are as dense everywhere as in this [`sample`].
fn estimate_length([count, first, last, newest]: [i64; 4]) -> u64 {
    let count = count.unsigned_abs();
    // A smaller sample has all entries that follow.
    let last = if count < SAMPLE { newest } else { last };
    let sampled = first.abs_diff(last) + 1;
    (count as f64 / sampled as f64 * (newest.unsigned_abs() + 1) as f64) as u64
}

/// Selects the IDs of the rows of an index that have one of the words.
fn found_rows<E: Publishable>(words: &FoundWords) -> SelectStatement {
    let index = E::SEARCH_INDEX;
    Query::select()
        .column("rowid")
        .from(index)
        .and_where(Expr::cust_with_values(
            format!("{index} MATCH ?"),
            [words.alternatives()],
        ))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_estimated() {
        for (count, first, last, newest, length) in [
            (0, 0, 0, 0, 0),
            (0, 0, 0, 999_999, 0),
            (499, 0, 900_000, 999_999, 499),
            (500, 0, 499, 999_999, 1_000_000),
            (500, 750_000, 759_999, 999_999, 50_000),
            (250, 750_000, 800_000, 999_999, 1_000),
        ] {
            assert_eq!(
                estimate_length([count, first, last, newest]),
                length,
                "{count} from {first} to {last} of {newest}"
            );
        }
    }

    #[test]
    fn long_lists_are_read_only_if_many_texts_would_be_compared() {
        for (length, compared, too_long) in [
            (79, 0, false),
            (80, 0, true),
            (1_000_000, 12_499, true),
            (1_000_000, 12_500, false),
            (500, 500, false),
        ] {
            assert_eq!(is_too_long(length, compared), too_long, "{length}, {compared}");
        }
    }
}
