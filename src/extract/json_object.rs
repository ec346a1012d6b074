//! JSON objects with any members.

use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{FromInput, InputValue};
use crate::error::FieldError;

/// The maximum size of an object as JSON text, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// A JSON object with any members.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct JsonObject(pub Map<String, Value>);

impl FromInput for JsonObject {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
            ..MetaSchema::new("object")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        match input.value {
            Value::Object(members) => {
                let object = Self(members.clone());
                if input.value.to_string().len() > MAX_BYTES {
                    return Err(FieldError::invalid(format!(
                        "must have at most {MAX_BYTES} bytes as JSON text"
                    )));
                }
                Ok(object)
            }
            // PHP encodes an empty object as an empty list.
            Value::Array(values) if values.is_empty() => Ok(Self::default()),
            _ => Err(FieldError::wrong_type("must be an object")),
        }
    }
}

impl Type for JsonObject {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "object".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
            ..MetaSchema::new("object")
        }))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for JsonObject {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Object(members)) => Ok(Self(members)),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

impl ToJSON for JsonObject {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(self.0.clone()))
    }
}
