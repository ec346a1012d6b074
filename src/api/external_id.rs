//! Filters of lists by the ID in another system.

use almanac_derive::Parameters;

use crate::{
    error::{FieldError, ValidationErrors},
    extract::{MaybeUndefined, text::ExternalText},
};

/// The query parameters for the ID in another system, which lists of events, venues and organizers share.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct ExternalIdQuery {
    /// Only what has an ID in this other system.
    #[param(example = "league")]
    pub external_source: MaybeUndefined<ExternalText>,
    /// Only what has this ID in the system `external_source`, which is then required. Other filters apply, too.
    #[param(example = "4711")]
    pub external_id: MaybeUndefined<ExternalText>,
}

impl ExternalIdQuery {
    /// The name of the system, and the ID, if there is one.
    pub(crate) fn resolve(self, errors: &mut ValidationErrors) -> Option<(String, Option<String>)> {
        let (source, id) = (self.external_source.take(), self.external_id.take());
        if source.is_none() && id.is_some() && !errors.has("external_source") {
            errors.add("external_source", FieldError::invalid("is required with external_id"));
        }
        source.map(|source| (source.0, id.map(String::from)))
    }
}
