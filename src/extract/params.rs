//! The extractor of queries.

use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchema, MetaSchemaRef, Registry},
};

use super::{
    Parameters, form,
    parameters::{self, Purpose, properties},
    variant_of,
};
use crate::error::ValidationErrors;

/// The query parameters of a request. Unknown ones are ignored.
///
/// poem-openapi expects one argument per parameter. This extractor declares one parameter whose schema is an object,
/// and [`crate::api::flatten_parameters`] replaces it by the object's members.
#[derive(Clone)]
pub(crate) struct Params<T> {
    pub query: T,
    /// The validation errors so far.
    pub errors: ValidationErrors,
}

impl<T: Parameters> Params<T> {
    /// Reads the query of a request.
    pub(crate) fn of(request: &Request) -> Result<Self> {
        let mut fields = form::query(request.uri().query().unwrap_or_default());
        let query = parameters::read(&mut fields, variant_of(request)?, Purpose::Query);
        Ok(Self {
            query,
            errors: fields.errors,
        })
    }
}

impl<'a, T: Parameters> ApiExtractor<'a> for Params<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        properties::<T>(registry, Purpose::Query);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(MetaSchemaRef::Inline(Box::new(MetaSchema {
            properties: properties::<T>(&mut Registry::new(), Purpose::Query),
            ..MetaSchema::new("object")
        })))
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        Self::of(request)
    }
}
