//! Which objects a list may show, by status and author.

use sea_orm::{ColumnTrait, Condition};

use super::Publishable;
use crate::calendar::status::Status;

/// What a reader asked for and may see.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// The statuses asked for.
    pub statuses: Vec<Status>,
    /// The one author whose unpublished objects may be seen; everybody's, if absent.
    pub unpublished_of: Option<i64>,
    /// The instant at which `future` is told from `publish`, in seconds since 1970 UTC.
    pub now: i64,
}

impl Visibility {
    /// What anybody may see.
    pub fn published(now: i64) -> Self {
        Self {
            statuses: vec![Status::Publish],
            unpublished_of: None,
            now,
        }
    }

    /// Whether nothing is asked for but what anybody may see.
    pub fn is_public(&self) -> bool {
        self.statuses.iter().all(|status| *status == Status::Publish)
    }

    /// The condition that the rows of a list meet.
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

/// `publish` and `future` are stored as one: the clock tells them apart, with no job to run.
fn has_status<E: Publishable>(status: Status, now: i64) -> Condition {
    let stored = Condition::all().add(E::STATUS.eq(status.stored()));
    match status {
        Status::Publish => stored.add(E::PUBLISHED_AT.lte(now)),
        Status::Future => stored.add(E::PUBLISHED_AT.gt(now)),
        _ => stored,
    }
}
