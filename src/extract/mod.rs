//! Extractors and value types, which convert the query, path and body of a request to typed values.
//!
//! A query, a form and a JSON body all become one [`Fields`], from which request structs take their values through
//! [`FromInput`] types.

pub(crate) mod authors;
pub(crate) mod body;
pub(crate) mod choice;
pub(crate) mod date_time;
pub(crate) mod form;
pub(crate) mod image;
pub(crate) mod input;
pub(crate) mod json_object;
pub(crate) mod json_text;
pub(crate) mod leniency;
pub(crate) mod lenient_bool;
pub(crate) mod linked_references;
pub(crate) mod members;
pub(crate) mod number;
pub(crate) mod parameters;
pub(crate) mod params;
pub(crate) mod path;
pub(crate) mod payload;
pub(crate) mod recurrence;
pub(crate) mod references;
pub(crate) mod text;
pub(crate) mod unknown_names;

use poem::Request;

pub(crate) use body::{Create, EitherPayload, Update};
pub(crate) use input::{ApplyTo, Fields, FromInput, InputFormat, InputValue};
pub(crate) use json_object::JsonObject;
pub(crate) use json_text::JsonText;
pub(crate) use leniency::Leniency;
pub(crate) use members::{Members, Selectable, selectable};
pub(crate) use parameters::{Parameter, Parameters};
pub(crate) use params::Params;
pub(crate) use path::{ExternalIdInPath, IdInPath, SlugInPath, SourceInPath};
pub(crate) use payload::{NestedPayload, Payload};
pub(crate) use poem_openapi::types::MaybeUndefined;
pub(crate) use unknown_names::UnknownNames;

use crate::{calendar::Variant, error::Problem};

/// The variant of the request, which its route sets as data ([`crate::server`]).
///
/// # Errors
/// An internal error on a route without a variant.
pub(crate) fn variant_of(request: &Request) -> Result<Variant, Problem> {
    let variant = request.data().copied();
    variant.ok_or_else(|| Problem::internal("the route has no variant"))
}
