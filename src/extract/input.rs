//! The common representation of queries, forms and JSON bodies: named values and their validation errors.

use poem_openapi::{
    registry::{MetaSchema, Registry},
    types::MaybeUndefined,
};
use serde_json::{Map, Value};

use crate::error::{FieldError, ValidationErrors};

/// The format of a value. It determines how strictly the value is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// Values are strings. An empty value counts as absent, and a list may be comma-separated.
    Query,
    /// Values are strings. An empty value clears the field.
    Form,
    /// Values are typed. An empty string clears the field.
    Json,
}

/// One unparsed value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputValue<'a> {
    pub value: &'a Value,
    pub format: InputFormat,
}

impl<'a> InputValue<'a> {
    /// The value as a string. The last string of a repeated parameter is used; in a query, empty strings are skipped.
    pub(crate) fn text(self) -> Option<&'a str> {
        match (self.value, self.format) {
            (Value::String(text), _) => Some(text),
            (Value::Array(values), InputFormat::Query) => values
                .iter()
                .rev()
                .filter_map(Value::as_str)
                .find(|text| !text.trim().is_empty()),
            (Value::Array(values), InputFormat::Form) => values.last().and_then(Value::as_str),
            _ => None,
        }
    }

    /// The items of a list; a single value is a list of one. In queries and forms, a string may contain several,
    /// separated by commas.
    pub(crate) fn items(self) -> Vec<Value> {
        let values = match self.value {
            Value::Array(values) => values.clone(),
            Value::Null => Vec::new(),
            value => vec![value.clone()],
        };
        if self.format == InputFormat::Json {
            return values;
        }
        values
            .into_iter()
            .flat_map(|value| match value {
                Value::String(text) => text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| Value::String(part.to_owned()))
                    .collect(),
                other => vec![other],
            })
            .collect()
    }

    fn is_empty(self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(values) if self.format != InputFormat::Json => {
                let is_empty = |text: &str| text.trim().is_empty();
                values.iter().all(|value| value.as_str().is_some_and(is_empty))
            }
            _ => false,
        }
    }
}

/// Stores a field in its column.
pub(crate) trait ApplyTo<T> {
    /// Stores the value, or the default if the field is cleared. An absent field changes nothing.
    fn apply_to(self, column: &mut T);
}

impl<T: Default> ApplyTo<T> for MaybeUndefined<T> {
    fn apply_to(self, column: &mut T) {
        match self {
            Self::Undefined => {}
            Self::Null => *column = T::default(),
            Self::Value(value) => *column = value,
        }
    }
}

/// A type that is parsed from one value of a query, a form or a JSON body.
pub(crate) trait FromInput: Sized {
    /// The schema in the document, which may be stricter than `from_input`. Named schemas are registered.
    fn schema(registry: &mut Registry) -> MetaSchema;

    /// Parses a value that is present and not empty.
    ///
    /// # Errors
    /// The message follows the field name and states what is expected: "must be …".
    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError>;
}

/// Named values, and the validation errors of those that have been parsed.
#[derive(Debug)]
pub(crate) struct Fields {
    values: Map<String, Value>,
    format: InputFormat,
    pub errors: ValidationErrors,
}

impl Fields {
    pub(crate) fn new(values: Map<String, Value>, format: InputFormat) -> Self {
        Self {
            values,
            format,
            errors: ValidationErrors::default(),
        }
    }

    /// The unparsed values.
    pub(crate) fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// The unparsed values.
    pub(crate) fn into_values(self) -> Map<String, Value> {
        self.values
    }

    /// Parses a field. A value that can't be parsed adds a validation error, and the field counts as absent.
    pub(crate) fn take<T: FromInput>(&mut self, name: &str) -> MaybeUndefined<T> {
        let Some(value) = self.values.get(name) else {
            return MaybeUndefined::Undefined;
        };
        let input = InputValue {
            value,
            format: self.format,
        };
        if input.is_empty() {
            return match self.format {
                InputFormat::Query => MaybeUndefined::Undefined,
                InputFormat::Form | InputFormat::Json => MaybeUndefined::Null,
            };
        }
        match T::from_input(input) {
            Ok(value) => MaybeUndefined::Value(value),
            Err(error) => {
                self.errors.add(name, error);
                MaybeUndefined::Undefined
            }
        }
    }

    /// Removes a field, as if it had not been sent.
    pub(crate) fn remove(&mut self, name: &str) {
        self.values.shift_remove(name);
    }

    /// Sets an absent field to its default, if it has one.
    pub(crate) fn set_default(&mut self, name: &str, default: Option<&Value>) {
        let Some(default) = default else { return };
        let is_absent = match (self.value(name), self.format) {
            (None, _) => true,
            (Some(value), InputFormat::Query) => value.is_empty(),
            _ => false,
        };
        if is_absent {
            self.values.insert(name.to_owned(), default.clone());
        }
    }

    /// Adds an error if a required field is absent or empty.
    pub(crate) fn require(&mut self, name: &str) {
        let mut errors = std::mem::take(&mut self.errors);
        self.find_missing(&[name], &mut errors);
        self.errors = errors;
    }

    /// Adds an error for each of these fields that is absent or empty.
    pub(crate) fn find_missing(&self, names: &[&str], errors: &mut ValidationErrors) {
        for name in names {
            if self.value(name).is_none_or(InputValue::is_empty) {
                errors.add(name, FieldError::missing());
            }
        }
    }

    /// Adds an error if a field that can't be cleared is null or empty.
    pub(crate) fn reject_clearing(&mut self, name: &str) {
        if self.value(name).is_some_and(InputValue::is_empty) {
            self.errors.add(name, FieldError::invalid("can't be cleared"));
        }
    }

    fn value(&self, name: &str) -> Option<InputValue<'_>> {
        let format = self.format;
        self.values.get(name).map(|value| InputValue { value, format })
    }
}
