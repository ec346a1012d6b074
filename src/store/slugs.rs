//! Unique slugs.

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::{
    Publishable, Term,
    locks::{self, AdvisoryLock},
    publishable::not_in_trash,
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
    pub(crate) async fn is_taken(&self, transaction: &impl ConnectionTrait, slug: &str) -> Result<bool, DbErr> {
        let found = E::find()
            .filter(self.column.eq(slug))
            .filter(self.others.clone())
            .one(transaction)
            .await?;
        Ok(found.is_some())
    }

    /// Returns `base`, or `base-2`, `base-3`, … if others have it.
    ///
    /// Uses exponential search: a thousand events with the same title take twenty lookups. The number is the lowest free
    /// one as long as the used numbers have no gap.
    pub(crate) async fn find_free(&self, transaction: &impl ConnectionTrait, base: &str) -> Result<String, DbErr> {
        if !self.is_taken(transaction, base).await? {
            return Ok(base.to_owned());
        }
        let (mut taken, mut free) = (1, 2);
        while self.is_taken(transaction, &slug::with_suffix(base, free)).await? {
            taken = free;
            free *= 2;
        }
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2;
            if self.is_taken(transaction, &slug::with_suffix(base, middle)).await? {
                taken = middle;
            } else {
                free = middle;
            }
        }
        Ok(slug::with_suffix(base, free))
    }
}

/// Takes an advisory lock on the stem of a slug, because `show` with a number appended can become equal to `show-2`.
/// The stem is cut at half of the maximum length, so that truncating a slug to make room for the number does not change
/// it.
pub(crate) async fn lock_slug(transaction: &impl ConnectionTrait, kind: Kind, slug: &str) -> Result<(), DbErr> {
    let stem = &slug[..slug.floor_char_boundary(slug::MAX_BYTES / 2)];
    let stem = stem.trim_end_matches(|end: char| end == '-' || end.is_ascii_digit());
    locks::take(transaction, [AdvisoryLock::of_name(kind, stem)]).await
}
