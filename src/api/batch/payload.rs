//! The body of a batch.

use almanac_derive::Parameters;
use poem_openapi::registry::{MetaSchema, Registry};
use serde_json::json;

use super::request::{BatchRequest, BatchRequests};
use crate::{
    error::FieldError,
    extract::{
        FromInput, InputValue, MaybeUndefined, Payload,
        choice::{enumeration, one_of},
    },
};

/// A batch.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub(crate) struct BatchPayload {
    /// `normal`: each request succeeds or fails on its own. `require-all-validate`: everything is stored or nothing.
    #[param(default = "normal", example = "require-all-validate")]
    pub validation: MaybeUndefined<Validation>,
    /// The requests, 1 to 100, in the order in which they run.
    #[param(required, example = json!([
        {"path": "/calendar/events/v1/venues", "body": {"venue": "City Hall"}},
        {"path": "/calendar/events/v1/events", "body": {
            "title": "Spring concert",
            "start_date": "2027-05-07 19:30:00",
            "end_date": "2027-05-07 22:00:00",
            "venue": "$1.id",
        }},
    ]))]
    pub requests: MaybeUndefined<BatchRequests>,
}

impl Payload for BatchPayload {
    type Representation = ();

    const NAME: &'static str = "Batch";
    const CREATE: &'static str = "Several writes, in the format of WordPress.";
    const UPDATE: &'static str = Self::CREATE;
}

impl BatchPayload {
    pub(super) fn into_parts(self) -> (Validation, Vec<BatchRequest>) {
        let Self { validation, requests } = self;
        let requests = requests.take().unwrap_or_default();
        (validation.take().unwrap_or_default(), requests.0)
    }
}

/// The transaction mode of a batch: one for each request, or one for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Validation {
    #[default]
    Normal,
    RequireAll,
}

impl Validation {
    const CHOICES: [(&'static str, Self); 2] = [("normal", Self::Normal), ("require-all-validate", Self::RequireAll)];
}

impl FromInput for Validation {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "BatchValidation",
            "Whether one failed request of a batch prevents the others.",
            &Self::CHOICES,
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &Self::CHOICES)
    }
}
