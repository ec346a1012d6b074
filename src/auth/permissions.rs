//! The permissions of each role.

use poem_openapi::Enum;
use serde::Serialize;

use super::Role;
use crate::{
    calendar::{Kind, status::Status},
    store::publishable::CommonColumns,
};

/// The identity of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    Anonymous,
    User { id: i64, role: Role },
}

/// The objects that a permission covers: none, own ones until they are published, own ones, or all.
#[derive(Clone, Copy, Debug, Enum, PartialEq, Eq, Serialize)]
#[oai(rename = "PermissionExtent", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum Extent {
    None,
    OwnUnpublished,
    Own,
    All,
}

impl Identity {
    /// The ID of the user.
    pub(crate) fn user(self) -> Option<i64> {
        match self {
            Self::Anonymous => None,
            Self::User { id, .. } => Some(id),
        }
    }

    fn role(self) -> Option<Role> {
        match self {
            Self::Anonymous => None,
            Self::User { role, .. } => Some(role),
        }
    }

    fn is_at_least(self, least: Role) -> bool {
        self.role().is_some_and(|role| role >= least)
    }

    fn owns(self, columns: &CommonColumns) -> bool {
        self.user().is_some() && self.user() == columns.author_id
    }

    /// Whether the extent includes the object.
    fn covers(self, extent: Extent, columns: &CommonColumns) -> bool {
        match extent {
            Extent::None => false,
            Extent::OwnUnpublished => self.owns(columns) && !is_approved(columns),
            Extent::Own => self.owns(columns),
            Extent::All => true,
        }
    }

    /// The unpublished objects outside the trash that may be read.
    pub(crate) fn readable_unpublished(self) -> Extent {
        match self.role() {
            None | Some(Role::Subscriber) => Extent::None,
            Some(Role::Contributor | Role::Author) => Extent::Own,
            Some(Role::Editor | Role::Administrator) => Extent::All,
        }
    }

    /// The events, venues and organizers that may be changed.
    pub(crate) fn editable(self) -> Extent {
        match self.role() {
            None | Some(Role::Subscriber) => Extent::None,
            Some(Role::Contributor) => Extent::OwnUnpublished,
            Some(Role::Author) => Extent::Own,
            Some(Role::Editor | Role::Administrator) => Extent::All,
        }
    }

    /// The events, venues and organizers that may be moved to the trash and restored.
    pub(crate) fn deletable(self) -> Extent {
        self.editable()
    }

    /// Whether unpublished objects of all users may be read.
    pub(crate) fn may_read_everything(self) -> bool {
        self.readable_unpublished() == Extent::All
    }

    /// Whether lists may be filtered by other statuses than published.
    pub(crate) fn may_list_unpublished(self) -> bool {
        self.readable_unpublished() != Extent::None
    }

    /// Whether an object outside the trash may be read.
    pub(crate) fn may_read(self, columns: &CommonColumns, now: i64) -> bool {
        is_published(columns, now) || self.covers(self.readable_unpublished(), columns)
    }

    /// Whether the object may be read or, if it is in the trash, restored.
    pub(crate) fn may_see(self, columns: &CommonColumns, now: i64) -> bool {
        if columns.status == Status::Trash {
            self.may_delete(columns)
        } else {
            self.may_read(columns, now)
        }
    }

    /// Whether objects of this kind may be created.
    pub(crate) fn may_create(self, kind: Kind) -> bool {
        self.is_at_least(if kind.is_term() {
            Role::Editor
        } else {
            Role::Contributor
        })
    }

    /// Whether objects of this kind may be changed.
    pub(crate) fn may_write(self, kind: Kind) -> bool {
        self.may_create(kind)
    }

    /// Whether this object may be changed.
    pub(crate) fn may_edit(self, columns: &CommonColumns) -> bool {
        self.covers(self.editable(), columns)
    }

    /// Whether this object may be moved to the trash and restored.
    pub(crate) fn may_delete(self, columns: &CommonColumns) -> bool {
        self.covers(self.deletable(), columns)
    }

    /// Whether objects may be published. Other callers submit them for review.
    pub(crate) fn may_publish(self) -> bool {
        self.is_at_least(Role::Author)
    }

    /// Whether webhooks may be read and written.
    pub(crate) fn may_manage_webhooks(self) -> bool {
        self.is_at_least(Role::Administrator)
    }

    /// Whether the author may be set to another user.
    pub(crate) fn may_set_author(self) -> bool {
        self.is_at_least(Role::Editor)
    }
}

fn is_published(columns: &CommonColumns, now: i64) -> bool {
    columns.status == Status::Publish && columns.published_at <= now
}

/// Whether the object has been approved for publication, immediate or scheduled. Its contributor may then no longer
/// change it. For an object in the trash, its previous status decides.
fn is_approved(columns: &CommonColumns) -> bool {
    matches!(columns.status_before_trash(), Status::Publish | Status::Private)
}
