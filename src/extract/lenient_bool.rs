//! Booleans in several notations.

use super::{FromInput, InputValue};
use crate::error::FieldError;
use poem_openapi::registry::{MetaSchema, Registry};

/// A boolean: `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off`, in any letter case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LenientBool(pub bool);

impl LenientBool {
    /// Parses text. None if it is not a boolean.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(Self(true)),
            "false" | "0" | "no" | "off" => Some(Self(false)),
            _ => None,
        }
    }
}

impl FromInput for LenientBool {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("boolean")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || FieldError::wrong_type("must be true or false (also 1 or 0, yes or no, on or off)");
        if let Some(value) = input.value.as_bool() {
            return Ok(Self(value));
        }
        let read = match input.value.as_u64() {
            Some(number) => Self::parse(&number.to_string()),
            None => input.text().and_then(Self::parse),
        };
        read.ok_or_else(error)
    }
}

/// A boolean that the document declares as the string `true` or `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextBool(pub bool);

impl FromInput for TextBool {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            pattern: Some("^(true|false)$".to_owned()),
            ..MetaSchema::new("string")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        LenientBool::from_input(input).map(|value| Self(value.0))
    }
}
