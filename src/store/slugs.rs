//! Finding a slug that nobody has.

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, Statement};

use super::{Publishable, Term, publishable::not_in_trash};
use crate::calendar::{Kind, slug};

/// The slugs of one kind, as one of its objects sees them: those of the others.
pub struct Slugs<E: EntityTrait> {
    column: E::Column,
    others: Condition,
}

impl<E: Publishable> Slugs<E> {
    /// Those of events, venues or organizers outside the trash, other than the one with this ID.
    pub fn of_publishable(except: i64) -> Self {
        Self {
            column: E::SLUG,
            others: Condition::all().add(not_in_trash()).add(E::ID.ne(except)),
        }
    }
}

impl<E: Term> Slugs<E> {
    /// Those of terms other than the one with this ID.
    pub fn of_terms(except: i64) -> Self {
        Self {
            column: E::SLUG,
            others: Condition::all().add(E::ID.ne(except)),
        }
    }
}

impl<E: EntityTrait> Slugs<E> {
    /// Whether another one has it.
    pub async fn is_taken(&self, transaction: &impl ConnectionTrait, slug: &str) -> Result<bool, DbErr> {
        let found = E::find()
            .filter(self.column.eq(slug))
            .filter(self.others.clone())
            .one(transaction)
            .await?;
        Ok(found.is_some())
    }

    /// `base`, or `base-2`, `base-3`, … where others have it.
    ///
    /// Gallops, then halves: a thousand events of one title cost twenty look-ups, not a thousand. While the
    /// numbers taken have no gap the answer is the lowest free one.
    pub async fn find_free(&self, transaction: &impl ConnectionTrait, base: &str) -> Result<String, DbErr> {
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

/// Makes writers whose slugs may come to be the same take turns: `show` with a number behind it can become what
/// `show-2` is from the start. Where long slugs are cut to make room for the number does not matter either.
pub async fn lock_slug(transaction: &impl ConnectionTrait, kind: Kind, slug: &str) -> Result<(), DbErr> {
    let stem = &slug[..slug.floor_char_boundary(slug::MAX_BYTES / 2)];
    let stem = stem.trim_end_matches(|end: char| end == '-' || end.is_ascii_digit());
    lock_name(transaction, kind, stem).await
}

/// Makes writers that look for the same name take turns until their transactions end. SQLite has one writer anyway.
pub async fn lock_name(transaction: &impl ConnectionTrait, kind: Kind, text: &str) -> Result<(), DbErr> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_raw(Statement::from_sql_and_values(
                DbBackend::Postgres,
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                [format!("{}:{text}", kind.name()).into()],
            ))
            .await?;
    }
    Ok(())
}
