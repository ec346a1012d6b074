//! How values cross the border between HTTP and Rust.
//!
//! A query, a form and a JSON body all become one [`Fields`], from which the structs that `build.rs` writes
//! out of `openapi/` take their values through [`Leaf`] types. Answers are structs of [`crate::view`] in a
//! [`Reply`]; everything that goes wrong is a [`Problem`].

pub mod body;
pub mod choice;
pub mod dates;
pub mod fields;
pub mod flag;
pub mod form;
pub mod freshness;
pub mod headers;
pub mod images;
pub mod json_object;
pub mod leniency;
pub mod nullable;
pub mod numbers;
pub mod params;
pub mod path;
pub mod problem;
pub mod references;
pub mod reply;
pub mod texts;

pub use body::Body;
pub use fields::{Described, Fault, Faults, Field, Fields, Leaf, Raw, Source};
pub use freshness::Freshness;
pub use json_object::JsonObject;
pub use leniency::Leniency;
pub use nullable::Nullable;
pub use params::Params;
pub use path::{IdInPath, SlugInPath};
pub use problem::Problem;
pub use reply::{
    Created, Deleted, DeletedBySlug, DeletedTerm, Found, FoundBySlug, FoundDocument, FoundIndex, FoundTerm, Listed,
    ListedTerms, Outcome, Reply, Updated, UpdatedBySlug, UpdatedTerm,
};
