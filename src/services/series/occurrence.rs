//! Changes of one event of a series.

use super::{EventPayload, RecurringPayload, find_for_update, new_targets, trash};
use crate::{
    calendar::recurrence::Recurrence,
    error::{FieldError, Problem},
    extract::{MaybeUndefined, recurrence::RecurrenceLines},
    services::{Writable, WriteContext, publication},
    store::{
        entity::event,
        publishable::PublishableRow,
        series::{Overridden, Series, SharedField},
    },
};

/// Changes one event of a series, which overrides the changed fields from then on.
pub(super) async fn change(
    context: &mut WriteContext<'_>,
    before: event::Model,
    mut payload: EventPayload,
) -> Result<event::Model, Problem> {
    let transaction = context.transaction;
    let now = context.caller.timestamp();
    let parts = event::Entity::parts(&mut payload);
    let lines = std::mem::take(parts.recurrence);
    let has_status = parts.status.value().is_some();
    let series = match before.series_id.filter(|_| has_status || !lines.is_undefined()) {
        Some(id) => Some(find_for_update(transaction, id).await?),
        None => None,
    };
    let mut after = before.clone();
    let links = event::Entity::apply(context, &mut after, payload).await?;
    if let Some(series) = &series {
        check_same_rule(context, series, &lines);
    }
    context.check()?;
    let (_, link_fields) = new_targets(before.id, &links);
    let mut overridden = Overridden::of(&before);
    overridden.add(SharedField::differences(&before, &after));
    overridden.add(link_fields);
    after.overridden = overridden.to_string();
    if let Some(series) = &series {
        match (before.is_in_trash(), after.is_in_trash()) {
            (false, true) => trash::exclude(transaction, series, &before, now).await?,
            (true, false) if !trash::include(transaction, series, &before, now).await? => leave_series(&mut after),
            _ => {}
        }
    }
    let has_new_links = event::Entity::save_links(context, &before, links).await?;
    if !has_new_links && before == after {
        return Ok(before);
    }
    publication::update::<event::Entity>(transaction, &before, after, now).await
}

/// The event becomes one without a series.
pub(super) fn leave_series(event: &mut event::Model) {
    event.series_id = None;
    event.recurrence_id = None;
    event.overridden = String::new();
}

/// One event can't change the rule, but the rule can be sent back unchanged.
fn check_same_rule(context: &mut WriteContext<'_>, series: &Series, lines: &MaybeUndefined<RecurrenceLines>) {
    let message = match lines {
        MaybeUndefined::Undefined => return,
        MaybeUndefined::Null => "can be removed only with scope=all, which moves the other events to the trash",
        MaybeUndefined::Value(lines) if is_same_rule(series, lines) => return,
        MaybeUndefined::Value(_) => "can be changed only with scope=following or scope=all",
    };
    context.errors.add("recurrence", FieldError::invalid(message));
}

/// Whether the lines are those of the series.
pub(super) fn is_same_rule(series: &Series, lines: &RecurrenceLines) -> bool {
    let shape = &series.shape;
    let stored = shape.rule.lines();
    let sent = lines.0.lines().map(str::trim).filter(|line| !line.is_empty());
    sent.eq(stored.iter().map(String::as_str))
        || Recurrence::parse(&lines.0, shape.rule.start(), shape.all_day, &shape.zone)
            .is_ok_and(|rule| rule == shape.rule)
}
