//! The meeting point of query, form and JSON body: named values, and what is wrong with them.

use std::collections::BTreeMap;

use poem_openapi::registry::{MetaSchema, Registry};
use serde_json::{Map, Value};

use super::Problem;

/// Where values come from. It decides how loosely they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Everything is text; an empty value is absent, and a list may be one text with commas.
    Query,
    /// Everything is text; an empty value clears.
    Form,
    /// Values have types; an empty text clears.
    Json,
}

/// One value as it came in.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    pub value: &'a Value,
    pub source: Source,
}

impl<'a> Raw<'a> {
    /// The value, if it is text. Of a parameter that is repeated the last text counts; in a query an empty one
    /// counts as absent.
    pub fn text(self) -> Option<&'a str> {
        match (self.value, self.source) {
            (Value::String(text), _) => Some(text),
            (Value::Array(values), Source::Query) => values
                .iter()
                .rev()
                .filter_map(Value::as_str)
                .find(|text| !text.trim().is_empty()),
            (Value::Array(values), Source::Form) => values.last().and_then(Value::as_str),
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
        if self.source == Source::Json {
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
            Value::Array(values) if self.source != Source::Json => {
                let is_empty = |text: &str| text.trim().is_empty();
                values.iter().all(|value| value.as_str().is_some_and(is_empty))
            }
            _ => false,
        }
    }
}

/// What is wrong with one value: what would have been right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: &'static str,
    pub message: String,
}

impl Fault {
    /// A value of the wrong form or out of range. The message goes on after the name of the field.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: "rest_invalid_param",
            message: message.into(),
        }
    }

    /// A value of the wrong type.
    pub fn wrong_type(message: impl Into<String>) -> Self {
        Self {
            code: "rest_invalid_type",
            message: message.into(),
        }
    }

    fn missing() -> Self {
        Self {
            code: MISSING,
            message: "is required".to_owned(),
        }
    }
}

const MISSING: &str = "rest_missing_callback_param";

/// A type of value that can be read from the border.
pub trait Leaf: Sized {
    /// Reads a value that is there and not empty.
    fn read(raw: Raw<'_>) -> Result<Self, Fault>;
}

/// A field of a request: left out, cleared, or given.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Field<T> {
    #[default]
    Absent,
    /// `null` or an empty text.
    Cleared,
    Given(T),
}

impl<T> Field<T> {
    /// The value, if one is given.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Cleared => None,
        }
    }

    /// The value, if one is given.
    pub fn as_given(&self) -> Option<&T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Cleared => None,
        }
    }

    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Puts the value, or what a cleared field holds, where it belongs; leaves it where nothing is said.
    pub fn write_to(self, place: &mut T)
    where
        T: Default,
    {
        match self {
            Self::Absent => {}
            Self::Cleared => *place = T::default(),
            Self::Given(value) => *place = value,
        }
    }

    /// The same for a place that may be empty.
    pub fn write_to_option(self, place: &mut Option<T>) {
        match self {
            Self::Absent => {}
            Self::Cleared => *place = None,
            Self::Given(value) => *place = Some(value),
        }
    }

    /// Turns the value into another one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Cleared => Field::Cleared,
            Self::Given(value) => Field::Given(change(value)),
        }
    }
}

/// What is wrong with a request, by field. All faults are told at once.
#[derive(Clone, Debug, Default)]
pub struct Faults(BTreeMap<String, Fault>);

impl Faults {
    /// Notes a fault. The first one of a field counts.
    pub fn add(&mut self, field: &str, fault: Fault) {
        self.0.entry(field.to_owned()).or_insert(fault);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether something is wrong with this field.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// All faults by field, as text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fault)> {
        self.0.iter().map(|(name, fault)| (name.as_str(), fault))
    }

    /// The code of nested data that can't be used, where nothing else is wrong.
    fn common_nested_code(&self) -> Option<&'static str> {
        let code = self.0.values().next()?.code;
        let is_common = self.0.values().all(|fault| fault.code == code);
        (is_common && code.starts_with("could-not-create-")).then_some(code)
    }

    /// Nothing, or the 400 that names every fault.
    pub fn into_result(self) -> Result<(), Problem> {
        if self.is_empty() {
            return Ok(());
        }
        let names = |code: Option<&str>| {
            self.0
                .iter()
                .filter(|(_, fault)| code.is_none_or(|code| fault.code == code))
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let missing = names(Some(MISSING));
        let code = if !missing.is_empty() {
            MISSING
        } else {
            self.common_nested_code().unwrap_or("rest_invalid_param")
        };
        let message = match missing.as_str() {
            "" => format!("Invalid parameter(s): {}", names(None)),
            missing => format!("Missing parameter(s): {missing}"),
        };
        let problem = Problem::bad_request(code, message);
        Err(problem.with_faults(&self))
    }
}

/// Named values, and what was found wrong with those that were taken.
#[derive(Debug)]
pub struct Fields {
    values: Map<String, Value>,
    source: Source,
    pub faults: Faults,
}

impl Fields {
    pub fn new(values: Map<String, Value>, source: Source) -> Self {
        Self {
            values,
            source,
            faults: Faults::default(),
        }
    }

    /// The values as they came in.
    pub fn into_values(self) -> Map<String, Value> {
        self.values
    }

    /// Takes a field. A value that can't be read is a fault, and the field counts as absent.
    pub fn take<T: Leaf>(&mut self, name: &str) -> Field<T> {
        let Some(value) = self.values.get(name) else {
            return Field::Absent;
        };
        let raw = Raw {
            value,
            source: self.source,
        };
        if raw.is_empty() {
            return match self.source {
                Source::Query => Field::Absent,
                Source::Form | Source::Json => Field::Cleared,
            };
        }
        match T::read(raw) {
            Ok(value) => Field::Given(value),
            Err(fault) => {
                self.faults.add(name, fault);
                Field::Absent
            }
        }
    }

    /// Gives a field that is absent the value that is declared for it.
    pub fn default(&mut self, name: &str, value: Value) {
        let is_absent = match (self.values.get(name), self.source) {
            (None, _) => true,
            (Some(value), Source::Query) => {
                let source = self.source;
                Raw { value, source }.is_empty()
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
                Raw { value, source }.is_empty()
            });
            if absent {
                self.faults.add(name, Fault::missing());
            }
        }
    }

    /// Notes that a field that can't be cleared is given as null or empty.
    pub fn keep(&mut self, names: &[&str]) {
        for name in names {
            if let Some(value) = self.values.get(*name)
                && (Raw {
                    value,
                    source: self.source,
                })
                .is_empty()
            {
                self.faults.add(name, Fault::invalid("can be changed, but not cleared"));
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
