//! Unique slugs.

use std::collections::HashSet;

use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::{
    Publishable, Term,
    locks::{self, AdvisoryLock},
    publishable::not_in_trash,
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};
use crate::calendar::{Kind, slug};

/// The slugs of one kind, except that of one object.
pub(crate) struct Slugs<E: EntityTrait> {
    column: E::Column,
    others: Condition,
}

impl<E: Publishable> Slugs<E> {
    /// The slugs of events, venues or organizers that are not in the trash, except that of the object with this ID.
    pub(crate) fn of_publishable(except: i64) -> Self {
        Self {
            column: E::SLUG,
            others: Condition::all().add(not_in_trash()).add(E::ID.ne(except)),
        }
    }
}

impl<E: Term> Slugs<E> {
    /// The slugs of terms, except that of the term with this ID.
    pub(crate) fn of_terms(except: i64) -> Self {
        Self {
            column: E::SLUG,
            others: Condition::all().add(E::ID.ne(except)),
        }
    }
}

impl<E: EntityTrait> Slugs<E> {
    /// Whether another object has the slug.
    pub(crate) async fn is_taken(&self, transaction: &impl ReadConnection, slug: &str) -> Result<bool, DbErr> {
        let taken = self.taken(transaction, [slug]).await?;
        Ok(!taken.is_empty())
    }

    /// Returns `base`, or `base-2`, `base-3`, … if others have it.
    ///
    /// The first statement looks up powers of two, and each further one divides the range between the last taken and
    /// the first free number: a thousand events with the same title take three statements. The number is the lowest
    /// free one as long as the used numbers have no gap.
    pub(crate) async fn find_free(&self, transaction: &impl ReadConnection, base: &str) -> Result<String, DbErr> {
        self.find_free_besides(transaction, base, &HashSet::new()).await
    }

    /// The same, but never one of the given slugs, which the writer is about to store.
    pub(crate) async fn find_free_besides(
        &self,
        transaction: &impl ReadConnection,
        base: &str,
        besides: &HashSet<String>,
    ) -> Result<String, DbErr> {
        let numbered = |number: u32| match number {
            1 => base.to_owned(),
            _ => slug::with_suffix(base, number),
        };
        let mut numbers: Vec<u32> = (0..u32::BITS).map(|exponent| 1 << exponent).collect();
        let (mut last_taken, mut free) = (0, u32::MAX);
        while free - last_taken > 1 {
            let taken = self.taken(transaction, numbers.iter().copied().map(numbered)).await?;
            for number in numbers {
                let slug = numbered(number);
                if !taken.contains(&slug) && !besides.contains(&slug) {
                    free = number;
                    break;
                }
                last_taken = number;
            }
            let step = ((free - last_taken) / u32::BITS).max(1);
            numbers = (last_taken + 1..free).step_by(step as usize).collect();
        }
        Ok(numbered(free))
    }

    /// Returns those of the slugs that others have.
    pub(crate) async fn taken(
        &self,
        transaction: &impl ReadConnection,
        slugs: impl IntoIterator<Item: Into<String>>,
    ) -> Result<HashSet<String>, DbErr> {
        let slugs = slugs.into_iter().map(Into::into);
        let select = E::find()
            .select_only()
            .column(self.column)
            .filter(self.column.is_in(slugs))
            .filter(self.others.clone());
        let taken: Vec<String> = transaction.selected(select).await?;
        Ok(taken.into_iter().collect())
    }
}

/// A slug for a row that gets another one before the transaction ends, such as one made from its ID.
pub(crate) fn temporary() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Takes an advisory lock on the stem of a slug, because `show` with a number appended can become equal to `show-2`.
/// The stem is cut at half of the maximum length, so that truncating a slug to make room for the number does not change
/// it.
pub(crate) async fn lock_slug(transaction: &impl WriteConnection, kind: Kind, slug: &str) -> Result<(), DbErr> {
    let stem = &slug[..slug.floor_char_boundary(slug::MAX_BYTES / 2)];
    let stem = stem.trim_end_matches(|end: char| end == '-' || end.is_ascii_digit());
    locks::take(transaction, [AdvisoryLock::of_slug(kind, stem)]).await
}
