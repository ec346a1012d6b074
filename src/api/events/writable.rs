//! How the payload of an event is stored.

use sea_orm::DbErr;

use super::EventPayload;
use crate::{
    auth::Caller,
    calendar::{
        date::instant_at,
        event_status::EventStatus,
        local_time::{EventTimes, LocalTime},
    },
    error::Problem,
    extract::{ApplyTo, MaybeUndefined},
    services::{
        Writable, WriteContext,
        event::{self as service, EventLinks},
        event_references::{PayloadReferences, ReferringPayload, TakenTerms},
        inherited_publication, linked_references,
        publication::{self, Authorship, Publication},
        series::{PayloadParts, RecurringPayload},
        term_references,
    },
    store::{
        Transaction,
        entity::{category, event, event_organizer, event_venue, tag},
        links::{self, LinkedIds},
        locks::{self, AdvisoryLock},
        publishable::{CommonColumns, Key, PublishableRow},
    },
};

impl Writable for event::Entity {
    type Payload = EventPayload;
    type Links = EventLinks;

    async fn lock_before(
        transaction: &Transaction,
        _key: Option<&Key>,
        payload: Option<&EventPayload>,
    ) -> Result<(), DbErr> {
        let tree = payload
            .is_none_or(affects_lists)
            .then_some(AdvisoryLock::CategoryTreeShared);
        // Names follow the row of the event.
        locks::take(transaction, tree).await
    }

    fn blank(caller: &Caller) -> event::Model {
        let mut row = event::Model {
            custom_fields: "{}".to_owned(),
            event_status: EventStatus::default().as_str().to_owned(),
            ..event::Model::default()
        };
        row.set_common_columns(publication::blank(caller));
        let zone = caller.almanac.settings.site.zone;
        let epoch = LocalTime::at(&zone, instant_at(0));
        row.set_times(&EventTimes {
            zone,
            start: epoch,
            end: epoch,
        });
        row
    }

    async fn apply(
        context: &mut WriteContext<'_>,
        row: &mut event::Model,
        payload: EventPayload,
    ) -> Result<EventLinks, Problem> {
        let keeps_all_links = payload.venue.is_undefined()
            && payload.organizer.is_undefined()
            && payload.categories.is_undefined()
            && payload.tags.is_undefined();
        let links = match row.id == publication::NEW || keeps_all_links {
            true => LinkedIds::default(),
            false => links::of_events(context.transaction, &[row.id]).await?,
        };
        Self::apply_with_links(context, row, links, payload).await
    }

    async fn propagate_publication(
        transaction: &Transaction,
        before: &CommonColumns,
        after: &CommonColumns,
        now: i64,
    ) -> Result<(), Problem> {
        inherited_publication::propagate(transaction, before, after, now).await
    }

    async fn save_links(context: &WriteContext<'_>, row: &event::Model, links: EventLinks) -> Result<bool, Problem> {
        service::save_links(context.transaction, row, links).await
    }
}

impl ReferringPayload for event::Entity {
    fn references(payload: &EventPayload) -> PayloadReferences<'_> {
        PayloadReferences {
            venues: &payload.venue,
            organizers: &payload.organizer,
            categories: &payload.categories,
            tags: &payload.tags,
        }
    }

    fn take_terms(payload: &mut EventPayload) -> TakenTerms {
        TakenTerms {
            categories: std::mem::take(&mut payload.categories),
            tags: std::mem::take(&mut payload.tags),
        }
    }
}

impl RecurringPayload for event::Entity {
    fn parts(payload: &mut EventPayload) -> PayloadParts<'_> {
        PayloadParts {
            recurrence: &mut payload.recurrence,
            slug: &mut payload.slug,
            status: &mut payload.status,
            external: &mut payload.external,
            timezone: &payload.timezone,
            start_date: &payload.start_date,
            end_date: &mut payload.end_date,
        }
    }

    async fn apply_with_links(
        context: &mut WriteContext<'_>,
        row: &mut event::Model,
        before: LinkedIds,
        payload: EventPayload,
    ) -> Result<EventLinks, Problem> {
        if row.id != publication::NEW {
            locks::take(context.transaction, Self::references(&payload).name_locks()).await?;
        }
        // Destructured so that the compiler reports unused fields.
        let EventPayload {
            authorship,
            title,
            description,
            slug,
            excerpt,
            status,
            timezone,
            all_day,
            start_date,
            end_date,
            image,
            cost,
            website,
            show_map,
            show_map_link,
            hide_from_listings,
            sticky,
            featured,
            categories,
            tags,
            venue,
            organizer,
            post_parent,
            ticketed,
            custom_fields,
            event_status,
            // The services of series take it.
            recurrence: _,
            external,
        } = payload;
        let before_keys = (row.title.clone(), row.cost.clone());
        let publication = Publication {
            authorship,
            title,
            description,
            slug,
            status,
            image,
            external,
        };
        let mut columns = row.common_columns();
        publication::apply::<event::Entity>(context, &mut columns, publication).await?;
        row.set_common_columns(columns);
        service::apply_times(context, row, timezone, all_day, start_date, end_date);
        excerpt.map_value(String::from).apply_to(&mut row.excerpt);
        cost.map_value(String::from).apply_to(&mut row.cost);
        website.map_value(String::from).apply_to(&mut row.website);
        service::apply_parent(context, row, post_parent);
        match custom_fields {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => row.custom_fields = "{}".to_owned(),
            MaybeUndefined::Value(fields) => {
                row.custom_fields = serde_json::Value::Object(fields.0).to_string();
            }
        }
        match event_status {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => row.event_status = EventStatus::default().as_str().to_owned(),
            MaybeUndefined::Value(status) => row.event_status = status.0.as_str().to_owned(),
        }
        for (field, column) in [
            (show_map, &mut row.show_map),
            (show_map_link, &mut row.show_map_link),
            (hide_from_listings, &mut row.hide_from_listings),
            (sticky, &mut row.sticky),
            (featured, &mut row.featured),
            (ticketed, &mut row.ticketed),
        ] {
            field.map_value(|flag| flag.0).apply_to(column);
        }
        row.derive_search_text();
        // A write that changes neither leaves the keys of an older event to the backfill.
        if row.id == publication::NEW || before_keys != (row.title.clone(), row.cost.clone()) {
            row.derive_keys();
        }
        let venues = before.of_event::<event_venue::Entity>(row.id);
        let organizers = before.of_event::<event_organizer::Entity>(row.id);
        let is_new = row.id == publication::NEW;
        let venues = linked_references::resolve::<event_venue::Entity>(context, row, &venues, venue).await?;
        if is_new {
            // Triggers maintain it in stored rows.
            row.located = venues.as_ref().is_some_and(|venues| venues.is_located);
        }
        Ok(EventLinks {
            before,
            venues,
            organizers: linked_references::resolve::<event_organizer::Entity>(context, row, &organizers, organizer)
                .await?,
            categories: term_references::resolve::<category::Entity>(context, categories).await?,
            tags: term_references::resolve::<tag::Entity>(context, tags).await?,
        })
    }
}

/// Returns true if the update can add the event to a list, remove it from one, or change its position.
fn affects_lists(payload: &EventPayload) -> bool {
    let EventPayload {
        authorship: Authorship { date, date_utc, .. },
        status,
        timezone,
        all_day,
        start_date,
        end_date,
        hide_from_listings,
        featured,
        ticketed,
        categories,
        venue,
        organizer,
        recurrence,
        ..
    } = payload;
    [
        date.is_undefined(),
        date_utc.is_undefined(),
        status.is_undefined(),
        timezone.is_undefined(),
        all_day.is_undefined(),
        start_date.is_undefined(),
        end_date.is_undefined(),
        hide_from_listings.is_undefined(),
        featured.is_undefined(),
        ticketed.is_undefined(),
        categories.is_undefined(),
        venue.is_undefined(),
        organizer.is_undefined(),
        recurrence.is_undefined(),
    ]
    .contains(&false)
}
