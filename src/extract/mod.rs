//! Extractors and value types: how the query, the path and the body of a request become typed values.
//!
//! A query, a form and a JSON body all become one [`Fields`], from which request structs take their values through
//! [`FromInput`] types.

pub mod body;
pub mod choice;
pub mod date_time;
pub mod form;
pub mod image;
pub mod input;
pub mod json_object;
pub mod leniency;
pub mod lenient_bool;
pub mod linked_references;
pub mod number;
pub mod parameters;
pub mod params;
pub mod path;
pub mod payload;
pub mod references;
pub mod text;

use poem::Request;

pub use body::{Create, Update};
pub use input::{ApplyTo, Fields, FromInput, InputFormat, InputValue};
pub use json_object::JsonObject;
pub use leniency::Leniency;
pub use parameters::{Parameter, Parameters};
pub use params::Params;
pub use path::{IdInPath, SlugInPath};
pub use payload::{NestedPayload, Payload};
pub use poem_openapi::types::MaybeUndefined;

use crate::{calendar::Variant, error::Problem};

/// The variant that serves the request. It is data of the route ([`crate::server`]).
///
/// # Errors
/// An internal error on a route without a variant.
pub fn variant_of(request: &Request) -> Result<Variant, Problem> {
    let variant = request.data().copied();
    variant.ok_or_else(|| Problem::internal("the route has no variant"))
}
