//! The events that a write of one event of a series applies to.

/// The events that a write of one event of a series applies to. For an event without a series, all are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The event.
    #[default]
    This,
    /// The event, and those after it in the rule.
    Following,
    /// All events of the series.
    All,
}
