//! The visibility of objects in lists, by status and author.

use sea_orm::{ColumnTrait, Condition};

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
        self.statuses.iter().fold(Condition::any(), |condition, status| {
            let mut with_status = has_status::<E>(*status, self.now);
            if let (false, Some(author)) = (*status == Status::Publish, self.unpublished_of) {
                with_status = with_status.add(E::AUTHOR_ID.eq(author));
            }
            condition.add(with_status)
        })
    }
}

/// `publish` and `future` are stored as the same status and differ by the publication date, so that no job has to run.
fn has_status<E: Publishable>(status: Status, now: i64) -> Condition {
    let stored = Condition::all().add(E::STATUS.eq(status.stored()));
    match status {
        Status::Publish => stored.add(E::PUBLISHED_AT.lte(now)),
        Status::Future => stored.add(E::PUBLISHED_AT.gt(now)),
        _ => stored,
    }
}
