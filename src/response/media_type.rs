//! Media types in which responses are served. JSON is one of them.

use poem_openapi::{registry::MetaSchemaRef, types::Type};
use serde::Serialize;

use crate::error::Problem;

pub(crate) const JSON: &str = "application/json";

/// The media type that a request accepts, of those that its operation serves. Data of the request.
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
    /// What the document declares.
    pub schema: fn() -> MetaSchemaRef,
    pub write: fn(&T) -> Result<Vec<u8>, Problem>,
}

impl<T: Type + Serialize> Format<T> {
    pub(crate) const JSON: Self = Self {
        media_type: JSON,
        schema: T::schema_ref,
        write: |value| serde_json::to_vec(value).map_err(Problem::internal),
    };
}

/// A value that responses carry. A type that is served as more than JSON overrides the formats, and its operations list
/// the media types in `openapi/specification.yaml`; handlers stay as they are.
pub(crate) trait Representation: Type + Serialize + Sized + 'static {
    /// The formats, the default first.
    const FORMATS: &'static [Format<Self>] = &[Format::JSON];

    /// The format of a media type, or the default.
    fn format(media_type: MediaType) -> &'static Format<Self> {
        let wanted = Self::FORMATS.iter().find(|format| format.media_type == media_type.0);
        wanted.unwrap_or(&Self::FORMATS[0])
    }
}
