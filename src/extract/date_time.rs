//! Dates as they come in.

use super::{FromInput, InputFormat, InputValue};
use crate::calendar::date::DateTimeInput;
use crate::error::FieldError;

impl FromInput for DateTimeInput {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let text = raw
            .text()
            .ok_or_else(|| FieldError::wrong_type("must be a date as a string"))?;
        match raw.source {
            InputFormat::Query => Self::from_query(text).map_err(|error| FieldError::invalid(error.to_string())),
            InputFormat::Form | InputFormat::Json => {
                Self::parse_day(text.trim()).map_err(|error| FieldError::invalid(error.to_string()))
            }
        }
    }
}
