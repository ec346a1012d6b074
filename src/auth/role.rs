//! The roles of users.

use std::str::FromStr;

use poem_openapi::Enum;
use serde::Serialize;
use thiserror::Error;

/// The role of a user. Each role includes the permissions of the previous ones.
#[derive(Clone, Copy, Debug, Enum, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads published content only.
    Subscriber,
    /// Writes own content that is not published.
    Contributor,
    /// Writes and publishes own content.
    Author,
    /// Writes and publishes all content.
    Editor,
    /// Has all permissions.
    Administrator,
}

/// The error for an unknown role.
#[derive(Clone, Debug, Error)]
#[error("must be subscriber, contributor, author, editor or administrator")]
pub struct UnknownRole;

impl Role {
    /// All roles, in ascending order.
    pub const ALL: [Self; 5] = [
        Self::Subscriber,
        Self::Contributor,
        Self::Author,
        Self::Editor,
        Self::Administrator,
    ];

    /// The name on the command line and in the database.
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
