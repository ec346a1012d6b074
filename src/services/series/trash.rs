//! The trash of series. An event of a series is in the trash if and only if its place is not in the rule, unless the whole
//! series is in the trash.

use std::collections::HashSet;

use chrono::NaiveDateTime;

use super::{SeriesWrite, store};
use crate::{
    calendar::{Kind, recurrence::Recurrence, status::Status, zone::Zone},
    error::Problem,
    services::Writable,
    store::{
        Transaction,
        entity::event,
        publishable::PublishableRow,
        series::{Series, detach, events_for_update, local_at, local_seconds, update_events},
        slugs::{self, Slugs},
    },
};

/// Takes the place of an event that goes to the trash out of the rule. If it is the last one, the series goes to the
/// trash instead.
pub(super) async fn exclude(
    transaction: &Transaction,
    series: &Series,
    event: &event::Model,
    now: i64,
) -> Result<(), Problem> {
    let Some(slot) = event.recurrence_id.map(local_at) else {
        return Ok(());
    };
    let mut after = series.clone();
    after.shape.rule.exclude(slot);
    if after.shape.rule.slots(None, None).next().is_none() {
        after = trashed(series, now);
    }
    store(transaction, series, after, now).await?;
    Ok(())
}

/// Puts the place of an event that is restored into the rule. Returns false if that is not possible: the event leaves the
/// series.
pub(super) async fn include(
    transaction: &Transaction,
    series: &Series,
    event: &event::Model,
    now: i64,
) -> Result<bool, Problem> {
    let Some(slot) = event.recurrence_id.map(local_at) else {
        return Ok(false);
    };
    let mut after = series.clone();
    if series.row.trashed_at.is_some() {
        // The series went to the trash with its last event, and leaves it with that.
        if !series.shape.rule.slots(None, None).take(2).eq([slot]) {
            return Ok(false);
        }
        leave_trash(&mut after);
    }
    after.shape.rule.include(slot);
    if !has_slot(&after.shape.rule, slot) {
        match with_date(&after.shape.rule, slot, series.shape.all_day) {
            Some(rule) => after.shape.rule = rule,
            None => return Ok(false),
        }
    }
    store(transaction, series, after, now).await?;
    Ok(true)
}

pub(super) fn has_slot(rule: &Recurrence, slot: NaiveDateTime) -> bool {
    rule.slots(Some(slot), None).next() == Some(slot)
}

/// The rule with an additional date, unless it has too many.
fn with_date(rule: &Recurrence, slot: NaiveDateTime, all_day: bool) -> Option<Recurrence> {
    let date = match all_day {
        true => format!("RDATE;VALUE=DATE:{}", slot.format("%Y%m%d")),
        false => format!("RDATE:{}", slot.format("%Y%m%dT%H%M%S")),
    };
    let mut lines = rule.lines();
    lines.push(date);
    Recurrence::parse(&lines.join("\n"), rule.start(), all_day, &Zone::UTC).ok()
}

/// The series in the trash.
pub(super) fn trashed(series: &Series, now: i64) -> Series {
    let mut after = series.clone();
    if after.row.trashed_at.is_some() {
        return after;
    }
    after.row.trashed_status = Some(std::mem::replace(
        &mut after.row.status,
        Status::Trash.as_str().to_owned(),
    ));
    after.row.trashed_at = Some(now);
    after
}

/// Gives the series its status before the trash.
fn leave_trash(series: &mut Series) {
    series.row.status = series.live_status().as_str().to_owned();
    series.row.trashed_status = None;
    series.row.trashed_at = None;
}

/// Moves events of a series to the trash. Fails without permission to delete one of them.
pub(super) async fn trash_events(write: &SeriesWrite<'_>, events: &[event::Model]) -> Result<(), Problem> {
    let now = write.timestamp();
    let mut changed = Vec::new();
    for event in events {
        let columns = event.common_columns();
        if columns.status == Status::Trash {
            continue;
        }
        if !write.may_delete(&columns) {
            return Err(Problem::role_may_not("delete", "all of these events"));
        }
        changed.push((event.clone(), with_status(event, Status::Trash, now)));
    }
    update_events(write.transaction, &changed, now).await?;
    propagate(write.transaction, &changed, now).await
}

pub(super) fn with_status(event: &event::Model, status: Status, now: i64) -> event::Model {
    let mut after = event.clone();
    let mut columns = event.common_columns();
    columns.set_status(status, now);
    after.set_common_columns(columns);
    after
}

/// The event outside the trash, with its status before.
pub(super) fn restored(event: &event::Model, now: i64) -> event::Model {
    with_status(event, event.common_columns().status_before_trash(), now)
}

/// Updates the venues and organizers that follow the publication of the events.
pub(super) async fn propagate(
    transaction: &Transaction,
    changed: &[(event::Model, event::Model)],
    now: i64,
) -> Result<(), Problem> {
    for (before, after) in changed.iter().filter(|(before, _)| before.published_at > now) {
        let (before, after) = (before.common_columns(), after.common_columns());
        event::Entity::propagate_publication(transaction, &before, &after, now).await?;
    }
    Ok(())
}

/// Gives restored events free slugs: their own, or with a number appended.
pub(super) async fn free_slugs(transaction: &Transaction, restored: Vec<&mut event::Model>) -> Result<(), Problem> {
    let Some(first) = restored.first() else {
        return Ok(());
    };
    slugs::lock_slug(transaction, Kind::Event, &first.slug).await?;
    // They are still in the trash themselves.
    let slugs = Slugs::<event::Entity>::of_publishable(0);
    let taken = slugs
        .taken(transaction, restored.iter().map(|event| event.slug.clone()))
        .await?;
    let mut chosen = HashSet::new();
    for event in restored {
        if taken.contains(&event.slug) || chosen.contains(&event.slug) {
            slugs::lock_slug(transaction, Kind::Event, &event.slug).await?;
            event.slug = slugs.find_free_besides(transaction, &event.slug, &chosen).await?;
        }
        chosen.insert(event.slug.clone());
    }
    Ok(())
}

/// Restores a series from the trash, with the events whose places are in its rule. Fails without permission to restore
/// one of them.
pub(super) async fn restore(
    write: &SeriesWrite<'_>,
    series: &Series,
    events: &[event::Model],
) -> Result<Series, Problem> {
    let transaction = write.transaction;
    let now = write.timestamp();
    let mut after = series.clone();
    leave_trash(&mut after);
    let last = events.iter().filter_map(|event| event.recurrence_id).max();
    let until = last.map(|last| local_at(last + 1));
    let slots: HashSet<i64> = series.shape.rule.slots(None, until).map(local_seconds).collect();
    let in_rule = |event: &&event::Model| event.recurrence_id.is_some_and(|slot| slots.contains(&slot));
    let mut changed = Vec::new();
    for event in events.iter().filter(in_rule) {
        let columns = event.common_columns();
        if columns.status != Status::Trash {
            continue;
        }
        if !write.may_delete(&columns) {
            return Err(Problem::role_may_not("restore", "all of these events"));
        }
        changed.push((event.clone(), restored(event, now)));
    }
    free_slugs(transaction, changed.iter_mut().map(|(_, after)| after).collect()).await?;
    update_events(transaction, &changed, now).await?;
    propagate(transaction, &changed, now).await?;
    Ok(store(transaction, series, after, now).await?)
}

/// Removes all events from a series but one, which stays a single event. The others go to the trash with the series.
pub(super) async fn dissolve(
    write: &SeriesWrite<'_>,
    series: &Series,
    remaining: &event::Model,
) -> Result<(), Problem> {
    let transaction = write.transaction;
    let now = write.timestamp();
    let mut others = events_for_update(transaction, series.row.id).await?;
    others.retain(|event| event.id != remaining.id);
    trash_events(write, &others).await?;
    detach(transaction, &[remaining.id], now).await?;
    store(transaction, series, trashed(series, now), now).await?;
    Ok(())
}
