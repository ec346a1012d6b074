//! Responses: their status, headers, media types and cache policy.

pub mod body;
pub mod cache_policy;
pub mod headers;
pub mod media_type;
pub mod meta;
pub mod nullable;
pub mod reply;

pub use body::body_length;
pub use cache_policy::CachePolicy;
pub use media_type::{MediaType, Representation};
pub use meta::ResponseMeta;
pub use nullable::Nullable;
pub use reply::{
    Created, Deleted, DeletedBySlug, DeletedTerm, Found, FoundBySlug, FoundDocument, FoundIndex, FoundTerm, Listed,
    ListedTerms, Reply, ResponseKind, Updated, UpdatedBySlug, UpdatedTerm,
};
