//! Events.

mod payload;
mod query;

use poem_openapi::OpenApi;

pub use self::{payload::EventPayload, query::EventQuery};
use super::{Tag, publishable};
use crate::{
    auth::{Reader, Writer},
    calendar::Kind,
    error::Problem,
    extract::{Create, IdInPath, Params, SlugInPath, Update},
    response::{CachePolicy, Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    store::{entity::event, events},
    views::{
        Detail, Represented,
        event::EventView,
        list::{self, EventList},
    },
};

/// The endpoints of events.
pub struct EventsApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Events")]
impl EventsApi {
    /// List events
    ///
    /// Events by their start, then by ID. Unless dates are given, these are the events that start from today 00:00
    /// on, in the site's time zone, and up to two years ahead; what began yesterday and still goes on is not among
    /// them. Filters combine with AND, the values of one with OR. Only published events are listed, unless
    /// `status` asks for others, which needs credentials.
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list(&self, reader: Reader, params: Params<EventQuery>) -> Result<Listed<EventList>, Problem> {
        let database = &reader.almanac.store.snapshot().await?;
        let (page, query, cache_lifetime) = params.query.resolve(&reader, database, params.errors).await?;
        let mut found = events::list(database, &query, page).await?;
        let rows = std::mem::take(&mut found.rows);
        let texts = query.dependencies(&rows);
        let views = event::Entity::show(&reader, database, rows, Detail::Item).await?;
        let reply = list::reply(&reader, Kind::Event, &found, views)?;
        let cache_policy = CachePolicy::of(cache_lifetime).map(|cache_policy| cache_policy.telling(texts));
        Ok(reply.with_cache_policy(cache_policy))
    }

    /// Create an event
    ///
    /// A venue or an organizer that is described in it is created with it, or linked if there is one already that
    /// agrees. A new one has the status and the publication date of the event, and follows them while that date lies
    /// ahead. New names of categories and tags become terms. On any fault nothing is stored. What contributors
    /// publish awaits review, as `pending`.
    #[oai(path = "/events", method = "post", operation_id = "createEvent")]
    async fn create(&self, writer: Writer, body: Create<EventPayload>) -> Result<Created<EventView>, Problem> {
        publishable::create::<event::Entity>(&writer, body).await
    }

    /// Get an event
    ///
    /// The whole event: its dates in its own time zone and in UTC, its price, and the venues, organizers,
    /// categories and tags that you may read. An event that is not published is answered with 403, and one in the
    /// trash with 410, unless you have the right to it.
    #[oai(path = "/events/:id", method = "get", operation_id = "getEvent")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the event.
        id: IdInPath,
    ) -> Result<Found<EventView>, Problem> {
        publishable::read::<event::Entity, _>(&reader, id.into()).await
    }

    /// Update an event
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. With a `status` other than `trash` it comes back from the trash. With `If-Match` it changes only what
    /// you have seen.
    #[oai(path = "/events/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the event.
        id: IdInPath,
        body: Update<EventPayload>,
    ) -> Result<Updated<EventView>, Problem> {
        publishable::update::<event::Entity, _>(&writer, id.into(), body).await
    }

    /// Delete an event
    ///
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. A second deletion is answered with
    /// 410.
    #[oai(path = "/events/:id", method = "delete", operation_id = "deleteEvent")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the event.
        id: IdInPath,
    ) -> Result<Deleted<EventView>, Problem> {
        publishable::delete::<event::Entity, _>(&writer, id.into()).await
    }

    /// Get an event by its slug
    ///
    /// The same as by ID, for who knows the event by the name in its public URL. What is in the trash is found
    /// by its ID alone.
    #[oai(path = "/events/by-slug/:slug", method = "get", operation_id = "getEventBySlug")]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the event.
        slug: SlugInPath,
    ) -> Result<FoundBySlug<EventView>, Problem> {
        publishable::read::<event::Entity, _>(&reader, slug.into()).await
    }

    /// Update an event by its slug
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. A `slug` in the body is the new one. With `If-Match` it changes only what you have seen.
    #[oai(path = "/events/by-slug/:slug", method = "post", method = "put", method = "patch")]
    async fn update_by_slug(
        &self,
        writer: Writer,
        /// Slug of the event.
        slug: SlugInPath,
        body: Update<EventPayload>,
    ) -> Result<UpdatedBySlug<EventView>, Problem> {
        publishable::update::<event::Entity, _>(&writer, slug.into(), body).await
    }

    /// Delete an event by its slug
    ///
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`.
    #[oai(
        path = "/events/by-slug/:slug",
        method = "delete",
        operation_id = "deleteEventBySlug"
    )]
    async fn delete_by_slug(
        &self,
        writer: Writer,
        /// Slug of the event.
        slug: SlugInPath,
    ) -> Result<DeletedBySlug<EventView>, Problem> {
        publishable::delete::<event::Entity, _>(&writer, slug.into()).await
    }
}
