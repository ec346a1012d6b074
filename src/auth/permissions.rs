//! Who may do what: the one place that knows.

use super::Role;
use crate::{
    calendar::{Kind, status::Status},
    store::publishable::CommonColumns,
};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    Anonymous,
    User { id: i64, role: Role },
}

impl Identity {
    /// The user's ID.
    pub fn user(self) -> Option<i64> {
        match self {
            Self::Anonymous => None,
            Self::User { id, .. } => Some(id),
        }
    }

    fn is_at_least(self, least: Role) -> bool {
        matches!(self, Self::User { role, .. } if role >= least)
    }

    fn owns(self, columns: &CommonColumns) -> bool {
        self.user().is_some() && self.user() == columns.author_id
    }

    /// Whether everybody's unpublished objects are this reader's to see.
    pub fn reads_everything(self) -> bool {
        self.is_at_least(Role::Editor)
    }

    /// Whether lists may be asked for anything but what is published.
    pub fn may_list_unpublished(self) -> bool {
        self.is_at_least(Role::Contributor)
    }

    /// Whether the object, which is not in the trash, may be read.
    pub fn may_read(self, columns: &CommonColumns, now: i64) -> bool {
        is_published(columns, now)
            || self.reads_everything()
            || (self.is_at_least(Role::Contributor) && self.owns(columns))
    }

    /// Whether the object may be seen: read, or restored where it is in the trash.
    pub fn may_see(self, columns: &CommonColumns, now: i64) -> bool {
        if columns.status == Status::Trash {
            self.may_delete(columns)
        } else {
            self.may_read(columns, now)
        }
    }

    /// Whether this writer may make objects of this kind at all.
    pub fn may_create(self, kind: Kind) -> bool {
        self.is_at_least(if kind.is_term() {
            Role::Editor
        } else {
            Role::Contributor
        })
    }

    /// Whether this writer may change objects of this kind at all.
    pub fn may_write(self, kind: Kind) -> bool {
        self.may_create(kind)
    }

    /// Whether this object may be changed.
    pub fn may_edit(self, columns: &CommonColumns) -> bool {
        self.is_at_least(Role::Editor)
            || (self.is_at_least(Role::Author) && self.owns(columns))
            || (self.is_at_least(Role::Contributor) && self.owns(columns) && !is_approved(columns))
    }

    /// Whether this object may go to the trash, and come back from there.
    pub fn may_delete(self, columns: &CommonColumns) -> bool {
        self.may_edit(columns)
    }

    /// Whether this writer may publish. Others hand in for review.
    pub fn may_publish(self) -> bool {
        self.is_at_least(Role::Author)
    }

    /// Whether this writer may write in another one's name.
    pub fn may_set_author(self) -> bool {
        self.is_at_least(Role::Editor)
    }
}

fn is_published(columns: &CommonColumns, now: i64) -> bool {
    columns.status == Status::Publish && columns.published_at <= now
}

/// What is planned for later is approved already: its contributor may no longer change it. The trash changes nothing
/// about that.
fn is_approved(columns: &CommonColumns) -> bool {
    matches!(columns.status_before_trash(), Status::Publish | Status::Private)
}
