//! The endpoints, one file or directory per resource. poem-openapi generates the routes and the document from their
//! annotations.

pub(crate) mod batch;
pub(crate) mod by_external_id;
pub(crate) mod categories;
pub(crate) mod changes;
pub(crate) mod document;
pub(crate) mod error_examples;
pub(crate) mod events;
pub(crate) mod external_id;
pub(crate) mod flatten_parameters;
pub(crate) mod idempotency;
pub(crate) mod index;
pub(crate) mod linked_resources;
pub(crate) mod me;
pub(crate) mod modification;
pub(crate) mod normalize_document;
pub(crate) mod operations;
pub(crate) mod organizers;
pub(crate) mod overlay;
pub(crate) mod paging;
pub(crate) mod publishable;
pub(crate) mod series;
pub(crate) mod shared_responses;
pub(crate) mod tags;
pub(crate) mod terms;
pub(crate) mod unknown_names;
pub(crate) mod venues;
pub(crate) mod webhooks;

use poem_openapi::{OpenApiService, Tags};

use self::flatten_parameters::FlattenParameters;

/// The groups of operations in the document.
#[derive(Tags)]
pub(crate) enum Tag {
    /// The index of the interface and the interface description.
    Index,
    /// The user of a request.
    Users,
    /// Events, with their links to venues, organizers, categories and tags.
    Events,
    /// Series of events, which follow a rule.
    Series,
    /// Places where events happen.
    Venues,
    /// People and organizations that hold events.
    Organizers,
    /// Hierarchical terms that classify events.
    Categories,
    /// Flat terms that classify events.
    Tags,
    /// Changes of the calendar, for programs that keep a copy of it.
    Changes,
    /// Messages about changes to other programs.
    Webhooks,
    /// Several writes in one request.
    Batches,
}

/// All endpoints.
pub(crate) type Api = FlattenParameters<(
    index::IndexApi,
    me::MeApi,
    events::EventsApi,
    series::SeriesApi,
    venues::VenuesApi,
    organizers::OrganizersApi,
    categories::CategoriesApi,
    tags::TagsApi,
    changes::ChangesApi,
    webhooks::WebhooksApi,
    by_external_id::ByExternalIdApi,
    batch::BatchApi,
)>;

/// The service with all endpoints. The variant is request data.
pub(crate) fn service() -> OpenApiService<Api, ()> {
    let api = FlattenParameters((
        index::IndexApi,
        me::MeApi,
        events::EventsApi::default(),
        series::SeriesApi,
        venues::VenuesApi,
        organizers::OrganizersApi,
        categories::CategoriesApi,
        tags::TagsApi,
        changes::ChangesApi,
        webhooks::WebhooksApi,
        by_external_id::ByExternalIdApi,
        batch::BatchApi,
    ));
    OpenApiService::new(api, "Almanac", "1").server("/")
}
