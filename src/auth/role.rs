//! The roles of users.

use std::str::FromStr;

use thiserror::Error;

/// The role of a user, in the order of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Subscriber,
    Contributor,
    Author,
    Editor,
    Administrator,
}

/// The error for an unknown role.
#[derive(Clone, Debug, Error)]
#[error("must be subscriber, contributor, author, editor or administrator")]
pub struct UnknownRole;

impl Role {
    pub const ALL: [Self; 5] = [
        Self::Subscriber,
        Self::Contributor,
        Self::Author,
        Self::Editor,
        Self::Administrator,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Subscriber => "subscriber",
            Self::Contributor => "contributor",
            Self::Author => "author",
            Self::Editor => "editor",
            Self::Administrator => "administrator",
        }
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == name)
            .ok_or(UnknownRole)
    }
}
