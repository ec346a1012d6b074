//! Required fields that may be null.

use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::Serialize;
use serde_json::Value;

/// A value or null. poem-openapi's `Option` is not `required`, so generated clients would have to handle three cases
/// instead of two.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Nullable<T>(pub Option<T>);

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Self(value)
    }
}

impl<T: Type> Type for Nullable<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        format!("nullable_{}", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        match T::schema_ref() {
            MetaSchemaRef::Inline(mut schema) => {
                schema.nullable = true;
                MetaSchemaRef::Inline(schema)
            }
            // OpenAPI 3.0 allows no siblings of a reference, and `nullable` has no effect without a type. The
            // referenced schema is nullable too (openapi/document.overlay.yaml), because null must match both.
            reference @ MetaSchemaRef::Reference(_) => MetaSchemaRef::Inline(Box::new(MetaSchema {
                nullable: true,
                all_of: vec![reference],
                ..MetaSchema::new("object")
            })),
        }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_ref().and_then(T::as_raw_value)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        match &self.0 {
            Some(value) => value.raw_element_iter(),
            None => Box::new(std::iter::empty()),
        }
    }
}

impl<T: ParseFromJSON> ParseFromJSON for Nullable<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            None | Some(Value::Null) => Ok(Self(None)),
            value => T::parse_from_json(value)
                .map(|value| Self(Some(value)))
                .map_err(ParseError::propagate),
        }
    }
}

impl<T: ToJSON> ToJSON for Nullable<T> {
    fn to_json(&self) -> Option<Value> {
        match &self.0 {
            Some(value) => value.to_json(),
            None => Some(Value::Null),
        }
    }
}
