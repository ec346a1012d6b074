//! JSON objects as text.

use std::borrow::Cow;

use poem_openapi::{
    registry::MetaSchemaRef,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::JsonObject;

/// A JSON object with any members, as text: a response contains it without parsing it.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct JsonText(Box<RawValue>);

impl JsonText {
    /// The text of an object. Fails if it serialises to something else.
    pub(crate) fn of(object: &impl Serialize) -> serde_json::Result<Self> {
        let text = to_raw_value(object)?;
        Self::checked(text).ok_or_else(|| serde::ser::Error::custom("a representation is an object"))
    }

    /// Reads an object; none if the text is something else.
    pub(crate) fn from_slice(text: &[u8]) -> Option<Self> {
        Self::checked(serde_json::from_slice(text).ok()?)
    }

    fn checked(text: Box<RawValue>) -> Option<Self> {
        text.get().starts_with('{').then_some(Self(text))
    }

    /// Parses it.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        serde_json::from_str(self.0.get())
    }
}

impl Default for JsonText {
    fn default() -> Self {
        Self(RawValue::from_string("{}".to_owned()).expect("an empty object is JSON"))
    }
}

impl Type for JsonText {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        JsonObject::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        JsonObject::schema_ref()
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for JsonText {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let object = JsonObject::parse_from_json(value).map_err(ParseError::propagate)?;
        Self::of(&object).map_err(ParseError::custom)
    }
}

impl ToJSON for JsonText {
    fn to_json(&self) -> Option<Value> {
        self.parse().ok()
    }
}
