//! Times, links and denormalised columns of an event.

use sea_orm::DbErr;

use super::{
    WriteContext,
    linked_references::{self, LinkedResources},
};
use crate::{
    auth::Caller,
    calendar::{
        date::DateTimeInput,
        local_time::{EventTimes, LocalTime},
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{ApplyTo, MaybeUndefined, lenient_bool::LenientBool, number::Id, text::ZoneName},
    store::{
        Transaction,
        batch::Batch,
        entity::{event, event_category, event_organizer, event_tag, event_venue},
        links::{self, LinkedEvent, LinkedIds, TargetIds},
        locks,
    },
};

/// The links of an event before and after a write; none before, if it is new. `None` keeps the stored links.
#[derive(Debug, Default)]
pub(crate) struct EventLinks {
    pub before: LinkedIds,
    pub venues: Option<LinkedResources>,
    pub organizers: Option<LinkedResources>,
    pub categories: Option<Vec<i64>>,
    pub tags: Option<Vec<i64>>,
}

impl EventLinks {
    /// The targets of the links of a new event.
    fn into_targets(self) -> TargetIds {
        let ids = |resources: Option<LinkedResources>| resources.map(LinkedResources::into_ids).unwrap_or_default();
        TargetIds {
            venues: ids(self.venues),
            organizers: ids(self.organizers),
            categories: self.categories.unwrap_or_default(),
            tags: self.tags.unwrap_or_default(),
        }
    }
}

/// Stores the links of a stored event. Returns whether any link changed.
pub(crate) async fn save_links(
    transaction: &Transaction,
    event: &event::Model,
    links: EventLinks,
) -> Result<bool, Problem> {
    let EventLinks {
        before,
        venues,
        organizers,
        categories,
        tags,
    } = links;
    lock_linked_resources(transaction, event.id, &before, venues.as_ref(), organizers.as_ref()).await?;
    let mut batch = Batch::new(transaction);
    let mut changed = false;
    changed |= linked_references::save::<event_venue::Entity>(&mut batch, event, &before, venues);
    changed |= linked_references::save::<event_organizer::Entity>(&mut batch, event, &before, organizers);
    changed |= links::replace::<event_category::Entity>(&mut batch, event, &before, categories);
    changed |= links::replace::<event_tag::Entity>(&mut batch, event, &before, tags);
    batch.run(transaction).await?;
    Ok(changed)
}

/// Stores the links of new events. Returns the events with them, in the same order.
pub(crate) async fn link_new(
    transaction: &Transaction,
    events: Vec<(event::Model, EventLinks)>,
) -> Result<Vec<LinkedEvent>, DbErr> {
    let mut batch = Batch::new(transaction);
    let mut linked = Vec::with_capacity(events.len());
    for (event, links) in events {
        add_followers(&mut batch, event.id, &links);
        linked.push((event, links.into_targets()));
    }
    links::insert_all(&mut batch, linked.iter().map(|(event, targets)| (event, targets)));
    batch.run(transaction).await?;
    let with_links = |(event, targets)| LinkedEvent::new(event, targets);
    Ok(linked.into_iter().map(with_links).collect())
}

/// Makes the new venues and organizers of a payload follow the publication of an event.
pub(crate) async fn follow(transaction: &Transaction, event: i64, links: &EventLinks) -> Result<(), DbErr> {
    let mut batch = Batch::new(transaction);
    add_followers(&mut batch, event, links);
    batch.run(transaction).await
}

fn add_followers(batch: &mut Batch, event: i64, links: &EventLinks) {
    if let Some(venues) = &links.venues {
        venues.follow::<event_venue::Entity>(batch, event);
    }
    if let Some(organizers) = &links.organizers {
        organizers.follow::<event_organizer::Entity>(batch, event);
    }
}

/// If the venues or organizers of an event change, locks both the previous and the new ones.
async fn lock_linked_resources(
    transaction: &Transaction,
    id: i64,
    before: &LinkedIds,
    venues: Option<&LinkedResources>,
    organizers: Option<&LinkedResources>,
) -> Result<(), DbErr> {
    let mut all_venues = before.of_event::<event_venue::Entity>(id);
    let mut all_organizers = before.of_event::<event_organizer::Entity>(id);
    let is_replaced = |old: &[i64], new: Option<&LinkedResources>| new.is_some_and(|resources| resources.ids() != old);
    if is_replaced(&all_venues, venues) || is_replaced(&all_organizers, organizers) {
        all_venues.extend(venues.into_iter().flat_map(LinkedResources::ids));
        all_organizers.extend(organizers.into_iter().flat_map(LinkedResources::ids));
        locks::lock_targets::<event_venue::Entity>(transaction, all_venues).await?;
        locks::lock_targets::<event_organizer::Entity>(transaction, all_organizers).await?;
    }
    Ok(())
}

/// Sets the parent, which need not exist. Numbers beyond the range of `i64` are parsed as its maximum, which is
/// therefore rejected.
pub(crate) fn apply_parent(context: &mut WriteContext<'_>, row: &mut event::Model, post_parent: MaybeUndefined<Id>) {
    if post_parent.value() == Some(&Id(i64::MAX)) {
        let error = FieldError::invalid("is larger than any ID");
        context.errors.add("post_parent", error);
        return;
    }
    post_parent.map_value(|id| id.0).update_to(&mut row.post_parent);
}

/// Sets start and end. Given times are interpreted in the new time zone; others keep their local time.
pub(crate) fn apply_times(
    context: &mut WriteContext<'_>,
    row: &mut event::Model,
    timezone: MaybeUndefined<ZoneName>,
    all_day: MaybeUndefined<LenientBool>,
    start_date: MaybeUndefined<DateTimeInput>,
    end_date: MaybeUndefined<DateTimeInput>,
) {
    let WriteContext { caller, errors, .. } = context;
    set_times(caller, errors, row, timezone, all_day, start_date, end_date);
}

/// Sets start and end. Errors are added.
pub(crate) fn set_times(
    caller: &Caller,
    errors: &mut ValidationErrors,
    row: &mut event::Model,
    timezone: MaybeUndefined<ZoneName>,
    all_day: MaybeUndefined<LenientBool>,
    start_date: MaybeUndefined<DateTimeInput>,
    end_date: MaybeUndefined<DateTimeInput>,
) {
    let site = &caller.almanac.settings.site.zone;
    let before = row.times(site);
    let zone = match timezone {
        MaybeUndefined::Undefined => before.zone,
        MaybeUndefined::Null => *site,
        MaybeUndefined::Value(zone) => zone.0,
    };
    let zone_changes = zone != before.zone;
    let now = caller.now;
    let resolve = |date: MaybeUndefined<DateTimeInput>, stored: LocalTime| match date.take() {
        Some(date) => {
            let moment = date.resolve(&zone, now);
            // Resolving an ambiguous local time again would yield its first instant.
            let is_unchanged = matches!(date, DateTimeInput::Local { .. }) && moment.local == stored.local;
            match is_unchanged && !zone_changes {
                true => stored,
                false => LocalTime::at(&zone, moment.instant),
            }
        }
        None if zone_changes => LocalTime::from_wall_clock(&zone, stored.local),
        None => stored,
    };
    let mut after = EventTimes {
        zone,
        start: resolve(start_date, before.start),
        end: resolve(end_date, before.end),
    };
    all_day.map_value(|flag| flag.0).apply_to(&mut row.all_day);
    if row.all_day {
        after = after.whole_days();
    }
    // Keep the instants of unchanged times: a server with newer time zone rules may have derived them.
    if after != before || row.timezone != zone.name() {
        row.set_times(&after);
    }
    let is_valid = !errors.has("start_date") && !errors.has("end_date");
    if is_valid && row.ends_at < row.starts_at {
        let error = FieldError::invalid("must not be before start_date");
        errors.add("end_date", error);
    }
}
