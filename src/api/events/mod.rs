//! Events.

mod create_queue;
mod order;
mod payload;
mod place;
mod price;
mod query;
mod recurrences;
mod scope;
mod writable;

use std::{iter::zip, sync::Arc};

use poem::web::Data;
use poem_openapi::OpenApi;

use self::create_queue::CreateQueue;
pub(crate) use self::{order::EventSortName, payload::EventPayload, query::EventQuery, scope::ScopeQuery};
use super::{Tag, batch::bulk_create::BulkCreate, publishable};
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{Kind, window::DefaultWindow},
    error::Problem,
    extract::{Create, IdInPath, Params, SlugInPath, Update},
    response::{
        CachePolicy, Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Reply, Updated, UpdatedBySlug,
    },
    services::{Validated, new_events::NewEvents, series},
    store::{
        Snapshot,
        entity::event,
        events::{self, EventFilter},
        publishable::Key,
    },
    views::{
        Detail,
        event::{EventView, represent_linked},
        event_page::represent_page,
        list::{self, EventList},
        only,
    },
};

/// The endpoints of events.
#[derive(Default)]
pub(crate) struct EventsApi {
    creates: Arc<CreateQueue>,
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Events")]
impl EventsApi {
    /// List events
    ///
    /// Lists events ordered by start, then by ID, unless `orderby` selects another order. By default, these are the
    /// events that start between today 00:00, in the site's time zone, and two years from now; an event that started
    /// yesterday and is still running is not included. Filters combine with AND, the values of one filter with OR. Only
    /// published events are listed, unless `status` selects others, which requires credentials.
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list(&self, reader: Reader, params: Params<EventQuery, EventView>) -> Result<Listed<EventList>, Problem> {
        let list = |snapshot| list(&reader, snapshot, params.clone(), DefaultWindow::Interface, None);
        reader.read(list).await
    }

    /// Create an event
    ///
    /// A nested venue or organizer is created with the event, unless an existing one matches, which is linked instead.
    /// A new one inherits the event's status and publication date, and follows them while that date is in the future.
    /// Unknown names of categories and tags create terms. On any error, nothing is stored. Events that contributors
    /// publish become `pending` and await review. With `recurrence`, all events of a series are created, and the first
    /// one is returned. Each event of a series is an ordinary event, with an ID, a slug and a page of its own.
    #[oai(path = "/events", method = "post", operation_id = "createEvent")]
    async fn create(
        &self,
        writer: Writer,
        bulk: Option<Data<&BulkCreate>>,
        body: Create<EventPayload>,
    ) -> Result<Created<EventView>, Problem> {
        let payload = series::read_create(&writer, body).await?;
        let (stored, view) = match bulk {
            Some(Data(bulk)) => bulk.create(&writer, payload).await?,
            None if create_queue::may_share(&writer, &payload) => self.creates.create(&writer, payload).await?,
            None => create_one(&writer, payload).await?,
        };
        Ok(publishable::created(&writer, Kind::Event, &stored, view))
    }

    /// Get an event
    ///
    /// Returns the event with its dates in its own time zone and in UTC, its price, and the venues, organizers,
    /// categories and tags that you may read. Without permission to read it, an unpublished event returns 403, and an
    /// event in the trash 410.
    #[oai(path = "/events/:id", method = "get", operation_id = "getEvent")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the event.
        id: IdInPath,
        params: Params<(), EventView>,
    ) -> Result<Found<EventView>, Problem> {
        publishable::read::<event::Entity, _>(&reader, id.into(), params).await
    }

    /// Update an event
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `status` other than `trash` restores the object from the trash. With `If-Match`, the update applies only to the
    /// version that you have read. `scope` extends the update to other events of its series; `If-Match` then names the
    /// version of the series.
    #[oai(path = "/events/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the event.
        id: IdInPath,
        params: Params<ScopeQuery>,
        body: Update<EventPayload>,
    ) -> Result<Updated<EventView>, Problem> {
        update(&writer, id.into(), params, body).await
    }

    /// Delete an event
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`. A second deletion returns 410. `scope` extends the
    /// deletion to other events of its series.
    #[oai(path = "/events/:id", method = "delete", operation_id = "deleteEvent")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the event.
        id: IdInPath,
        params: Params<ScopeQuery>,
    ) -> Result<Deleted<EventView>, Problem> {
        delete(&writer, id.into(), params).await
    }

    /// Get an event by its slug
    ///
    /// Like the lookup by ID, but by the name in the public URL of the event. Objects in the trash can only be found by
    /// ID.
    #[oai(path = "/events/by-slug/:slug", method = "get", operation_id = "getEventBySlug")]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the event.
        slug: SlugInPath,
        params: Params<(), EventView>,
    ) -> Result<FoundBySlug<EventView>, Problem> {
        publishable::read::<event::Entity, _>(&reader, slug.into(), params).await
    }

    /// Update an event by its slug
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `slug` in the body is the new slug. With `If-Match`, the update applies only to the version that you have read.
    #[oai(path = "/events/by-slug/:slug", method = "post", method = "put", method = "patch")]
    async fn update_by_slug(
        &self,
        writer: Writer,
        /// Slug of the event.
        slug: SlugInPath,
        params: Params<ScopeQuery>,
        body: Update<EventPayload>,
    ) -> Result<UpdatedBySlug<EventView>, Problem> {
        update(&writer, slug.into(), params, body).await
    }

    /// Delete an event by its slug
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`.
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
        params: Params<ScopeQuery>,
    ) -> Result<DeletedBySlug<EventView>, Problem> {
        delete(&writer, slug.into(), params).await
    }
}

/// A stored event and its representation.
pub(super) type CreatedEvent = (event::Model, EventView);

/// The maximum number of payloads for [`create`]. Other writers wait for its transaction.
pub(super) const MAX_CREATED: usize = 25;

/// Creates an event for each payload.
pub(super) async fn create(
    caller: &Caller,
    payloads: Vec<Validated<EventPayload>>,
) -> Result<Vec<CreatedEvent>, Problem> {
    let represent = |snapshot, new| represent_new(caller, snapshot, new);
    let (new, views) = series::create(caller, payloads, represent).await?;
    Ok(zip(new.events, views).map(|(event, view)| (event.row, view)).collect())
}

async fn create_one(caller: &Caller, payload: Validated<EventPayload>) -> Result<CreatedEvent, Problem> {
    only(create(caller, vec![payload]).await?)
}

async fn represent_new(caller: &Caller, snapshot: Arc<Snapshot>, new: NewEvents) -> Result<Vec<EventView>, Problem> {
    represent_linked(caller, &snapshot, new.events, new.linked, Detail::Single).await
}

async fn update<K>(
    writer: &Writer,
    key: Key,
    params: Params<ScopeQuery>,
    body: Update<EventPayload>,
) -> Result<Reply<EventView, K>, Problem> {
    let scope = params.query.scope();
    let represent = |snapshot, row| publishable::represent::<event::Entity>(writer, snapshot, row);
    let (stored, view) = series::update(writer, &key, scope, &params.errors, body, represent).await?;
    Ok(Reply::new(view).with_version(stored.version))
}

pub(super) async fn delete<K>(
    writer: &Writer,
    key: Key,
    params: Params<ScopeQuery>,
) -> Result<Reply<EventView, K>, Problem> {
    let scope = params.query.scope();
    let represent = |snapshot, row| publishable::represent::<event::Entity>(writer, snapshot, row);
    let (_, view) = series::delete(writer, &key, scope, &params.errors, represent).await?;
    Ok(Reply::new(view))
}

/// One page of the list of events that the query selects, of one series if its ID is given.
pub(super) async fn list<K>(
    reader: &Caller,
    snapshot: Arc<Snapshot>,
    Params {
        query, errors, fields, ..
    }: Params<EventQuery, EventView>,
    default_window: DefaultWindow,
    series: Option<i64>,
) -> Result<Reply<EventList, K>, Problem> {
    let snapshot = &*snapshot;
    let (page, mut query, cache_lifetime) = query.resolve(reader, snapshot, errors, default_window).await?;
    query.filters.extend(series.map(|id| EventFilter::Series(vec![id])));
    let found = events::list(snapshot, &query, page).await?;
    let texts = query.dependencies(&found.rows);
    snapshot.depend_on(&texts);
    let views = represent_page(reader, snapshot, &found.rows).await?;
    let reply: Reply<EventList, K> = list::reply(reader, Kind::Event, &found, views)?;
    let cache_policy = CachePolicy::of(cache_lifetime).map(|cache_policy| cache_policy.depending_on_texts(texts));
    Ok(reply.with_cache_policy(cache_policy).with_fields(fields))
}
