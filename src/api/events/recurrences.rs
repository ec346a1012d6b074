//! The query parameter of lists of events for the events of series.

use poem_openapi::registry::{MetaSchema, Registry};

use crate::{
    error::FieldError,
    extract::{
        FromInput, InputValue,
        choice::{enumeration, one_of},
    },
};

/// The events of a series that a list contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecurrencesName {
    All,
    Next,
}

/// The values by their names in requests.
const NAMES: [(&str, RecurrencesName); 2] = [("all", RecurrencesName::All), ("next", RecurrencesName::Next)];

impl FromInput for RecurrencesName {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "Recurrences",
            "The events of a series that a list contains.",
            &NAMES,
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &NAMES)
    }
}
