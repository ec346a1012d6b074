//! Responses: their status, headers, media types and cache policy, and documents in XML.

pub(crate) mod body;
pub(crate) mod cache_policy;
pub(crate) mod entity_tag;
pub(crate) mod event_stream;
pub(crate) mod handling;
pub(crate) mod headers;
pub(crate) mod media_type;
pub(crate) mod meta;
pub(crate) mod nullable;
pub(crate) mod raw_members;
pub(crate) mod reply;
pub(crate) mod selection;
pub(crate) mod xml;

pub(crate) use body::body_length;
pub(crate) use cache_policy::CachePolicy;
pub(crate) use entity_tag::entity_tag;
pub(crate) use event_stream::{EventStream, is_event_stream};
pub(crate) use handling::Handling;
pub(crate) use media_type::{MediaType, Representation};
pub(crate) use meta::ResponseMeta;
pub(crate) use nullable::Nullable;
pub(crate) use reply::{
    Created, CreatedOrUpdated, Deleted, DeletedBySlug, DeletedPrivate, DeletedTerm, Found, FoundBySlug, FoundChanges,
    FoundDocument, FoundIndex, FoundPrivate, FoundTerm, FoundUser, Listed, ListedOfSeries, ListedPrivate, ListedTerms,
    MultiStatus, Previewed, Reply, ResponseKind, Sent, Updated, UpdatedBySlug, UpdatedPrivate, UpdatedSeries,
    UpdatedTerm,
};
