//! The extractor of queries.

use std::marker::PhantomData;

use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSchema, MetaSchemaRef, Registry},
};

use super::{
    Parameter, Parameters, Selectable, UnknownNames, form,
    members::MemberNames,
    parameters::{self, Purpose, properties},
    unknown_names, variant_of,
};
use crate::error::ValidationErrors;

/// The query parameters of a request: those of `T`, and `fields` if the response has a choice of the members of `V`.
/// Unknown ones are ignored, unless the client prefers strict handling ([`UnknownNames`]).
///
/// poem-openapi expects one argument per parameter. This extractor declares one parameter whose schema is an object,
/// and [`crate::api::flatten_parameters`] replaces it by the object's members.
#[derive(Clone)]
pub(crate) struct Params<T, V = ()> {
    pub query: T,
    /// The members that the client selects. None for all.
    pub fields: Option<Vec<&'static str>>,
    /// The validation errors so far.
    pub errors: ValidationErrors,
    representation: PhantomData<fn() -> V>,
}

impl<T: Parameters, V: Selectable> Params<T, V> {
    /// Reads the query of a request.
    pub(crate) fn of(request: &Request) -> Result<Self> {
        let variant = variant_of(request)?;
        let mut fields = form::query(request.uri().query().unwrap_or_default());
        let mut errors = ValidationErrors::default();
        if let Some(unknown_names) = request.data::<UnknownNames>() {
            let known = Self::declared().filter(|parameter| parameter.exists_in(variant));
            let known: Vec<&str> = known.map(|parameter| parameter.name).collect();
            let unknown = unknown_names::parameters(fields.values().keys(), &known);
            unknown_names.report(unknown, &mut errors);
        }
        fields.errors = errors;
        let query = parameters::read(&mut fields, variant, Purpose::Query);
        let names = V::parameters()
            .iter()
            .find_map(|parameter| fields.take::<MemberNames<V>>(parameter.name).take())
            .map(|MemberNames { names, .. }| names);
        Ok(Self {
            query,
            fields: names.filter(|names| !names.is_empty()),
            errors: fields.errors,
            representation: PhantomData,
        })
    }

    /// Replaces the query, such as by a part of it.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Params<U, V> {
        let Self {
            query,
            fields,
            errors,
            representation,
        } = self;
        Params {
            query: change(query),
            fields,
            errors,
            representation,
        }
    }

    fn declared() -> impl Iterator<Item = &'static Parameter> {
        T::parameters().iter().chain(V::parameters())
    }
}

impl<'a, T: Parameters, V: Selectable> ApiExtractor<'a> for Params<T, V> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        properties(Self::declared(), registry, Purpose::Query);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(MetaSchemaRef::Inline(Box::new(MetaSchema {
            properties: properties(Self::declared(), &mut Registry::new(), Purpose::Query),
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
