//! The fields of an event.

use sea_orm::DbErr;

use super::{
    Writable, WriteContext, inherited_publication,
    publication::{self, Publication},
    references::{self, LinkedResources},
};
use crate::{
    api::described::EventFields,
    auth::Caller,
    calendar::{
        date::{DateTimeInput, instant_at},
        local_time::{EventTimes, LocalTime},
        text::searched,
    },
    error::{FieldError, Problem},
    extract::{ApplyTo, MaybeUndefined, lenient_bool::LenientBool, number::Id, text::ZoneName},
    store::{
        Transaction,
        entity::{category, event, event_category, event_organizer, event_tag, event_venue, tag},
        links::{self, LinkedIds},
        locks,
        publishable::{CommonColumns, Key, PublishableRow},
    },
};

/// What an event is to link to; nothing is said where absent.
#[derive(Debug, Default)]
pub struct EventLinks {
    is_new: bool,
    before: LinkedIds,
    venues: Option<LinkedResources>,
    organizers: Option<LinkedResources>,
    categories: Option<Vec<i64>>,
    tags: Option<Vec<i64>>,
}

impl Writable for event::Entity {
    type Fields = EventFields;
    type Links = EventLinks;

    async fn lock_before(
        transaction: &Transaction,
        _key: Option<&Key>,
        fields: Option<&EventFields>,
    ) -> Result<(), DbErr> {
        if fields.is_none_or(decide_about_lists) {
            locks::category_tree_shared(transaction).await?;
        }
        Ok(())
    }

    fn blank(caller: &Caller) -> event::Model {
        let identity = caller.identity;
        let mut row = event::Model {
            id: publication::NEW,
            version: 1,
            status: String::new(),
            trashed_status: None,
            trashed_at: None,
            slug: String::new(),
            published_at: 0,
            modified_at: 0,
            title: String::new(),
            description: String::new(),
            description_text: Some(String::new()),
            search_text: String::new(),
            author_id: None,
            image_id: None,
            excerpt: String::new(),
            starts_at: 0,
            ends_at: 0,
            timezone: String::new(),
            starts_local: 0,
            ends_local: 0,
            starts_offset: None,
            ends_offset: None,
            tz_release: String::new(),
            cost: String::new(),
            website: String::new(),
            custom_fields: "{}".to_owned(),
            post_parent: None,
            all_day: false,
            show_map: false,
            show_map_link: false,
            hide_from_listings: false,
            sticky: false,
            featured: false,
            ticketed: false,
            located: false,
        };
        row.set_common_columns(publication::blank(
            caller.timestamp(),
            identity.user(),
            identity.may_publish(),
        ));
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
        fields: EventFields,
    ) -> Result<EventLinks, Problem> {
        // Taken apart, so that no field can be forgotten here.
        let EventFields {
            author,
            date,
            date_utc,
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
        } = fields;
        let publication = Publication {
            author,
            date,
            date_utc,
            title,
            description,
            slug,
            status,
            image,
        };
        let mut columns = row.common_columns();
        publication::apply::<event::Entity>(context, &mut columns, publication).await?;
        row.set_common_columns(columns);
        apply_times(context, row, timezone, all_day, start_date, end_date);
        excerpt.map_value(String::from).apply_to(&mut row.excerpt);
        cost.map_value(String::from).apply_to(&mut row.cost);
        website.map_value(String::from).apply_to(&mut row.website);
        apply_parent(context, row, post_parent);
        match custom_fields {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => row.custom_fields = "{}".to_owned(),
            MaybeUndefined::Value(fields) => {
                row.custom_fields = serde_json::Value::Object(fields.0).to_string();
            }
        }
        for (field, place) in [
            (show_map, &mut row.show_map),
            (show_map_link, &mut row.show_map_link),
            (hide_from_listings, &mut row.hide_from_listings),
            (sticky, &mut row.sticky),
            (featured, &mut row.featured),
            (ticketed, &mut row.ticketed),
        ] {
            field.map_value(|flag| flag.0).apply_to(place);
        }
        row.search_text = search_text(&row.title, &row.description_text());
        let says_nothing =
            venue.is_undefined() && organizer.is_undefined() && categories.is_undefined() && tags.is_undefined();
        let before = match row.id == publication::NEW || says_nothing {
            true => LinkedIds::default(),
            false => links::of_events(context.transaction, &[row.id]).await?,
        };
        let venues = before.of_event::<event_venue::Entity>(row.id);
        let organizers = before.of_event::<event_organizer::Entity>(row.id);
        Ok(EventLinks {
            is_new: row.id == publication::NEW,
            before,
            venues: references::hosts::<event_venue::Entity>(context, row, &venues, venue).await?,
            organizers: references::hosts::<event_organizer::Entity>(context, row, &organizers, organizer).await?,
            categories: references::terms::<category::Entity>(context, categories).await?,
            tags: references::terms::<tag::Entity>(context, tags).await?,
        })
    }

    async fn pass_on(
        transaction: &Transaction,
        before: &CommonColumns,
        after: &CommonColumns,
        now: i64,
    ) -> Result<(), Problem> {
        inherited_publication::pass_on(transaction, before, after, now).await
    }

    async fn save_links(context: &WriteContext<'_>, id: i64, to: EventLinks) -> Result<bool, Problem> {
        let EventLinks {
            is_new,
            before,
            venues,
            organizers,
            categories,
            tags,
        } = to;
        let transaction = context.transaction;
        if !is_new {
            lock_hosts(transaction, id, &before, venues.as_ref(), organizers.as_ref()).await?;
        }
        let mut changed = false;
        changed |= references::save_hosts::<event_venue::Entity>(transaction, id, &before, venues).await?;
        changed |= references::save_hosts::<event_organizer::Entity>(transaction, id, &before, organizers).await?;
        changed |= links::replace::<event_category::Entity>(transaction, id, &before, categories).await?;
        changed |= links::replace::<event_tag::Entity>(transaction, id, &before, tags).await?;
        Ok(changed)
    }
}

/// Where venues or organizers of an event are to be replaced, locks those it has and those it gets.
async fn lock_hosts(
    transaction: &Transaction,
    id: i64,
    before: &LinkedIds,
    venues: Option<&LinkedResources>,
    organizers: Option<&LinkedResources>,
) -> Result<(), DbErr> {
    let mut all_venues = before.of_event::<event_venue::Entity>(id);
    let mut all_organizers = before.of_event::<event_organizer::Entity>(id);
    let is_replaced = |old: &[i64], new: Option<&LinkedResources>| new.is_some_and(|hosts| hosts.ids() != old);
    if is_replaced(&all_venues, venues) || is_replaced(&all_organizers, organizers) {
        all_venues.extend(venues.into_iter().flat_map(LinkedResources::ids));
        all_organizers.extend(organizers.into_iter().flat_map(LinkedResources::ids));
        locks::targets::<event_venue::Entity>(transaction, all_venues).await?;
        locks::targets::<event_organizer::Entity>(transaction, all_organizers).await?;
    }
    Ok(())
}

/// Whether any of the fields may change which lists the event is in, or where in them.
fn decide_about_lists(fields: &EventFields) -> bool {
    let EventFields {
        date,
        date_utc,
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
        ..
    } = fields;
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
    ]
    .contains(&false)
}

/// The text of an event that is indexed for search.
pub fn search_text(title: &str, description_text: &str) -> String {
    searched(&[title, description_text])
}

/// The parent, which need not exist. A number that was too large to be read stands as the largest one: stored, it
/// would be another than was sent.
fn apply_parent(context: &mut WriteContext<'_>, row: &mut event::Model, post_parent: MaybeUndefined<Id>) {
    if post_parent.value() == Some(&Id(i64::MAX)) {
        let error = FieldError::invalid("is larger than any ID");
        context.errors.add("post_parent", error);
        return;
    }
    post_parent.map_value(|id| id.0).update_to(&mut row.post_parent);
}

/// Start and end. Each given one counts in the new zone; one that is not given keeps its local time.
fn apply_times(
    context: &mut WriteContext<'_>,
    row: &mut event::Model,
    timezone: MaybeUndefined<ZoneName>,
    all_day: MaybeUndefined<LenientBool>,
    start_date: MaybeUndefined<DateTimeInput>,
    end_date: MaybeUndefined<DateTimeInput>,
) {
    let site = &context.caller.almanac.settings.site.zone;
    let before = row.times(site);
    let zone = match timezone {
        MaybeUndefined::Undefined => before.zone,
        MaybeUndefined::Null => *site,
        MaybeUndefined::Value(zone) => zone.0,
    };
    let is_moved = zone != before.zone;
    let now = context.caller.now;
    let read = |date: MaybeUndefined<DateTimeInput>, stored: LocalTime| match date.take() {
        Some(date) => {
            let moment = date.resolve(&zone, now);
            // A local time that clocks show twice would become the first of the two.
            let is_stored = matches!(date, DateTimeInput::Local { .. }) && moment.local == stored.local;
            match is_stored && !is_moved {
                true => stored,
                false => LocalTime::at(&zone, moment.instant),
            }
        }
        None if is_moved => LocalTime::shown(&zone, stored.local),
        None => stored,
    };
    let mut after = EventTimes {
        zone,
        start: read(start_date, before.start),
        end: read(end_date, before.end),
    };
    all_day.map_value(|flag| flag.0).apply_to(&mut row.all_day);
    if row.all_day {
        after = after.whole_days();
    }
    // Times that stay keep their instants, which a server with newer rules may have derived.
    if after != before || row.timezone != zone.name() {
        row.set_times(&after);
    }
    let is_known = !context.errors.has("start_date") && !context.errors.has("end_date");
    if is_known && row.ends_at < row.starts_at {
        let error = FieldError::invalid("must not be before start_date");
        context.errors.add("end_date", error);
    }
}
