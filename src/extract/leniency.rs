//! Relaxed rules for writes, which compatibility layers set for their clients.

/// Relaxed rules for writes. By default, none applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leniency {
    /// A create of a venue or organizer with the name of an existing one uses that one, and updates it if the writer
    /// may edit it.
    pub reuse_names: bool,
    /// Unknown IDs of terms, and names of new terms that the writer may not create, are ignored.
    pub skip_unknown_terms: bool,
}
