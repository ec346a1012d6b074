//! Numbers, which may be sent as strings.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use std::{collections::HashSet, hash::Hash};

use serde_json::Value;

use super::{FromInput, InputValue};
use crate::error::FieldError;

/// A page number or page size, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position(pub u64);

impl FromInput for Position {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        integer_schema(1)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let number = integer_at_least(1, input, "must be a whole number from 1")?;
        Ok(Self(number.unsigned_abs()))
    }
}

/// An ID. A value out of range saturates to `i64::MAX`, which matches nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Id(pub i64);

impl FromInput for Id {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        integer_schema(1)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        integer_at_least(1, input, "must be an ID: a whole number from 1").map(Self)
    }
}

/// An integer from 0: an ID, or 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Integer(pub i64);

impl FromInput for Integer {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        integer_schema(0)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        integer_at_least(0, input, "must be a whole number from 0").map(Self)
    }
}

/// A number from `MIN` to `MAX`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<const MIN: i32, const MAX: i32>(pub f64);

impl<const MIN: i32, const MAX: i32> FromInput for Number<MIN, MAX> {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            minimum: Some(MIN.into()),
            maximum: Some(MAX.into()),
            ..MetaSchema::new_with_format("number", "double")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let number = match input.value {
            Value::Number(number) => number.as_f64(),
            _ => input.text().and_then(|text| text.trim().parse().ok()),
        };
        match number {
            Some(number) if (f64::from(MIN)..=f64::from(MAX)).contains(&number) => Ok(Self(number)),
            _ => Err(FieldError::invalid(format!("must be a number from {MIN} to {MAX}"))),
        }
    }
}

fn integer_schema(minimum: u32) -> MetaSchema {
    MetaSchema {
        minimum: Some(minimum.into()),
        ..MetaSchema::new_with_format("integer", "int64")
    }
}

/// The schema of a list of integers from `minimum`.
pub(crate) fn integer_list_schema(minimum: u32) -> MetaSchema {
    MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(integer_schema(minimum))))),
        ..MetaSchema::new("array")
    }
}

/// Parses an integer that is at least `minimum`. `expected` is the error message.
fn integer_at_least(minimum: i64, input: InputValue<'_>, expected: &str) -> Result<i64, FieldError> {
    integer(input)
        .filter(|number| *number >= minimum)
        .ok_or_else(|| FieldError::invalid(expected))
}

/// Parses an integer, as a number or a string of digits. Values out of range saturate.
pub(crate) fn integer(input: InputValue<'_>) -> Option<i64> {
    match input.value {
        Value::Number(number) => number.as_i64().or_else(|| {
            // JSON does not distinguish 5 and 5.0. The cast saturates.
            #[allow(clippy::cast_possible_truncation, reason = "saturates on purpose")]
            number
                .as_f64()
                .filter(|number| number.fract() == 0.0)
                .map(|number| number as i64)
        }),
        _ => digits(input.text()?.trim()),
    }
}

/// Parses digits with an optional sign. Values out of range saturate.
pub(crate) fn digits(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(sign * digits.parse::<i64>().unwrap_or(i64::MAX))
}

/// Removes duplicates and keeps the order.
pub(crate) fn deduplicate<T: Clone + Eq + Hash>(values: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    let is_new = |value: &T| seen.insert(value.clone());
    values.into_iter().filter(is_new).collect()
}

/// A list of IDs without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ids(pub Vec<i64>);

impl FromInput for Ids {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        integer_list_schema(0)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let items = input.items();
        let ids = items.iter().map(|value| {
            let format = input.format;
            integer(InputValue { value, format }).filter(|id| *id >= 0)
        });
        ids.collect::<Option<Vec<i64>>>()
            .map(|ids| Self(deduplicate(ids)))
            .ok_or_else(|| FieldError::invalid("must be IDs: whole numbers from 0, separated by commas"))
    }
}
