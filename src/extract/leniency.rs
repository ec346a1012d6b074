//! Strictness of writes that an outer layer may relax for its clients.

/// What a write tolerates. By default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leniency {
    /// A new venue or organizer with the name of an existing one updates that one, if the writer may edit it, and
    /// stands for it in any case.
    pub reuse_names: bool,
    /// IDs of terms that do not exist, and new terms that the writer may not create, are skipped.
    pub skip_unknown_terms: bool,
}
