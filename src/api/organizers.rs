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
        Writable, WritableLinkedResource, WriteContext, apply_linked_resource, name_reuse, organizer as service,
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
pub struct OrganizersApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Organizers")]
impl OrganizersApi {
    /// List organizers
    ///
    /// Organizers by their publication, newest first, then by ID, highest first. Filters combine with AND. Only
    /// published organizers are listed, unless `status` asks for others, which needs credentials.
    #[oai(path = "/organizers", method = "get", operation_id = "listOrganizers")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<LinkedResourceQuery>,
    ) -> Result<Listed<OrganizerList>, Problem> {
        linked_resources::list::<event_organizer::Entity, _>(&reader, params.query, params.errors).await
    }

    /// Create an organizer
    ///
    /// The name is enough; another organizer may have the same one. An organizer can also be created together with
    /// its event, inside of it.
    #[oai(path = "/organizers", method = "post", operation_id = "createOrganizer")]
    async fn create(&self, writer: Writer, body: Create<OrganizerPayload>) -> Result<Created<OrganizerView>, Problem> {
        publishable::create::<organizer::Entity>(&writer, body).await
    }

    /// Get an organizer
    ///
    /// An organizer that is not published is answered with 403, and one in the trash with 410, unless you have the
    /// right to it.
    #[oai(path = "/organizers/:id", method = "get", operation_id = "getOrganizer")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the organizer.
        id: IdInPath,
    ) -> Result<Found<OrganizerView>, Problem> {
        publishable::read::<organizer::Entity, _>(&reader, id.into()).await
    }

    /// Update an organizer
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. With a `status` other than `trash` it comes back from the trash. With `If-Match` it changes only what
    /// you have seen.
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
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. A second deletion is answered with
    /// 410. Events keep their link to it, and show it again when it is back.
    #[oai(path = "/organizers/:id", method = "delete", operation_id = "deleteOrganizer")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the organizer.
        id: IdInPath,
    ) -> Result<Deleted<OrganizerView>, Problem> {
        publishable::delete::<organizer::Entity, _>(&writer, id.into()).await
    }

    /// Get an organizer by its slug
    ///
    /// The same as by ID, for who knows the organizer by the name in its public URL. What is in the trash is
    /// found by its ID alone.
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
    ) -> Result<FoundBySlug<OrganizerView>, Problem> {
        publishable::read::<organizer::Entity, _>(&reader, slug.into()).await
    }

    /// Update an organizer by its slug
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. A `slug` in the body is the new one. With `If-Match` it changes only what you have seen.
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
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. Events keep their link to it, and
    /// show it again when it is back.
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
    ) -> Result<DeletedBySlug<OrganizerView>, Problem> {
        publishable::delete::<organizer::Entity, _>(&writer, slug.into()).await
    }
}

/// The fields of an organizer.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub struct OrganizerPayload {
    #[param(flatten, nullable)]
    pub authorship: Authorship,
    /// Name in plain text, 1 to 200 characters. Markup is removed.
    #[param(required, example = "City Orchestra")]
    pub organizer: MaybeUndefined<Title>,
    #[param(nullable, example = "<p>By the north entrance.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(schema(status_as_text), nullable, example = "publish")]
    pub status: MaybeUndefined<StatusName>,
    /// Phone number, as people would write it.
    #[param(nullable, example = "+49 30 123456")]
    pub phone: MaybeUndefined<Line>,
    /// URL of its own site, `http` or `https`, or empty.
    #[param(nullable, example = "https://example.org")]
    pub website: MaybeUndefined<WebAddress>,
    /// Email address. It is shown to all readers.
    #[param(nullable, example = "office@example.org")]
    pub email: MaybeUndefined<EmailAddress>,
    #[param(nullable, example = "https://example.org/images/house.jpg")]
    pub image: MaybeUndefined<ImageReference>,
    #[param(example = "city-orchestra")]
    pub slug: MaybeUndefined<Slug>,
}

impl Payload for OrganizerPayload {
    const NAME: &'static str = "Organizer";
    const CREATE: &'static str = "A new organizer. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to an organizer. A field that is absent stays; `null` or an empty string clears it, but the name, \
         `organizer`, and the dates can't be cleared. Unknown and read-only fields are ignored, so an organizer can \
         be sent back as it was read.";
}

impl NestedPayload for OrganizerPayload {
    const KIND: Kind = Kind::Organizer;
    const NESTED: &'static str = "An organizer inside an event. With `id` it is that organizer, and other fields are ignored; without, \
         `organizer` is required, and an organizer that agrees in all given fields is taken before a new one is \
         created.";
    const REFERENCE: &'static str = "An organizer of an event, by its ID or by data. 0 and an empty object are none.";

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

    async fn save_links(_context: &WriteContext<'_>, _id: i64, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

impl WritableLinkedResource for organizer::Entity {
    fn set_columns(row: &mut organizer::Model, payload: OrganizerPayload) -> Publication {
        // Taken apart, so that no field can be forgotten here.
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
        }
    }

    fn derive(row: &mut organizer::Model) {
        service::derive(row);
    }
}
