//! Leniency of writes, which outer layers may set for their clients.

/// What a write tolerates. Default: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leniency {
    /// A new venue or organizer with the name of an existing one is a reference to that one, and updates it if the
    /// writer may edit it.
    pub reuse_names: bool,
    /// IDs of terms that do not exist, and new terms that the writer may not create, are skipped.
    pub skip_unknown_terms: bool,
}
