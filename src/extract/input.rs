//! The meeting point of query, form and JSON body: named values, and what is wrong with them.

use poem_openapi::{
    registry::{MetaSchema, Registry},
    types::MaybeUndefined,
};
use serde_json::{Map, Value};

use crate::error::{FieldError, ValidationErrors};

/// Where values come from. It decides how loosely they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat {
    /// Everything is text; an empty value is absent, and a list may be one text with commas.
    Query,
    /// Everything is text; an empty value clears.
    Form,
    /// Values have types; an empty text clears.
    Json,
}

/// One value as it came in.
#[derive(Clone, Copy, Debug)]
pub struct InputValue<'a> {
    pub value: &'a Value,
    pub format: InputFormat,
}

impl<'a> InputValue<'a> {
    /// The value, if it is text. Of a parameter that is repeated the last text counts; in a query an empty one
    /// counts as absent.
    pub fn text(self) -> Option<&'a str> {
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

    /// The items of a list; a single value is a list of one. In a query each text may hold several,
    /// separated by commas.
    pub fn items(self) -> Vec<Value> {
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
pub trait ApplyTo<T> {
    /// Stores the value, or the default where the field is cleared. An absent field changes nothing.
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

/// A type that is read from one value of a query, a form or a JSON body.
pub trait FromInput: Sized {
    /// What the document declares, whatever else is accepted. Schemas with names are registered.
    fn schema(registry: &mut Registry) -> MetaSchema;

    /// Reads a value that is present and not empty.
    ///
    /// # Errors
    /// Says what would be right. The message continues the name of the field: "must be …".
    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError>;
}

/// Named values, and what was found wrong with those that were taken.
#[derive(Debug)]
pub struct Fields {
    values: Map<String, Value>,
    format: InputFormat,
    pub errors: ValidationErrors,
}

impl Fields {
    pub fn new(values: Map<String, Value>, format: InputFormat) -> Self {
        Self {
            values,
            format,
            errors: ValidationErrors::default(),
        }
    }

    /// The values as they came in.
    pub fn into_values(self) -> Map<String, Value> {
        self.values
    }

    /// Takes a field. A value that can't be read is a fault, and the field counts as absent.
    pub fn take<T: FromInput>(&mut self, name: &str) -> MaybeUndefined<T> {
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
    pub fn remove(&mut self, name: &str) {
        self.values.shift_remove(name);
    }

    /// Gives a field that is absent its default, if it has one.
    pub fn default(&mut self, name: &str, default: Option<&Value>) {
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

    /// Notes that a required field is absent or empty.
    pub fn require(&mut self, name: &str) {
        if self.value(name).is_none_or(InputValue::is_empty) {
            self.errors.add(name, FieldError::missing());
        }
    }

    /// Notes that a field is null or empty that can't be cleared.
    pub fn refuse_clearing(&mut self, name: &str) {
        if self.value(name).is_some_and(InputValue::is_empty) {
            self.errors
                .add(name, FieldError::invalid("can't be cleared"));
        }
    }

    fn value(&self, name: &str) -> Option<InputValue<'_>> {
        let format = self.format;
        self.values.get(name).map(|value| InputValue { value, format })
    }
}
