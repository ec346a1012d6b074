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
pub mod number;
pub mod params;
pub mod path;
pub mod references;
pub mod text;

pub use body::Body;
pub use input::{ApplyTo, Described, Fields, FromInput, InputFormat, InputValue};
pub use json_object::JsonObject;
pub use leniency::Leniency;
pub use params::Params;
pub use path::{IdInPath, SlugInPath};
pub use poem_openapi::types::MaybeUndefined;
