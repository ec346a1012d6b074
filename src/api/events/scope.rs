//! The query parameter of writes of events that extends them to other events of a series.

use almanac_derive::Parameters;
use poem_openapi::registry::{MetaSchema, Registry};

use crate::{
    error::FieldError,
    extract::{
        FromInput, InputValue, MaybeUndefined,
        choice::{enumeration, one_of},
    },
    services::series::Scope,
};

/// The query parameters of writes of events.
#[derive(Clone, Debug, Default, Parameters)]
pub(crate) struct ScopeQuery {
    /// The events of a series that the write applies to. `this`: only this event; a changed field is its own from then
    /// on, and changes of the series no longer affect it. `following`: this event and those after it, which become a
    /// series of their own. `all`: all events of the series, except for the fields that they have changed on their own. A
    /// start without an end then moves the events, which keep their duration. For an event without a series, all values
    /// have the same effect.
    #[param(default = "this", example = "following")]
    pub scope: MaybeUndefined<ScopeName>,
}

impl ScopeQuery {
    pub(super) fn scope(&self) -> Scope {
        self.scope.value().map_or(Scope::This, |name| name.0)
    }
}

/// The name of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeName(pub Scope);

/// The scopes by their names in requests.
const NAMES: [(&str, ScopeName); 3] = [
    ("this", ScopeName(Scope::This)),
    ("following", ScopeName(Scope::Following)),
    ("all", ScopeName(Scope::All)),
];

impl FromInput for ScopeName {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "SeriesScope",
            "The events of a series that a write applies to.",
            &NAMES,
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &NAMES)
    }
}
