//! Path parameters.

use std::borrow::Cow;

use poem::{Request, RequestBody, Result, error::NotFoundError};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchema, MetaSchemaRef},
};

use super::{number::digits, text::MAX_EXTERNAL};
use crate::calendar::{slug, text};

/// An ID in the path: the parameter with this index. Anything but digits returns 404.
pub struct IdInPath<const INDEX: usize = 0>(pub i64);

/// A slug in the path.
pub struct SlugInPath(pub String);

/// The name of another system in the path.
pub(crate) struct SourceInPath(pub String);

/// The ID in another system in the path, after its name.
pub(crate) struct ExternalIdInPath(pub String);

/// A path parameter. poem-openapi names them after their index.
fn parameter(request: &Request, index: usize) -> Cow<'_, str> {
    let name = format!("param{index}");
    request.raw_path_param(&name).unwrap_or_default().into()
}

/// Implements the extractor of a path parameter. `$read` gets the decoded text.
macro_rules! path_parameter {
    ([$($generics:tt)*] $name:ty, $index:expr, $schema:expr, $read:expr) => {
        impl<'a, $($generics)*> ApiExtractor<'a> for $name {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
            const PARAM_IS_REQUIRED: bool = true;
            type ParamType = ();
            type ParamRawType = ();

            fn param_in() -> Option<MetaParamIn> {
                Some(MetaParamIn::Path)
            }

            fn param_schema_ref() -> Option<MetaSchemaRef> {
                Some(MetaSchemaRef::Inline(Box::new($schema)))
            }

            async fn from_request(
                request: &'a Request,
                _body: &mut RequestBody,
                _options: ExtractParamOptions<()>,
            ) -> Result<Self> {
                let read: fn(&str) -> Option<Self> = $read;
                read(&parameter(request, $index)).ok_or_else(|| NotFoundError.into())
            }
        }
    };
}

path_parameter!(
    [const INDEX: usize] IdInPath<INDEX>,
    INDEX,
    MetaSchema {
        minimum: Some(1.0),
        example: Some(1.into()),
        ..MetaSchema::new_with_format("integer", "int64")
    },
    |text| digits(text).filter(|_| !text.starts_with(['+', '-'])).map(Self)
);
path_parameter!(
    [] SlugInPath,
    0,
    MetaSchema {
        pattern: Some("^[^/]+$".to_owned()),
        example: Some("spring-concert".into()),
        ..MetaSchema::new("string")
    },
    |text| Some(Self(slug::decoded(text)))
);
path_parameter!([] SourceInPath, 0, external("league"), |text| Some(Self(text::clean_line(text))));
path_parameter!([] ExternalIdInPath, 1, external("4711"), |text| Some(Self(text::clean_line(text))));

/// The schema of a name or an ID in another system.
fn external(example: &str) -> MetaSchema {
    MetaSchema {
        min_length: Some(1),
        max_length: Some(MAX_EXTERNAL),
        example: Some(example.into()),
        ..MetaSchema::new("string")
    }
}
