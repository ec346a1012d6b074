//! Events.

use std::marker::PhantomData;

use poem_openapi::OpenApi;
use sea_orm::ConnectionTrait;

use super::{Tag, described::ListEvents, publishable, variant::Variant};
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{
        date::CacheLifetime,
        window::{Bounds, window},
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        Body, IdInPath, MaybeUndefined, Params, SlugInPath,
        lenient_bool::LenientBool,
        number::Ids,
        references::{Reference, References},
    },
    response::{CachePolicy, Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    services::references::find_term,
    store::{
        EventDependencies, Term,
        entity::{category, event, organizer, tag, venue},
        events::{self, EventFilter, EventFlags, GeoCircle},
    },
    views::{
        Detail, Represented,
        event::EventView,
        list::{self, EventList},
    },
};

/// The endpoints of events.
pub struct EventsApi<V>(PhantomData<V>);

impl<V> Default for EventsApi<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Events")]
impl<V: Variant> EventsApi<V> {
    /// List events
    ///
    /// Events by their start, then by ID. Unless dates are given, these are the events that start from today 00:00
    /// on, in the site's time zone, and up to two years ahead; what began yesterday and still goes on is not among
    /// them. Filters combine with AND, the values of one with OR. Only published events are listed, unless
    /// `status` asks for others, which needs credentials.
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list(&self, reader: Reader, params: Params<V::ListEvents, V>) -> Result<Listed<EventList>, Problem> {
        let database = &reader.almanac.store.snapshot().await?;
        let (page, filter, cache_lifetime) = filter::<V>(&reader, database, params.query, params.errors).await?;
        let mut found = events::list(database, &filter, page).await?;
        let rows = std::mem::take(&mut found.rows);
        let texts = match filter.search.is_empty() {
            true => EventDependencies::Of(rows.iter().map(|row| row.id).collect()),
            false => EventDependencies::All,
        };
        let views = event::Entity::show(&reader, database, rows, Detail::Item).await?;
        let reply = list::reply(&reader, crate::calendar::Kind::Event, &found, views)?;
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
    async fn create(&self, writer: Writer, body: Body<V::EventCreate, V>) -> Result<Created<EventView>, Problem> {
        publishable::create::<event::Entity, _, _>(&writer, body).await
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
        body: Body<V::EventUpdate, V>,
    ) -> Result<Updated<EventView>, Problem> {
        publishable::update::<event::Entity, _, _, _>(&writer, id.into(), body).await
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
        body: Body<V::EventUpdate, V>,
    ) -> Result<UpdatedBySlug<EventView>, Problem> {
        publishable::update::<event::Entity, _, _, _>(&writer, slug.into(), body).await
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

/// The page and the filter that the parameters ask for, once all of them are right, and for how long they are the
/// same.
async fn filter<V: Variant>(
    reader: &Caller,
    database: &impl ConnectionTrait,
    query: ListEvents,
    mut errors: ValidationErrors,
) -> Result<(crate::store::PageRequest, EventFilter, CacheLifetime), Problem> {
    // Taken apart, so that no parameter can be forgotten here.
    let ListEvents {
        page,
        per_page,
        start_date,
        end_date,
        starts_before,
        starts_after,
        ends_before,
        ends_after,
        strict_dates,
        search,
        categories,
        tags,
        venue,
        organizer,
        featured,
        status,
        geoloc,
        geoloc_lat,
        geoloc_lng,
        include,
        post_parent,
        ticketed,
    } = query;
    let settings = &reader.almanac.settings;
    let flag = |field: MaybeUndefined<LenientBool>| field.take().map(|flag| flag.0);
    let bounds = Bounds {
        start_date: start_date.take(),
        end_date: end_date.take(),
        starts_before: starts_before.take(),
        starts_after: starts_after.take(),
        ends_before: ends_before.take(),
        ends_after: ends_after.take(),
        strict: flag(strict_dates).unwrap_or(false),
    };
    let window = window(&bounds, V::MEANING, &settings.site.zone, reader.now);
    let near = match (geoloc_lat.take(), geoloc_lng.take()) {
        (Some(latitude), Some(longitude)) => Some(GeoCircle {
            latitude: latitude.0,
            longitude: longitude.0,
            radius_in_km: settings.geoloc_radius_km,
        }),
        (None, None) => None,
        (Some(_), None) => {
            errors.add("geoloc_lng", FieldError::invalid("is needed beside geoloc_lat"));
            None
        }
        (None, Some(_)) => {
            errors.add("geoloc_lat", FieldError::invalid("is needed beside geoloc_lng"));
            None
        }
    };
    let categories = terms::<category::Entity>(database, &mut errors, categories).await?;
    let tags = terms::<tag::Entity>(database, &mut errors, tags).await?;
    let venues = hosts::<venue::Entity>(reader, database, &mut errors, venue).await?;
    let organizers = hosts::<organizer::Entity>(reader, database, &mut errors, organizer).await?;
    errors.into_result()?;
    let filter = EventFilter {
        visibility: publishable::visibility(reader, status)?,
        window,
        include: include.take().map(|ids| ids.0),
        search: search.take().unwrap_or_default().0,
        categories,
        tags,
        venues,
        organizers,
        flags: EventFlags {
            featured: flag(featured),
            ticketed: flag(ticketed),
            located: flag(geoloc),
        },
        mapped: None,
        near,
        post_parent: post_parent.take().map(|id| id.0),
    };
    let page = publishable::page_request(reader, page, per_page);
    Ok((page, filter, bounds.cache_lifetime(V::MEANING)))
}

/// The IDs of the terms of a filter.
async fn terms<E: Term>(
    database: &impl ConnectionTrait,
    errors: &mut ValidationErrors,
    field: MaybeUndefined<References>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(references) = field.take() else {
        return Ok(None);
    };
    let mut ids = Vec::new();
    let mut unknown = Vec::new();
    for reference in references.0 {
        match find_term::<E>(database, &reference).await? {
            Some(id) => ids.push(id),
            None => unknown.push(match reference {
                Reference::Id(id) => id.to_string(),
                Reference::Name(name) => name,
            }),
        }
    }
    if !unknown.is_empty() {
        let message = format!(
            "must be IDs or slugs of {} that exist, and {} does not",
            E::KIND.plural(),
            unknown.join(", ")
        );
        errors.add(E::KIND.plural(), FieldError::invalid(message));
    }
    Ok(Some(ids))
}

/// The IDs of the venues or organizers of a filter, as far as the reader may see them.
async fn hosts<E: crate::store::Publishable>(
    reader: &Caller,
    database: &impl ConnectionTrait,
    errors: &mut ValidationErrors,
    field: MaybeUndefined<Ids>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(ids) = field.take() else {
        return Ok(None);
    };
    let ids = publishable::visible_ids::<E>(reader, database, errors, E::KIND.name(), &ids.0).await?;
    Ok(Some(ids))
}
