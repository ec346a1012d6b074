//! Organizers.

use almanac_derive::Parameters;
use poem_openapi::OpenApi;
use sea_orm::DbErr;

use super::{
    Tag,
    linked_resources::{self, LinkedResourceQuery},
    publishable,
};
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::Kind,
    error::Problem,
    extract::{
        ApplyTo, Create, IdInPath, MaybeUndefined, NestedPayload, Params, Payload, SlugInPath, Update,
        choice::{StatusName, status_as_text},
        image::ImageReference,
        text::{EmailAddress, Html, Line, Slug, Title, WebAddress},
    },
    response::{Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    services::{
        Writable, WritableLinkedResource, WriteContext, apply_linked_resource,
        event_references::{EventReferences, ReferencedRows},
        external_id::{External, IdentifiedPayload},
        name_reuse, organizer as service,
        publication::{self, Authorship, Publication},
    },
    store::{
        Transaction,
        entity::{event_organizer, organizer},
        publishable::{Key, PublishableRow},
    },
    views::{list::OrganizerList, organizer::OrganizerView},
};

/// The endpoints of organizers.
pub(crate) struct OrganizersApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Organizers")]
impl OrganizersApi {
    /// List organizers
    ///
    /// Lists organizers ordered by publication date, newest first, then by ID, highest first. Filters combine with AND.
    /// Only published organizers are listed, unless `status` selects others, which requires credentials.
    #[oai(path = "/organizers", method = "get", operation_id = "listOrganizers")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<LinkedResourceQuery, OrganizerView>,
    ) -> Result<Listed<OrganizerList>, Problem> {
        linked_resources::list::<event_organizer::Entity, _>(&reader, params).await
    }

    /// Create an organizer
    ///
    /// Only the name is required; it need not be unique. An organizer can also be created together with an event,
    /// nested in the event.
    #[oai(path = "/organizers", method = "post", operation_id = "createOrganizer")]
    async fn create(&self, writer: Writer, body: Create<OrganizerPayload>) -> Result<Created<OrganizerView>, Problem> {
        publishable::create::<organizer::Entity>(&writer, body).await
    }

    /// Get an organizer
    ///
    /// Without permission to read it, an unpublished organizer returns 403, and one in the trash 410.
    #[oai(path = "/organizers/:id", method = "get", operation_id = "getOrganizer")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the organizer.
        id: IdInPath,
        params: Params<(), OrganizerView>,
    ) -> Result<Found<OrganizerView>, Problem> {
        publishable::read::<organizer::Entity, _>(&reader, id.into(), params).await
    }

    /// Update an organizer
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `status` other than `trash` restores the object from the trash. With `If-Match`, the update applies only to the
    /// version that you have read.
    #[oai(path = "/organizers/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the organizer.
        id: IdInPath,
        body: Update<OrganizerPayload>,
    ) -> Result<Updated<OrganizerView>, Problem> {
        publishable::update::<organizer::Entity, _>(&writer, id.into(), body).await
    }

    /// Delete an organizer
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`. A second deletion returns 410. Events keep their
    /// link to it, and show it again once it is restored.
    #[oai(path = "/organizers/:id", method = "delete", operation_id = "deleteOrganizer")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the organizer.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<Deleted<OrganizerView>, Problem> {
        publishable::delete::<organizer::Entity, _>(&writer, id.into(), params).await
    }

    /// Get an organizer by its slug
    ///
    /// Like the lookup by ID, but by the name in the public URL of the organizer. Objects in the trash can only be
    /// found by ID.
    #[oai(
        path = "/organizers/by-slug/:slug",
        method = "get",
        operation_id = "getOrganizerBySlug"
    )]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the organizer.
        slug: SlugInPath,
        params: Params<(), OrganizerView>,
    ) -> Result<FoundBySlug<OrganizerView>, Problem> {
        publishable::read::<organizer::Entity, _>(&reader, slug.into(), params).await
    }

    /// Update an organizer by its slug
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `slug` in the body is the new slug. With `If-Match`, the update applies only to the version that you have read.
    #[oai(
        path = "/organizers/by-slug/:slug",
        method = "post",
        method = "put",
        method = "patch"
    )]
    async fn update_by_slug(
        &self,
        writer: Writer,
        /// Slug of the organizer.
        slug: SlugInPath,
        body: Update<OrganizerPayload>,
    ) -> Result<UpdatedBySlug<OrganizerView>, Problem> {
        publishable::update::<organizer::Entity, _>(&writer, slug.into(), body).await
    }

    /// Delete an organizer by its slug
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`. Events keep their link to it, and show it again
    /// once it is restored.
    #[oai(
        path = "/organizers/by-slug/:slug",
        method = "delete",
        operation_id = "deleteOrganizerBySlug"
    )]
    async fn delete_by_slug(
        &self,
        writer: Writer,
        /// Slug of the organizer.
        slug: SlugInPath,
        params: Params<()>,
    ) -> Result<DeletedBySlug<OrganizerView>, Problem> {
        publishable::delete::<organizer::Entity, _>(&writer, slug.into(), params).await
    }
}

/// The fields of an organizer.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct OrganizerPayload {
    #[param(flatten, nullable)]
    pub authorship: Authorship,
    /// Name in plain text, 1 to 200 characters. Markup is removed.
    #[param(required, example = "City Orchestra")]
    pub organizer: MaybeUndefined<Title>,
    #[param(nullable, example = "<p>By the north entrance.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(schema(status_as_text), nullable, example = "publish")]
    pub status: MaybeUndefined<StatusName>,
    /// Phone number, in any notation.
    #[param(nullable, example = "+49 30 123456")]
    pub phone: MaybeUndefined<Line>,
    /// URL of its own website, `http` or `https`, or empty.
    #[param(nullable, example = "https://example.org")]
    pub website: MaybeUndefined<WebAddress>,
    /// Email address, visible to all readers.
    #[param(nullable, example = "office@example.org")]
    pub email: MaybeUndefined<EmailAddress>,
    #[param(nullable, example = "https://example.org/images/house.jpg")]
    pub image: MaybeUndefined<ImageReference>,
    #[param(example = "city-orchestra")]
    pub slug: MaybeUndefined<Slug>,
    #[param(flatten)]
    pub external: External,
}

impl Payload for OrganizerPayload {
    type Representation = OrganizerView;

    const NAME: &'static str = "Organizer";
    const CREATE: &'static str = "A new organizer. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to an organizer. Absent fields keep their values; `null` or an empty string \
         clears a field, but the name, `organizer`, and the dates can't be cleared. Unknown and read-only fields are \
         ignored, so the representation of an organizer can be sent back unchanged.";
}

impl IdentifiedPayload for OrganizerPayload {
    fn external(&mut self) -> &mut External {
        &mut self.external
    }

    fn status(&self) -> &MaybeUndefined<StatusName> {
        &self.status
    }
}

impl NestedPayload for OrganizerPayload {
    const KIND: Kind = Kind::Organizer;
    const NESTED: &'static str = "An organizer nested in an event. With `id`, that organizer is linked and the other \
        fields are ignored. Without it, `organizer` is required; an existing organizer that has the external ID or \
        matches all given fields is linked, otherwise a new one is created.";
    const REFERENCE: &'static str = "An organizer of an event: its ID or a nested object. 0 and an empty object mean \
        no organizer.";

    fn name(&self) -> Option<&str> {
        self.organizer.value().map(|name| name.0.as_str())
    }
}

impl Writable for organizer::Entity {
    type Payload = OrganizerPayload;
    type Links = ();

    async fn lock_before(
        _transaction: &Transaction,
        _key: Option<&Key>,
        _payload: Option<&OrganizerPayload>,
    ) -> Result<(), DbErr> {
        Ok(())
    }

    fn blank(caller: &Caller) -> organizer::Model {
        let mut row = organizer::Model::default();
        row.set_common_columns(publication::blank(caller));
        row
    }

    async fn reuse(
        context: &mut WriteContext<'_>,
        payload: &OrganizerPayload,
    ) -> Result<Option<organizer::Model>, Problem> {
        name_reuse::reuse::<organizer::Entity>(context, payload).await
    }

    async fn apply(
        context: &mut WriteContext<'_>,
        row: &mut organizer::Model,
        payload: OrganizerPayload,
    ) -> Result<(), Problem> {
        apply_linked_resource::<organizer::Entity>(context, row, payload).await
    }

    async fn save_links(_context: &WriteContext<'_>, _row: &organizer::Model, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

impl WritableLinkedResource for organizer::Entity {
    fn set_columns(row: &mut organizer::Model, payload: OrganizerPayload) -> Publication {
        // Destructured so that the compiler reports unused fields.
        let OrganizerPayload {
            authorship,
            organizer,
            description,
            slug,
            status,
            phone,
            website,
            email,
            image,
            external,
        } = payload;
        phone.map_value(String::from).apply_to(&mut row.phone);
        website.map_value(String::from).apply_to(&mut row.website);
        email.map_value(String::from).apply_to(&mut row.email);
        Publication {
            authorship,
            title: organizer,
            description,
            slug,
            status,
            image,
            external,
        }
    }

    fn derive(row: &mut organizer::Model) {
        service::derive(row);
    }

    fn referenced(references: &mut EventReferences) -> &mut ReferencedRows<Self> {
        &mut references.organizers
    }
}
