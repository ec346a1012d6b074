//! Path parameters.

use std::borrow::Cow;

use poem::{Request, RequestBody, Result, error::NotFoundError};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchema, MetaSchemaRef},
};

use super::number::digits;
use crate::calendar::{slug, text};

/// poem-openapi's name of the first path parameter.
const FIRST: &str = "param0";

/// An ID in the path. Anything but digits returns 404.
pub struct IdInPath(pub i64);

/// A slug in the path.
pub struct SlugInPath(pub String);

fn parameter(request: &Request) -> Cow<'_, str> {
    request.raw_path_param(FIRST).unwrap_or_default().into()
}

impl<'a> ApiExtractor<'a> for IdInPath {
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
        let text = parameter(request);
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
        Ok(Self(slug::decoded(&text::clean_line(&parameter(request)))))
    }
}
