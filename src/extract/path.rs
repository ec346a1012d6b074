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

impl<'a, const INDEX: usize> ApiExtractor<'a> for IdInPath<INDEX> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;
    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(MetaSchemaRef::Inline(Box::new(MetaSchema {
            minimum: Some(1.0),
            example: Some(1.into()),
            ..MetaSchema::new_with_format("integer", "int64")
        })))
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let text = parameter(request, INDEX);
        if text.starts_with(['+', '-']) {
            return Err(NotFoundError.into());
        }
        digits(&text).map(Self).ok_or_else(|| NotFoundError.into())
    }
}

impl<'a> ApiExtractor<'a> for SlugInPath {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;
    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(MetaSchemaRef::Inline(Box::new(MetaSchema {
            pattern: Some("^[^/]+$".to_owned()),
            example: Some("spring-concert".into()),
            ..MetaSchema::new("string")
        })))
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        Ok(Self(slug::decoded(&text::clean_line(&parameter(request, 0)))))
    }
}

macro_rules! text_in_path {
    ($name:ident, $index:literal, $example:literal) => {
        impl<'a> ApiExtractor<'a> for $name {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
            const PARAM_IS_REQUIRED: bool = true;
            type ParamType = ();
            type ParamRawType = ();

            fn param_in() -> Option<MetaParamIn> {
                Some(MetaParamIn::Path)
            }

            fn param_schema_ref() -> Option<MetaSchemaRef> {
                Some(MetaSchemaRef::Inline(Box::new(MetaSchema {
                    min_length: Some(1),
                    max_length: Some(MAX_EXTERNAL),
                    example: Some($example.into()),
                    ..MetaSchema::new("string")
                })))
            }

            async fn from_request(
                request: &'a Request,
                _body: &mut RequestBody,
                _options: ExtractParamOptions<()>,
            ) -> Result<Self> {
                Ok(Self(text::clean_line(&parameter(request, $index))))
            }
        }
    };
}

text_in_path!(SourceInPath, 0, "league");
text_in_path!(ExternalIdInPath, 1, "4711");
