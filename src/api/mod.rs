//! The interface: annotated endpoints, one file a resource, from which poem-openapi makes both the routing and
//! the document.

pub mod categories;
pub mod described;
pub mod document;
pub mod error_examples;
pub mod events;
pub mod flatten_parameters;
pub mod index;
pub mod linked_resources;
pub mod normalize_document;
pub mod organizers;
pub mod overlay;
pub mod publishable;
pub mod tags;
pub mod terms;
pub mod variant;
pub mod venues;

use poem_openapi::{OpenApiService, Tags};

use self::{flatten_parameters::Spread, variant::Variant};

/// The groups of operations in the document.
#[derive(Tags)]
pub enum Tag {
    /// What there is: the index of the interface, and its description.
    Index,
    /// What happens when. Events link to venues, organizers, categories and tags.
    Events,
    /// Where events happen.
    Venues,
    /// Who holds events.
    Organizers,
    /// A tree of words that sort events.
    Categories,
    /// Loose words that sort events.
    Tags,
}

/// All endpoints of a variant.
pub type Api<V> = Spread<(
    index::IndexApi<V>,
    events::EventsApi<V>,
    venues::VenuesApi<V>,
    organizers::OrganizersApi<V>,
    categories::CategoriesApi<V>,
    tags::TagsApi<V>,
)>;

/// The service with all endpoints of a variant.
pub fn service<V: Variant>() -> OpenApiService<Api<V>, ()> {
    let api = Spread((
        index::IndexApi::default(),
        events::EventsApi::default(),
        venues::VenuesApi::default(),
        organizers::OrganizersApi::default(),
        categories::CategoriesApi::default(),
        tags::TagsApi::default(),
    ));
    OpenApiService::new(api, "Almanac", "1").server("/")
}
