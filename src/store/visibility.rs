//! The visibility of objects in lists, by status and author.

use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait},
};

use super::Publishable;
use crate::calendar::status::Status;

/// The objects that a list may contain: those that the reader has requested and may see.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// The requested statuses.
    pub statuses: Vec<Status>,
    /// The author whose unpublished objects are visible; `None` for all authors.
    pub unpublished_of: Option<i64>,
    /// The time that separates `publish` from `future`, in seconds since 1970 UTC.
    pub now: i64,
}

impl Visibility {
    /// Published objects.
    pub fn published(now: i64) -> Self {
        Self {
            statuses: vec![Status::Publish],
            unpublished_of: None,
            now,
        }
    }

    /// Whether only published objects are requested.
    pub fn is_public(&self) -> bool {
        self.statuses.iter().all(|status| *status == Status::Publish)
    }

    /// The condition on the rows of a list.
    pub fn condition<E: Publishable>(&self) -> Condition {
        self.condition_on([E::STATUS, E::PUBLISHED_AT, E::AUTHOR_ID].map(ColumnTrait::into_expr))
    }

    /// The same condition on given columns: the status, the publication date and the author.
    pub(super) fn condition_on(&self, [stored_status, published_at, author]: [Expr; 3]) -> Condition {
        self.statuses.iter().fold(Condition::any(), |condition, status| {
            // `publish` and `future` are stored as the same status and differ by the publication date, so that no job
            // has to run.
            let at_publication = match status {
                Status::Publish => Some(published_at.clone().lte(self.now)),
                Status::Future => Some(published_at.clone().gt(self.now)),
                _ => None,
            };
            let own = self.unpublished_of.filter(|_| *status != Status::Publish);
            let with_status = Condition::all()
                .add(stored_status.clone().eq(status.stored()))
                .add_option(at_publication)
                .add_option(own.map(|user| author.clone().eq(user)));
            condition.add(with_status)
        })
    }
}
