//! True or false, in the spellings that people send.

use super::{FromInput, InputValue};
use crate::error::FieldError;

/// A boolean: `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off`, as text in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LenientBool(pub bool);

impl FromInput for LenientBool {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || FieldError::wrong_type("must be true or false; 1 and 0, yes and no, on and off work too");
        if let Some(value) = raw.value.as_bool() {
            return Ok(Self(value));
        }
        let text = match raw.value.as_u64() {
            Some(number) => number.to_string(),
            None => raw.text().ok_or_else(error)?.trim().to_ascii_lowercase(),
        };
        match text.as_str() {
            "true" | "1" | "yes" | "on" => Ok(Self(true)),
            "false" | "0" | "no" | "off" => Ok(Self(false)),
            _ => Err(error()),
        }
    }
}

/// A venue's `show_map`: declared as a string, and a boolean all the same.
pub type MapFlag = LenientBool;
