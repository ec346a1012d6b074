//! Venues.

use std::marker::PhantomData;

use poem_openapi::OpenApi;

use super::{
    Tag,
    described::ListVenues,
    linked_resources::{self, LinkedResourceQuery},
    publishable,
    variant::Variant,
};
use crate::{
    auth::{Reader, Writer},
    error::Problem,
    extract::{Body, IdInPath, Params, SlugInPath},
    response::{Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    store::entity::{event_venue, venue},
    views::{list::VenueList, venue::VenueView},
};

/// The endpoints of venues.
pub struct VenuesApi<V>(PhantomData<V>);

impl<V> Default for VenuesApi<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Venues")]
impl<V: Variant> VenuesApi<V> {
    /// List venues
    ///
    /// Venues by their publication, newest first, then by ID, highest first. Filters combine with AND. Only published
    /// venues are listed, unless `status` asks for others, which needs credentials.
    #[oai(path = "/venues", method = "get", operation_id = "listVenues")]
    async fn list(&self, reader: Reader, params: Params<V::ListVenues, V>) -> Result<Listed<VenueList>, Problem> {
        let ListVenues {
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
        linked_resources::list::<event_venue::Entity, _>(&reader, query, params.errors).await
    }

    /// Create a venue
    ///
    /// The name is enough; another venue may have the same one. With coordinates, its events are found by place. A
    /// venue can also be created together with its event, inside of it.
    #[oai(path = "/venues", method = "post", operation_id = "createVenue")]
    async fn create(&self, writer: Writer, body: Body<V::VenueCreate, V>) -> Result<Created<VenueView>, Problem> {
        publishable::create::<venue::Entity, _, _>(&writer, body).await
    }

    /// Get a venue
    ///
    /// A venue that is not published is answered with 403, and one in the trash with 410, unless you have the
    /// right to it.
    #[oai(path = "/venues/:id", method = "get", operation_id = "getVenue")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the venue.
        id: IdInPath,
    ) -> Result<Found<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, id.into()).await
    }

    /// Update a venue
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. With a `status` other than `trash` it comes back from the trash. With `If-Match` it changes only what
    /// you have seen.
    #[oai(path = "/venues/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the venue.
        id: IdInPath,
        body: Body<V::VenueUpdate, V>,
    ) -> Result<Updated<VenueView>, Problem> {
        publishable::update::<venue::Entity, _, _, _>(&writer, id.into(), body).await
    }

    /// Delete a venue
    ///
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. A second deletion is answered with
    /// 410. Events keep their link to it, and show it again when it is back.
    #[oai(path = "/venues/:id", method = "delete", operation_id = "deleteVenue")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the venue.
        id: IdInPath,
    ) -> Result<Deleted<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, id.into()).await
    }

    /// Get a venue by its slug
    ///
    /// The same as by ID, for who knows the venue by the name in its public URL. What is in the trash is found
    /// by its ID alone.
    #[oai(path = "/venues/by-slug/:slug", method = "get", operation_id = "getVenueBySlug")]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the venue.
        slug: SlugInPath,
    ) -> Result<FoundBySlug<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, slug.into()).await
    }

    /// Update a venue by its slug
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. A `slug` in the body is the new one. With `If-Match` it changes only what you have seen.
    #[oai(path = "/venues/by-slug/:slug", method = "post", method = "put", method = "patch")]
    async fn update_by_slug(
        &self,
        writer: Writer,
        /// Slug of the venue.
        slug: SlugInPath,
        body: Body<V::VenueUpdate, V>,
    ) -> Result<UpdatedBySlug<VenueView>, Problem> {
        publishable::update::<venue::Entity, _, _, _>(&writer, slug.into(), body).await
    }

    /// Delete a venue by its slug
    ///
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. Events keep their link to it, and
    /// show it again when it is back.
    #[oai(
        path = "/venues/by-slug/:slug",
        method = "delete",
        operation_id = "deleteVenueBySlug"
    )]
    async fn delete_by_slug(
        &self,
        writer: Writer,
        /// Slug of the venue.
        slug: SlugInPath,
    ) -> Result<DeletedBySlug<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, slug.into()).await
    }
}
