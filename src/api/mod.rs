//! The endpoints, one file per resource. poem-openapi generates the routes and the document from their annotations.

pub mod categories;
pub mod document;
pub mod error_examples;
pub mod events;
pub mod flatten_parameters;
pub mod index;
pub mod linked_resources;
pub mod normalize_document;
pub mod operations;
pub mod organizers;
pub mod overlay;
pub mod paging;
pub mod publishable;
pub mod shared_responses;
pub mod tags;
pub mod terms;
pub mod venues;

use poem_openapi::{OpenApiService, Tags};

use self::flatten_parameters::FlattenParameters;

/// The groups of operations in the document.
#[derive(Tags)]
pub enum Tag {
    /// The index of the interface and the interface description.
    Index,
    /// Events, with their links to venues, organizers, categories and tags.
    Events,
    /// Places where events happen.
    Venues,
    /// People and organizations that hold events.
    Organizers,
    /// Hierarchical terms that classify events.
    Categories,
    /// Flat terms that classify events.
    Tags,
}

/// All endpoints.
pub type Api = FlattenParameters<(
    index::IndexApi,
    events::EventsApi,
    venues::VenuesApi,
    organizers::OrganizersApi,
    categories::CategoriesApi,
    tags::TagsApi,
)>;

/// The service with all endpoints. The variant is request data.
pub fn service() -> OpenApiService<Api, ()> {
    let api = FlattenParameters((
        index::IndexApi,
        events::EventsApi,
        venues::VenuesApi,
        organizers::OrganizersApi,
        categories::CategoriesApi,
        tags::TagsApi,
    ));
    OpenApiService::new(api, "Almanac", "1").server("/")
}
