//! The query of a request, as the struct of its parameters.

use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchemaRef, Registry},
};

use super::{Described, form};
use crate::error::ValidationErrors;

/// The query parameters that `T` describes in the variant `V`. Unknown ones are ignored.
///
/// poem-openapi takes one argument a parameter; to it this is one parameter whose schema is an object, which
/// [`crate::api::flatten_parameters`] spreads into its members.
pub struct Params<T: Described<V>, V> {
    pub query: T::Fields,
    /// What is wrong with them so far.
    pub errors: ValidationErrors,
}

impl<'a, T: Described<V>, V> ApiExtractor<'a> for Params<T, V> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::schema(registry);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let schema = T::schema(&mut Registry::new());
        Some(MetaSchemaRef::Inline(Box::new(schema)))
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let text = request.uri().query().unwrap_or_default();
        let mut fields = form::query(text);
        let query = T::read(&mut fields);
        Ok(Self {
            query,
            errors: fields.errors,
        })
    }
}
