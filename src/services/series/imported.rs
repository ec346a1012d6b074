//! Series of imports: their rules and their values come from a source, and no permission is checked.

use std::collections::HashSet;

use chrono::NaiveDateTime;

use super::{
    Scope, SeriesWrite,
    create::{self, NewSeries},
    delete::trash_scope,
    expand,
    revision::{self, Revision},
    stored_event, trash,
};
use crate::{
    error::{Problem, ValidationErrors},
    services::event::EventLinks,
    store::{
        entity::event,
        links::TargetIds,
        publishable::{self, PublishableRow},
        series::{
            Expansion, NewTargets, Series, Shape, SharedField, events_for_update, insert_links, is_located, local_at,
        },
    },
};

/// A series as its source has it.
pub(crate) struct ImportedSeries {
    /// An event with the values that the events share, and the start of their slugs. It is not stored.
    pub values: event::Model,
    pub links: TargetIds,
    pub shape: Shape,
    /// The identifier at the source.
    pub uid: String,
    /// Events exist at least before this local time, even if the rule has no end.
    pub least: Option<NaiveDateTime>,
    /// Events in the trash that were not deleted by hand: they come back if the rule has their places again.
    pub excluded: HashSet<i64>,
}

impl ImportedSeries {
    /// The series, and the places for which it has events.
    fn expand(self, write: &SeriesWrite<'_>) -> Result<(Series, Expansion), Problem> {
        let Self {
            values,
            links,
            shape,
            uid,
            least,
            excluded: _,
        } = self;
        let mut errors = ValidationErrors::default();
        let expansion = expand(write, &mut errors, &shape, least);
        errors.into_result()?;
        let slug = values.slug.clone();
        let mut series = Series::of_event(&values, links, slug, shape);
        series.row.uid = Some(uid);
        Ok((series, expansion))
    }
}

/// The number of events that a series with this rule has. The error tells why it can't have it.
pub(crate) fn size(write: &SeriesWrite<'_>, shape: &Shape) -> Result<usize, String> {
    let mut errors = ValidationErrors::default();
    let expansion = expand(write, &mut errors, shape, None);
    let reason = errors.iter().next().map(|(_, error)| error.message.clone());
    reason.map_or_else(|| Ok(expansion.slots.len()), Err)
}

/// Creates a series. Returns it with its first event.
pub(crate) async fn import(write: &SeriesWrite<'_>, new: ImportedSeries) -> Result<(Series, event::Model), Problem> {
    let transaction = write.transaction;
    let (series, expansion) = new.expand(write)?;
    let is_located = is_located(transaction, &series.fields.links.venues).await?;
    let (series, events) = create::store(transaction, series, expansion, is_located, None).await?;
    insert_links(transaction, &events, &series.fields.links).await?;
    let first = events.into_iter().next();
    let first = first.ok_or_else(|| Problem::internal("a series has no events"))?;
    Ok((series, first))
}

/// Turns a stored event into the first one of a series, and creates the others. Returns the series.
pub(crate) async fn convert(
    write: &SeriesWrite<'_>,
    new: ImportedSeries,
    before: &event::Model,
) -> Result<Series, Problem> {
    let transaction = write.transaction;
    let (series, expansion) = new.expand(write)?;
    let shape = series.shape.clone();
    let new = NewSeries::beginning_with_first_slot(series, expansion)?;
    let mut first = before.clone();
    first.all_day = shape.all_day;
    first.set_times(&shape.times(new.slot()));
    // The series has it.
    first.uid = None;
    let series = new.store(transaction, &mut first).await?;
    publishable::update::<event::Entity>(transaction, before, first, write.timestamp()).await?;
    Ok(series)
}

/// Changes a series and its events to those of the source. What was deleted by hand stays deleted. Returns the series.
pub(crate) async fn reimport(write: &SeriesWrite<'_>, series: Series, new: ImportedSeries) -> Result<Series, Problem> {
    let ImportedSeries {
        values,
        links,
        mut shape,
        uid: _,
        least,
        excluded,
    } = new;
    let mut events = events_for_update(write.transaction, series.row.id).await?;
    events.retain(|event| !excluded.contains(&event.id));
    keep_deleted(&series, &mut shape, &events);
    if shape.rule.slots(None, None).next().is_none() {
        // All that the source still has were deleted.
        return Ok(series);
    }
    let targets = NewTargets::changed(&series.fields.links, links);
    let mut fields = SharedField::differences(&series.template(), &values);
    fields.extend(targets.fields());
    let revision = Revision {
        fields,
        values,
        targets,
        shape,
        slug: None,
        edited: None,
        least,
    };
    revision::apply(write, &series, revision, &EventLinks::default()).await
}

/// Excludes the places of events that were deleted by hand from the new rule of a series.
fn keep_deleted(series: &Series, shape: &mut Shape, events: &[event::Model]) {
    let before = &series.shape.rule;
    let start = shape.rule.start();
    let delta = start - before.start();
    let deleted = events.iter().filter(|event| event.is_in_trash());
    let slots = deleted.filter_map(|event| event.recurrence_id.map(local_at));
    for slot in slots.filter(|slot| before.excludes(*slot)) {
        let moved = [
            Some(slot),
            Some(slot.date().and_time(start.time())),
            slot.checked_add_signed(delta),
        ];
        let place = moved
            .into_iter()
            .flatten()
            .find(|place| trash::has_slot(&shape.rule, *place));
        if let Some(place) = place {
            shape.rule.exclude(place);
        }
    }
}

/// Restores a series from the trash. Returns it.
pub(crate) async fn restore(write: &SeriesWrite<'_>, series: &Series) -> Result<Series, Problem> {
    let events = events_for_update(write.transaction, series.row.id).await?;
    trash::restore(write, series, &events).await
}

/// Removes all events from a series but one, which stays a single event: that at the start or on its day, or else the
/// first one. Returns it; None if all events are in the trash.
pub(crate) async fn dissolve(
    write: &SeriesWrite<'_>,
    series: &Series,
    start: NaiveDateTime,
) -> Result<Option<event::Model>, Problem> {
    let mut events = events_for_update(write.transaction, series.row.id).await?;
    events.retain(|event| !event.is_in_trash());
    let remaining = events.into_iter().min_by_key(|event| {
        let slot = event.recurrence_id.map(local_at);
        let has_day = slot.is_some_and(|slot| slot.date() == start.date());
        (slot != Some(start), !has_day, slot)
    });
    let Some(remaining) = remaining else {
        return Ok(None);
    };
    trash::dissolve(write, series, &remaining).await?;
    Ok(Some(stored_event(write.transaction, remaining.id).await?))
}

/// Moves the events of a series that have not ended to the trash. Returns whether there were any.
pub(crate) async fn trash_upcoming(write: &SeriesWrite<'_>, series: &Series) -> Result<bool, Problem> {
    let now = write.timestamp();
    let events = events_for_update(write.transaction, series.row.id).await?;
    let upcoming = events
        .iter()
        .filter(|event| !event.is_in_trash() && event.ends_at > now);
    let Some(first) = upcoming.filter_map(|event| event.recurrence_id).min() else {
        return Ok(false);
    };
    trash_scope(write, series, Some(local_at(first)), Scope::Following).await?;
    Ok(true)
}
