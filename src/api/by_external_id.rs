//! Events, venues and organizers by their IDs in other systems.

use poem_openapi::OpenApi;

use super::{
    Tag,
    events::{self, EventPayload, ScopeQuery},
    organizers::OrganizerPayload,
    publishable,
    venues::VenuePayload,
};
use crate::{
    auth::{Reader, Writer},
    error::{Problem, ValidationErrors},
    extract::{ExternalIdInPath, Params, SourceInPath, Update},
    response::{CreatedOrUpdated, Deleted, Found},
    store::{
        entity::{event, organizer, venue},
        publishable::{ExternalId, Key},
    },
    views::{event::EventView, organizer::OrganizerView, venue::VenueView},
};

/// The endpoints at paths with an ID in another system.
pub(crate) struct ByExternalIdApi;

#[OpenApi(prefix_path = "/calendar/events/v1")]
impl ByExternalIdApi {
    /// Get an event by its ID in another system
    ///
    /// Like the lookup by ID, but by `external_source` and `external_id`. Both are percent-encoded in the path.
    #[oai(
        path = "/events/by-external-id/:source/:external_id",
        method = "get",
        operation_id = "getEventByExternalId",
        tag = "Tag::Events"
    )]
    async fn read_event(
        &self,
        reader: Reader,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<(), EventView>,
    ) -> Result<Found<EventView>, Problem> {
        publishable::read::<event::Entity, _>(&reader, key(source, external_id), params).await
    }

    /// Create or update an event by its ID in another system
    ///
    /// Creates the event with this `external_source` and `external_id`, which needs the fields of a create, or changes the
    /// given fields of the one that has them. So it need not be searched for before. In the trash, it returns 410 unless
    /// `status` restores it. With `If-Match`, the update applies only to the version that you have read.
    #[oai(
        path = "/events/by-external-id/:source/:external_id",
        method = "put",
        operation_id = "putEventByExternalId",
        tag = "Tag::Events"
    )]
    async fn put_event(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<()>,
        body: Update<EventPayload>,
    ) -> Result<CreatedOrUpdated<EventView>, Problem> {
        let id = id(source, external_id);
        publishable::put::<event::Entity>(&writer, id, params.errors, body).await
    }

    /// Delete an event by its ID in another system
    ///
    /// Moves it to the trash, in which it keeps `external_source` and `external_id`. A second deletion returns 410.
    #[oai(
        path = "/events/by-external-id/:source/:external_id",
        method = "delete",
        operation_id = "deleteEventByExternalId",
        tag = "Tag::Events"
    )]
    async fn delete_event(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<ScopeQuery>,
    ) -> Result<Deleted<EventView>, Problem> {
        events::delete(&writer, key(source, external_id), params).await
    }

    /// Get a venue by its ID in another system
    ///
    /// Like the lookup by ID, but by `external_source` and `external_id`. Both are percent-encoded in the path.
    #[oai(
        path = "/venues/by-external-id/:source/:external_id",
        method = "get",
        operation_id = "getVenueByExternalId",
        tag = "Tag::Venues"
    )]
    async fn read_venue(
        &self,
        reader: Reader,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<(), VenueView>,
    ) -> Result<Found<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, key(source, external_id), params).await
    }

    /// Create or update a venue by its ID in another system
    ///
    /// Creates the venue with this `external_source` and `external_id`, which needs the fields of a create, or changes the
    /// given fields of the one that has them. So it need not be searched for before. In the trash, it returns 410 unless
    /// `status` restores it. With `If-Match`, the update applies only to the version that you have read.
    #[oai(
        path = "/venues/by-external-id/:source/:external_id",
        method = "put",
        operation_id = "putVenueByExternalId",
        tag = "Tag::Venues"
    )]
    async fn put_venue(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        body: Update<VenuePayload>,
    ) -> Result<CreatedOrUpdated<VenueView>, Problem> {
        let id = id(source, external_id);
        publishable::put::<venue::Entity>(&writer, id, ValidationErrors::default(), body).await
    }

    /// Delete a venue by its ID in another system
    ///
    /// Moves it to the trash, in which it keeps `external_source` and `external_id`. A second deletion returns 410.
    #[oai(
        path = "/venues/by-external-id/:source/:external_id",
        method = "delete",
        operation_id = "deleteVenueByExternalId",
        tag = "Tag::Venues"
    )]
    async fn delete_venue(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<()>,
    ) -> Result<Deleted<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, key(source, external_id), params).await
    }

    /// Get an organizer by its ID in another system
    ///
    /// Like the lookup by ID, but by `external_source` and `external_id`. Both are percent-encoded in the path.
    #[oai(
        path = "/organizers/by-external-id/:source/:external_id",
        method = "get",
        operation_id = "getOrganizerByExternalId",
        tag = "Tag::Organizers"
    )]
    async fn read_organizer(
        &self,
        reader: Reader,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<(), OrganizerView>,
    ) -> Result<Found<OrganizerView>, Problem> {
        publishable::read::<organizer::Entity, _>(&reader, key(source, external_id), params).await
    }

    /// Create or update an organizer by its ID in another system
    ///
    /// Creates the organizer with this `external_source` and `external_id`, which needs the fields of a create, or changes the
    /// given fields of the one that has them. So it need not be searched for before. In the trash, it returns 410 unless
    /// `status` restores it. With `If-Match`, the update applies only to the version that you have read.
    #[oai(
        path = "/organizers/by-external-id/:source/:external_id",
        method = "put",
        operation_id = "putOrganizerByExternalId",
        tag = "Tag::Organizers"
    )]
    async fn put_organizer(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        body: Update<OrganizerPayload>,
    ) -> Result<CreatedOrUpdated<OrganizerView>, Problem> {
        let id = id(source, external_id);
        publishable::put::<organizer::Entity>(&writer, id, ValidationErrors::default(), body).await
    }

    /// Delete an organizer by its ID in another system
    ///
    /// Moves it to the trash, in which it keeps `external_source` and `external_id`. A second deletion returns 410.
    #[oai(
        path = "/organizers/by-external-id/:source/:external_id",
        method = "delete",
        operation_id = "deleteOrganizerByExternalId",
        tag = "Tag::Organizers"
    )]
    async fn delete_organizer(
        &self,
        writer: Writer,
        /// Name of the other system.
        source: SourceInPath,
        /// ID in the other system.
        external_id: ExternalIdInPath,
        params: Params<()>,
    ) -> Result<Deleted<OrganizerView>, Problem> {
        publishable::delete::<organizer::Entity, _>(&writer, key(source, external_id), params).await
    }
}

/// The ID that a path has.
fn id(SourceInPath(source): SourceInPath, ExternalIdInPath(id): ExternalIdInPath) -> ExternalId {
    ExternalId { source, id }
}

/// The same as a key.
fn key(source: SourceInPath, external_id: ExternalIdInPath) -> Key {
    Key::External(id(source, external_id))
}
