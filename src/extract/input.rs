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
    pub source: InputFormat,
}

impl<'a> InputValue<'a> {
    /// The value, if it is text. Of a parameter that is repeated the last text counts; in a query an empty one
    /// counts as absent.
    pub fn text(self) -> Option<&'a str> {
        match (self.value, self.source) {
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
        if self.source == InputFormat::Json {
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
            Value::Array(values) if self.source != InputFormat::Json => {
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

/// A type of value that can be read from the border.
pub trait FromInput: Sized {
    /// Reads a value that is there and not empty.
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError>;
}

/// Named values, and what was found wrong with those that were taken.
#[derive(Debug)]
pub struct Fields {
    values: Map<String, Value>,
    source: InputFormat,
    pub errors: ValidationErrors,
}

impl Fields {
    pub fn new(values: Map<String, Value>, source: InputFormat) -> Self {
        Self {
            values,
            source,
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
        let raw = InputValue {
            value,
            source: self.source,
        };
        if raw.is_empty() {
            return match self.source {
                InputFormat::Query => MaybeUndefined::Undefined,
                InputFormat::Form | InputFormat::Json => MaybeUndefined::Null,
            };
        }
        match T::read(raw) {
            Ok(value) => MaybeUndefined::Value(value),
            Err(error) => {
                self.errors.add(name, error);
                MaybeUndefined::Undefined
            }
        }
    }

    /// Gives a field that is absent the value that is declared for it.
    pub fn default(&mut self, name: &str, value: Value) {
        let is_absent = match (self.values.get(name), self.source) {
            (None, _) => true,
            (Some(value), InputFormat::Query) => {
                let source = self.source;
                InputValue { value, source }.is_empty()
            }
            _ => false,
        };
        if is_absent {
            self.values.insert(name.to_owned(), value);
        }
    }

    /// Notes that a field that must be there is absent or empty.
    pub fn require(&mut self, names: &[&str]) {
        for name in names {
            let absent = self.values.get(*name).is_none_or(|value| {
                let source = self.source;
                InputValue { value, source }.is_empty()
            });
            if absent {
                self.errors.add(name, FieldError::missing());
            }
        }
    }

    /// Notes that a field that can't be cleared is given as null or empty.
    pub fn keep(&mut self, names: &[&str]) {
        for name in names {
            if let Some(value) = self.values.get(*name)
                && (InputValue {
                    value,
                    source: self.source,
                })
                .is_empty()
            {
                self.errors
                    .add(name, FieldError::invalid("can be changed, but not cleared"));
            }
        }
    }
}

/// What `build.rs` makes of a list's parameters or of a body's schema: how it is described in a variant's
/// document, and how it is read.
pub trait Described<V> {
    /// What handlers see.
    type Fields: Send + 'static;
    /// The name of a body's schema.
    const NAME: &'static str;

    /// The schema, with everything that it refers to by name registered.
    fn schema(registry: &mut Registry) -> MetaSchema;

    /// Takes all fields, and notes what is missing.
    fn read(fields: &mut Fields) -> Self::Fields;
}
