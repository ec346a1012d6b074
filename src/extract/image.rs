//! Naming an image.

use serde_json::Value;

use super::{FromInput, InputValue, number::whole, text::WebAddress};
use crate::error::FieldError;

/// An image by its ID or by its address; as an object that has one of them, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageReference {
    Id(i64),
    Url(String),
}

impl FromInput for ImageReference {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let source = raw.source;
        if let Value::Object(members) = raw.value {
            let named = ["id", "url"]
                .into_iter()
                .filter_map(|name| members.get(name))
                .find(|value| !value.is_null() && !value.is_object());
            return match named {
                Some(value) => Self::read(InputValue { value, source }),
                None => Err(FieldError::invalid("must have an id or a url")),
            };
        }
        if let Some(id) = whole(raw).filter(|id| *id >= 0) {
            return Ok(Self::Id(id));
        }
        WebAddress::read(raw).map(|url| Self::Url(url.0)).map_err(|_| {
            FieldError::invalid("must be the ID of an image, or a URL that starts with http:// or https://")
        })
    }
}
