//! The rule of a series in a request.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::Value;

use super::{FromInput, InputValue};
use crate::error::FieldError;

/// The lines of a rule (RFC 5545), separated by line feeds and not parsed yet: that needs the start and the time zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecurrenceLines(pub String);

impl FromInput for RecurrenceLines {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))))),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || {
            FieldError::wrong_type(
                "must be a list of lines such as RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10, or one text with these lines",
            )
        };
        match input.value {
            Value::String(text) => Ok(Self(text.clone())),
            Value::Array(lines) => {
                let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
                lines.map(|lines| Self(lines.join("\n"))).ok_or_else(error)
            }
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::extract::InputFormat;

    #[test]
    fn list_or_text() {
        for (value, expected) in [
            (json!("RRULE:FREQ=DAILY"), Some("RRULE:FREQ=DAILY")),
            (
                json!("RRULE:FREQ=DAILY\r\nEXDATE:20270105"),
                Some("RRULE:FREQ=DAILY\r\nEXDATE:20270105"),
            ),
            (
                json!(["RRULE:FREQ=WEEKLY;BYDAY=TU,TH", "EXDATE:20270105"]),
                Some("RRULE:FREQ=WEEKLY;BYDAY=TU,TH\nEXDATE:20270105"),
            ),
            (json!([1]), None),
            (json!({"freq": "daily"}), None),
        ] {
            let format = InputFormat::Json;
            let read = RecurrenceLines::from_input(InputValue { value: &value, format });
            assert_eq!(read.ok().map(|lines| lines.0).as_deref(), expected, "{value}");
        }
    }
}
