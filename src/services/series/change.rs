//! A change of a series, or of its events from one of them on.

use std::collections::BTreeSet;

use chrono::NaiveDateTime;

use super::{
    EventPayload, PayloadParts, RecurringPayload, Scope, SeriesWrite, checked,
    create::written_start,
    delete::trash_scope,
    new_targets,
    occurrence::{is_same_rule, leave_series},
    parse,
    revision::{self, Revision},
    store, stored_event, trash,
    update::change_single,
};
use crate::{
    calendar::{date::DateTimeInput, recurrence::Recurrence, slug::slugify, status::Status},
    error::{FieldError, Problem},
    extract::{MaybeUndefined, recurrence::RecurrenceLines, text::Slug},
    services::{Writable, WriteContext, external_id},
    store::{
        entity::{event, series as rows},
        publishable::PublishableRow,
        series::{self, Series, Shape, SharedField, events_for_update, local_at, move_events, update_events},
    },
};

/// Changes a series, or its events from one of them on. `event` is the event by which it is changed, unless that is the
/// series itself. The values of the payload are compared with those of the event, or of the series.
pub(super) async fn change_series(
    context: &mut WriteContext<'_>,
    series: Series,
    event: Option<event::Model>,
    scope: Scope,
    mut payload: EventPayload,
) -> Result<(), Problem> {
    let parts = <event::Entity as RecurringPayload>::parts(&mut payload);
    let is_dissolved = parts.recurrence.is_null() && scope == Scope::All;
    if let Some(event) = event.as_ref().filter(|_| is_dissolved) {
        return dissolve(context, &series, event, payload).await;
    }
    let parts = <event::Entity as RecurringPayload>::parts(&mut payload);
    let lines = std::mem::take(parts.recurrence);
    let status = parts.status.value().map(|status| status.0);
    let to_trash = status == Some(Status::Trash);
    if to_trash {
        *parts.status = MaybeUndefined::Undefined;
    }
    let is_restored = status.is_some() && !to_trash;
    let Some((series, event)) = restore(context, series, event, is_restored).await? else {
        return Ok(());
    };
    let base = event.clone().unwrap_or_else(|| series.template());
    let parts = <event::Entity as RecurringPayload>::parts(&mut payload);
    let slug = new_slug(context, &series, event.as_ref(), std::mem::take(parts.slug));
    external_id::reject_shared(context, event.as_ref(), &std::mem::take(parts.external));
    let written = written_start(parts.start_date);
    let has_end = parts.end_date.value().is_some();
    keep_duration(context, &base, parts);
    let mut values = base.clone();
    let links = match &event {
        Some(_) => event::Entity::apply(context, &mut values, payload).await?,
        None => event::Entity::apply_with_links(context, &mut values, series.template_links(), payload).await?,
    };
    let (targets, link_fields) = new_targets(base.id, &links);
    let mut fields = SharedField::differences(&base, &values);
    fields.extend(link_fields);
    let change = TimeChange {
        fields: &fields,
        base: &base,
        values: &values,
        written,
        has_end,
        lines: &lines,
    };
    let slot = event.as_ref().and_then(|event| event.recurrence_id).map(local_at);
    let split = match scope {
        Scope::Following => slot.and_then(|slot| Some((slot, series.shape.rule.split_at(slot)?))),
        _ => None,
    };
    let current = Shape {
        rule: split
            .as_ref()
            .map_or_else(|| series.shape.rule.clone(), |(_, (_, tail))| tail.clone()),
        ..series.shape.clone()
    };
    let shape = change.shape(context, &series, &current);
    context.check()?;
    let shape = shape.unwrap_or_else(|| current.clone());
    let write = SeriesWrite::of(context.caller, context.transaction);
    let changes = !fields.is_empty() || slug.is_some() || shape != current;
    let mut series = series;
    if changes {
        if let Some((slot, (head, _))) = split {
            series = divide(context, &series, slot, head, &current).await?;
        }
        let revision = Revision {
            fields,
            values,
            targets,
            shape,
            slug,
            edited: event.as_ref().map(|event| event.id),
            least: None,
        };
        series = revision::apply(&write, &series, revision, &links).await?;
    }
    if to_trash {
        trash_scope(&write, &series, slot, scope).await?;
    }
    Ok(())
}

/// Turns an event of a series into a single one, and changes it. The other events go to the trash.
async fn dissolve(
    context: &mut WriteContext<'_>,
    series: &Series,
    event: &event::Model,
    payload: EventPayload,
) -> Result<(), Problem> {
    trash::dissolve(&SeriesWrite::of(context.caller, context.transaction), series, event).await?;
    let mut single = event.clone();
    leave_series(&mut single);
    change_single(context, single, payload).await?;
    Ok(())
}

/// Restores the series, or the event, if it is in the trash and the payload has a status. Returns None if the event has
/// left the series.
async fn restore(
    context: &WriteContext<'_>,
    series: Series,
    event: Option<event::Model>,
    is_restored: bool,
) -> Result<Option<(Series, Option<event::Model>)>, Problem> {
    if !is_restored {
        return Ok(Some((series, event)));
    }
    let transaction = context.transaction;
    let now = context.caller.timestamp();
    let series = match series.row.trashed_at {
        Some(_) => {
            let events = events_for_update(transaction, series.row.id).await?;
            trash::restore(&SeriesWrite::of(context.caller, transaction), &series, &events).await?
        }
        None => series,
    };
    let Some(event) = event else {
        return Ok(Some((series, None)));
    };
    let event = stored_event(transaction, event.id).await?;
    if !event.is_in_trash() {
        return Ok(Some((series, Some(event))));
    }
    let is_included = trash::include(transaction, &series, &event, now).await?;
    let mut restored = trash::restored(&event, now);
    trash::free_slugs(transaction, vec![&mut restored]).await?;
    if !is_included {
        leave_series(&mut restored);
    }
    update_events(transaction, &[(event.clone(), restored)], now).await?;
    let event = stored_event(transaction, event.id).await?;
    let series = Series::of(super::stored_series(transaction, series.row.id).await?)?;
    Ok(is_included.then_some((series, Some(event))))
}

/// The new start of the slugs of a series. An event can't change it.
fn new_slug(
    context: &mut WriteContext<'_>,
    series: &Series,
    event: Option<&event::Model>,
    slug: MaybeUndefined<Slug>,
) -> Option<String> {
    let slug = match slug {
        MaybeUndefined::Undefined => return None,
        MaybeUndefined::Null => slugify(&series.fields.title),
        MaybeUndefined::Value(slug) => slug.0,
    };
    match event {
        Some(event) if event.slug == slug => None,
        Some(_) => {
            let message = "can be changed only with scope=this: each event has its own";
            context.errors.add("slug", FieldError::invalid(message));
            None
        }
        None => (slug != series.fields.slug).then_some(slug),
    }
}

/// Sets the end if only the start is given: moving a series does not change the duration of its events.
fn keep_duration(context: &WriteContext<'_>, base: &event::Model, parts: PayloadParts<'_>) {
    let (Some(start), true) = (parts.start_date.value(), parts.end_date.is_undefined()) else {
        return;
    };
    let site = &context.caller.almanac.settings.site.zone;
    let times = base.times(site);
    let zone = match parts.timezone {
        MaybeUndefined::Undefined => times.zone,
        MaybeUndefined::Null => *site,
        MaybeUndefined::Value(zone) => zone.0,
    };
    let start = start.resolve(&zone, context.caller.now).local;
    if let Some(date_time) = start.checked_add_signed(times.end.local - times.start.local) {
        *parts.end_date = MaybeUndefined::Value(DateTimeInput::Local {
            date_time,
            has_time: true,
        });
    }
}

/// The changes in a payload that affect the times and the recurrence rule of a series.
struct TimeChange<'a> {
    fields: &'a BTreeSet<SharedField>,
    /// The event before the change.
    base: &'a event::Model,
    /// The event after it.
    values: &'a event::Model,
    /// The local start as written.
    written: Option<NaiveDateTime>,
    has_end: bool,
    lines: &'a MaybeUndefined<RecurrenceLines>,
}

impl TimeChange<'_> {
    /// The times of the series after the change. `current` are those before it, from the first changed event on. Errors
    /// are added to `context.errors`.
    fn shape(&self, context: &mut WriteContext<'_>, series: &Series, current: &Shape) -> Option<Shape> {
        let Self {
            fields,
            base,
            values,
            written,
            has_end,
            lines,
        } = self;
        let site = &context.caller.almanac.settings.site.zone;
        let times = values.times(site);
        let changes = |field| fields.contains(&field);
        let all_day = match changes(SharedField::AllDay) {
            true => values.all_day,
            false => current.all_day,
        };
        let zone = match changes(SharedField::Timezone) {
            true => times.zone,
            false => current.zone,
        };
        let has_new_end = *has_end && (changes(SharedField::StartDate) || changes(SharedField::EndDate));
        let duration = match changes(SharedField::AllDay) || has_new_end {
            true => Shape::duration_of(&times, all_day),
            false => current.duration,
        };
        let from = base.recurrence_id.map_or(current.rule.start(), local_at);
        let to = match changes(SharedField::StartDate) || changes(SharedField::AllDay) {
            true => Shape::first_slot(written.unwrap_or(times.start.local), all_day),
            false => from,
        };
        let start = current.rule.start().checked_add_signed(to - from)?;
        let start = Shape::first_slot(start, all_day);
        let rule = match lines {
            MaybeUndefined::Null => {
                let message = "can be removed only by an update of an event with scope=all; delete the series instead";
                context.errors.add("recurrence", FieldError::invalid(message));
                None
            }
            MaybeUndefined::Value(lines) if !is_same_rule(series, lines) => {
                parse(&mut context.errors, lines, start, all_day, &zone)
            }
            _ if start == current.rule.start() && all_day == current.all_day => Some(current.rule.clone()),
            _ => {
                let moved = current.rule.with_start(start, all_day);
                checked(&mut context.errors, moved).map(|rule| with_moved_exceptions(rule, current))
            }
        }?;
        Some(Shape {
            rule,
            zone,
            duration,
            all_day,
        })
    }
}

/// The rule, whose exceptions move with its start to another day.
fn with_moved_exceptions(mut rule: Recurrence, before: &Shape) -> Recurrence {
    let delta = rule.start() - before.rule.start();
    if rule.start().date() == before.rule.start().date() {
        return rule;
    }
    let time = rule.start().time();
    for slot in before.rule.exceptions() {
        rule.include(slot.date().and_time(time));
    }
    for slot in before.rule.exceptions() {
        if let Some(moved) = slot.checked_add_signed(delta) {
            rule.exclude(moved);
        }
    }
    rule
}

/// Divides a series: the events from a place on move to a new series, which is returned.
async fn divide(
    context: &WriteContext<'_>,
    series: &Series,
    slot: NaiveDateTime,
    head: Recurrence,
    tail: &Shape,
) -> Result<Series, Problem> {
    let transaction = context.transaction;
    let now = context.caller.timestamp();
    let new = Series {
        row: rows::Model {
            id: 0,
            version: 1,
            modified_at: now,
            uid: None,
            ..series.row.clone()
        },
        fields: series.fields.clone(),
        shape: tail.clone(),
    };
    let new = series::insert(transaction, new.into_row()?).await?;
    let mut before = series.clone();
    before.shape.rule = head;
    before.row.expanded_until = None;
    store(transaction, series, before, now).await?;
    move_events(transaction, series.row.id, slot, new.id).await?;
    Ok(Series::of(new)?)
}
