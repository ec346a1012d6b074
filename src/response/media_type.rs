//! Media types of responses. The default is JSON.

use poem_openapi::{registry::MetaSchemaRef, types::Type};
use serde::Serialize;

use crate::error::Problem;

pub(crate) const JSON: &str = "application/json";

/// The negotiated media type of a response, which middleware sets as data of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MediaType(pub &'static str);

impl Default for MediaType {
    fn default() -> Self {
        Self(JSON)
    }
}

/// One media type of a representation.
pub(crate) struct Format<T> {
    pub media_type: &'static str,
    /// The schema in the document.
    pub schema: fn() -> MetaSchemaRef,
    pub write: fn(&T) -> Result<Vec<u8>, Problem>,
}

impl<T: Type + Serialize> Format<T> {
    pub(crate) const JSON: Self = Self {
        media_type: JSON,
        schema: T::schema_ref,
        write: |value| {
            /// Most objects fit, and lists grow from here.
            const CAPACITY: usize = 8 * 1024;
            let mut bytes = Vec::with_capacity(CAPACITY);
            serde_json::to_writer(&mut bytes, value).map_err(Problem::internal)?;
            Ok(bytes)
        },
    };
}

/// The body of a response. A type with formats besides JSON overrides `FORMATS`, and its operations list the media
/// types in `openapi/specification.yaml`; handlers need no change.
pub(crate) trait Representation: Type + Serialize + Sized + 'static {
    /// The formats, the default first.
    const FORMATS: &'static [Format<Self>] = &[Format::JSON];
    /// The member with the items of a list, from whose members the parameter `fields` selects.
    const ITEMS: Option<&'static str> = None;

    /// The format of a media type, or the default.
    fn format(media_type: MediaType) -> &'static Format<Self> {
        let format = Self::FORMATS.iter().find(|format| format.media_type == media_type.0);
        format.unwrap_or(&Self::FORMATS[0])
    }
}
