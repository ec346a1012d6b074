//! Organizers.

use std::marker::PhantomData;

use poem_openapi::OpenApi;

use super::{
    Tag,
    described::ListOrganizers,
    linked_resources::{self, LinkedResourceQuery},
    publishable,
    variant::Variant,
};
use crate::{
    auth::{Reader, Writer},
    error::Problem,
    extract::{Body, IdInPath, Params, SlugInPath},
    response::{Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    store::entity::{event_organizer, organizer},
    views::{list::OrganizerList, organizer::OrganizerView},
};

/// The endpoints of organizers.
pub struct OrganizersApi<V>(PhantomData<V>);

impl<V> Default for OrganizersApi<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Organizers")]
impl<V: Variant> OrganizersApi<V> {
    /// List organizers
    ///
    /// Organizers by their publication, newest first, then by ID, highest first. Filters combine with AND. Only
    /// published organizers are listed, unless `status` asks for others, which needs credentials.
    #[oai(path = "/organizers", method = "get", operation_id = "listOrganizers")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<V::ListOrganizers, V>,
    ) -> Result<Listed<OrganizerList>, Problem> {
        let ListOrganizers {
            page,
            per_page,
            search,
            event,
            has_events,
            only_with_upcoming,
            status,
        } = params.query;
        let query = LinkedResourceQuery {
            page,
            per_page,
            search,
            event,
            has_events,
            only_with_upcoming,
            status,
        };
        linked_resources::list::<event_organizer::Entity, _>(&reader, query, params.errors).await
    }

    /// Create an organizer
    ///
    /// The name is enough; another organizer may have the same one. An organizer can also be created together with
    /// its event, inside of it.
    #[oai(path = "/organizers", method = "post", operation_id = "createOrganizer")]
    async fn create(
        &self,
        writer: Writer,
        body: Body<V::OrganizerCreate, V>,
    ) -> Result<Created<OrganizerView>, Problem> {
        publishable::create::<organizer::Entity, _, _>(&writer, body).await
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
        body: Body<V::OrganizerUpdate, V>,
    ) -> Result<Updated<OrganizerView>, Problem> {
        publishable::update::<organizer::Entity, _, _, _>(&writer, id.into(), body).await
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
        body: Body<V::OrganizerUpdate, V>,
    ) -> Result<UpdatedBySlug<OrganizerView>, Problem> {
        publishable::update::<organizer::Entity, _, _, _>(&writer, slug.into(), body).await
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
