//! Creates series: with a new event, or from an event that is stored.

use std::{mem, sync::Arc};

use chrono::NaiveDateTime;

use super::{
    EventPayload, RecurringPayload, SeriesWrite, check_texts, expand, new_targets, parse, target_ids, with_new,
};
use crate::{
    auth::Caller,
    calendar::{Kind, date::DateTimeInput},
    error::{FieldError, Problem},
    extract::{Create, MaybeUndefined, recurrence::RecurrenceLines},
    services::{
        Validated, WriteContext,
        event::{EventLinks, follow},
        new_events::{self, Draft, NewEvents},
    },
    store::{
        Snapshot, Transaction,
        entity::event,
        links::{self, LinkedEvent, TargetIds},
        publishable::{ExternalId, PublishableRow, insert_with_free_slugs},
        series::{self, Expansion, Series, Shape, insert_links, local_seconds},
    },
};

/// Reads the payload of a create, if the caller may create events.
pub(crate) async fn read_create(
    caller: &Caller,
    body: Create<EventPayload>,
) -> Result<Validated<EventPayload>, Problem> {
    if !caller.identity.may_create(Kind::Event) {
        return Err(Problem::role_may_not("create", Kind::Event.plural()));
    }
    body.read().await
}

/// Creates one event for each payload, or a series of events if the payload has a rule. Returns the first event of each.
/// `read` reads what was written.
pub(crate) async fn create<V, R>(
    caller: &Caller,
    payloads: Vec<Validated<EventPayload>>,
    read: impl Fn(Arc<Snapshot>, NewEvents) -> R,
) -> Result<(NewEvents, V), Problem>
where
    R: Future<Output = Result<V, Problem>>,
{
    let insert = |transaction| insert_all(caller, transaction, payloads.clone());
    caller.store().write_and_read(insert, read).await
}

async fn insert_all(
    caller: &Caller,
    transaction: Arc<Transaction>,
    payloads: Vec<Validated<EventPayload>>,
) -> Result<NewEvents, Problem> {
    let mut new = NewEvents::default();
    let mut together = Vec::new();
    for mut payload in payloads {
        let lines = mem::take(event::Entity::parts(&mut payload.0).recurrence).take();
        let is_alone = lines.is_some() || caller.leniency.reuse_names;
        if is_alone && !together.is_empty() {
            let payloads = mem::take(&mut together);
            new.append(Box::pin(new_events::insert(caller, &transaction, payloads)).await?);
        }
        match lines {
            Some(lines) => new.append(Box::pin(insert_series(caller, &transaction, payload, &lines)).await?),
            None => together.push(payload),
        }
    }
    if !together.is_empty() {
        new.append(Box::pin(new_events::insert(caller, &transaction, together)).await?);
    }
    Ok(new)
}

/// Creates one event, or a series of events. Returns the first event.
pub(crate) async fn insert(
    caller: &Caller,
    transaction: Arc<Transaction>,
    payload: Validated<EventPayload>,
) -> Result<event::Model, Problem> {
    let event = insert_all(caller, transaction, vec![payload]).await?.events.pop();
    let event = event.ok_or_else(|| Problem::internal("a payload has led to no event"))?;
    Ok(event.row)
}

/// Creates a series. Returns its first event.
async fn insert_series(
    caller: &Caller,
    transaction: &Transaction,
    mut payload: Validated<EventPayload>,
    lines: &RecurrenceLines,
) -> Result<NewEvents, Problem> {
    let written = written_start(event::Entity::parts(&mut payload.0).start_date);
    let (mut drafts, linked) = new_events::prepare(caller, transaction, vec![payload]).await?;
    let Some(mut draft) = drafts.pop() else {
        return Err(Problem::internal("a payload has led to no event"));
    };
    let mut context = draft.take_context(caller, transaction);
    let Draft { mut row, links, .. } = draft;
    let shape = shape_of(&mut context, &row, written, lines);
    let (targets, _) = new_targets(row.id, &links);
    let targets = with_new(&TargetIds::default(), &targets);
    let slug = mem::take(&mut row.slug);
    let new = shape.map(|shape| {
        let write = SeriesWrite::of(caller, transaction);
        let expansion = expand(&write, &mut context.errors, &shape, None);
        let series = Series::of_event(&row, targets, slug, shape);
        check_texts(&mut context.errors, &series.fields, expansion.slots.len());
        (series, expansion)
    });
    context.check()?;
    let Some((series, expansion)) = new else {
        return Err(Problem::internal("a rule without errors has no places"));
    };
    let external = row.common_columns().external;
    let (series, events) = store(transaction, series, expansion, row.located, external).await?;
    insert_links(transaction, &events, &series.fields.links).await?;
    let Some(first) = events.into_iter().next() else {
        return Err(Problem::internal("a series has no events"));
    };
    // New venues and organizers follow its publication.
    follow(transaction, first.id, &links).await?;
    Ok(NewEvents {
        events: vec![LinkedEvent::new(first, series.fields.links)],
        linked,
    })
}

/// The local start as written. It may be in a gap of the time zone, in which the other occurrences are not.
pub(super) fn written_start(start_date: &MaybeUndefined<DateTimeInput>) -> Option<NaiveDateTime> {
    match start_date.value() {
        Some(DateTimeInput::Local { date_time, .. }) => Some(*date_time),
        _ => None,
    }
}

/// The times of a series that begins with the event. Errors are added to `context.errors`.
fn shape_of(
    context: &mut WriteContext<'_>,
    event: &event::Model,
    written: Option<NaiveDateTime>,
    lines: &RecurrenceLines,
) -> Option<Shape> {
    let of_times = ["start_date", "end_date", "timezone"];
    if of_times.iter().any(|field| context.errors.has(field)) {
        return None;
    }
    let site = &context.caller.almanac.settings.site.zone;
    let times = event.times(site);
    let start = Shape::first_slot(written.unwrap_or(times.start.local), event.all_day);
    let rule = parse(&mut context.errors, lines, start, event.all_day, &times.zone)?;
    Some(Shape {
        rule,
        zone: times.zone,
        duration: Shape::duration_of(&times, event.all_day),
        all_day: event.all_day,
    })
}

/// Inserts a series and its events, without links. The first event has the ID in another system. Returns the events in
/// order.
pub(super) async fn store(
    transaction: &Transaction,
    mut series: Series,
    expansion: Expansion,
    is_located: bool,
    external: Option<ExternalId>,
) -> Result<(Series, Vec<event::Model>), Problem> {
    let Expansion { slots, until } = expansion;
    series.row.expanded_until = until.map(local_seconds);
    let series = Series::of(series::insert(transaction, series.into_row()?).await?)?;
    let template = event::Model {
        located: is_located,
        ..series.template()
    };
    let events = slots.into_iter().map(|slot| series.occurrence(&template, slot));
    let mut events: Vec<event::Model> = events.collect();
    if let Some(first) = events.first_mut() {
        let mut columns = first.common_columns();
        columns.external = external;
        first.set_common_columns(columns);
    }
    let events = insert_with_free_slugs::<event::Entity>(transaction, events).await?;
    Ok((series, events))
}

/// A series that is about to be stored with its first event, which is stored already.
pub(super) struct NewSeries {
    series: Series,
    /// The place of the first event.
    slot: NaiveDateTime,
    /// The places of the others.
    expansion: Expansion,
}

impl NewSeries {
    /// The series that begins with a stored event. `event` has the other changes of the write. Errors are added to
    /// `context.errors`.
    pub(super) async fn of(
        context: &mut WriteContext<'_>,
        event: &event::Model,
        links: &EventLinks,
        written: Option<NaiveDateTime>,
        lines: &RecurrenceLines,
    ) -> Result<Option<Self>, Problem> {
        let Some(shape) = shape_of(context, event, written, lines) else {
            return Ok(None);
        };
        let write = SeriesWrite::of(context.caller, context.transaction);
        let expansion = expand(&write, &mut context.errors, &shape, None);
        if expansion.slots.first() != Some(&shape.rule.start()) {
            let message = "must not exclude the start of the event";
            context.errors.add("recurrence", FieldError::invalid(message));
            return Ok(None);
        }
        let stored = links::of_events(context.transaction, &[event.id]).await?;
        let (targets, _) = new_targets(event.id, links);
        let targets = with_new(&target_ids(event.id, &stored), &targets);
        let series = Series::of_event(event, targets, event.slug.clone(), shape);
        check_texts(&mut context.errors, &series.fields, expansion.slots.len());
        Self::beginning_with_first_slot(series, expansion).map(Some)
    }

    /// The series whose first event is the stored one.
    pub(super) fn beginning_with_first_slot(series: Series, mut expansion: Expansion) -> Result<Self, Problem> {
        if expansion.slots.is_empty() {
            return Err(Problem::internal("a rule without errors has no places"));
        }
        let slot = expansion.slots.remove(0);
        Ok(Self {
            series,
            slot,
            expansion,
        })
    }

    /// The place of the first event.
    pub(super) fn slot(&self) -> NaiveDateTime {
        self.slot
    }

    /// Inserts the series and its other events, and sets the columns of the first event. Returns the series.
    pub(super) async fn store(self, transaction: &Transaction, first: &mut event::Model) -> Result<Series, Problem> {
        let Self {
            series,
            slot,
            expansion,
        } = self;
        let is_located = series::is_located(transaction, &series.fields.links.venues).await?;
        let (series, events) = store(transaction, series, expansion, is_located, None).await?;
        insert_links(transaction, &events, &series.fields.links).await?;
        first.series_id = Some(series.row.id);
        first.recurrence_id = Some(local_seconds(slot));
        Ok(series)
    }
}
