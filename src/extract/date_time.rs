//! Dates in requests.

use super::{FromInput, InputFormat, InputValue};
use crate::calendar::date::DateTimeInput;
use crate::error::FieldError;
use poem_openapi::registry::{MetaSchema, Registry};

impl FromInput for DateTimeInput {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            min_length: Some(1),
            ..MetaSchema::new("string")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = input
            .text()
            .ok_or_else(|| FieldError::wrong_type("must be a date string"))?;
        match input.format {
            InputFormat::Query => Self::from_query(text).map_err(|error| FieldError::invalid(error.to_string())),
            InputFormat::Form | InputFormat::Json => {
                Self::parse_day(text.trim()).map_err(|error| FieldError::invalid(error.to_string()))
            }
        }
    }
}
