//! Naming an image.

use serde_json::Value;

use super::{Fault, Leaf, Raw, numbers::whole, texts::WebAddress};

/// An image by its ID or by its address; as an object that has one of them, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageReference {
    Id(i64),
    Url(String),
}

impl Leaf for ImageReference {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let source = raw.source;
        if let Value::Object(members) = raw.value {
            let named = ["id", "url"]
                .into_iter()
                .filter_map(|name| members.get(name))
                .find(|value| !value.is_null() && !value.is_object());
            return match named {
                Some(value) => Self::read(Raw { value, source }),
                None => Err(Fault::invalid("must have an id or a url")),
            };
        }
        if let Some(id) = whole(raw).filter(|id| *id >= 0) {
            return Ok(Self::Id(id));
        }
        WebAddress::read(raw)
            .map(|url| Self::Url(url.0))
            .map_err(|_| Fault::invalid("must be the ID of an image, or a URL that starts with http:// or https://"))
    }
}
