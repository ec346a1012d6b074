//! The five roles.

use std::str::FromStr;

use thiserror::Error;

/// What a user is, from the least right to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Subscriber,
    Contributor,
    Author,
    Editor,
    Administrator,
}

/// Nobody is called that.
#[derive(Clone, Debug, Error)]
#[error("a role is one of subscriber, contributor, author, editor, administrator")]
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
