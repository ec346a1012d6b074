//! References to categories and tags.

use std::fmt;

/// How a request refers to a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TermReference {
    /// An ID, or a slug or name of digits if no term has that ID.
    Id(i64),
    /// A slug, or a name if no term has that slug. Case does not matter.
    Name(String),
}

impl TermReference {
    /// The ID, if the reference is one.
    pub fn id(&self) -> Option<i64> {
        match self {
            Self::Id(id) => Some(*id),
            Self::Name(_) => None,
        }
    }
}

impl fmt::Display for TermReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(formatter),
            Self::Name(name) => name.fmt(formatter),
        }
    }
}
