//! References to images.

use poem_openapi::registry::{MetaSchema, Registry};
use serde_json::Value;

use super::{FromInput, InputValue, number::integer, text::WebAddress};
use crate::error::FieldError;

/// An image by ID or URL. Objects with one of them are accepted too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImageReference {
    Id(i64),
    Url(String),
}

impl FromInput for ImageReference {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            description: Some(
                "Featured image: the ID of a known image, or an `http` or `https` URL, which is stored but never \
                 fetched. An object with `id` or `url`, as in responses, is accepted too.",
            ),
            ..MetaSchema::new("string")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let format = input.format;
        if let Value::Object(members) = input.value {
            let reference = ["id", "url"]
                .into_iter()
                .filter_map(|name| members.get(name))
                .find(|value| !value.is_null() && !value.is_object());
            return match reference {
                Some(value) => Self::from_input(InputValue { value, format }),
                None => Err(FieldError::invalid("must have an id or a url")),
            };
        }
        if let Some(id) = integer(input).filter(|id| *id >= 0) {
            return Ok(Self::Id(id));
        }
        WebAddress::from_input(input).map(|url| Self::Url(url.0)).map_err(|_| {
            FieldError::invalid("must be the ID of an image, or a URL that starts with http:// or https://")
        })
    }
}
