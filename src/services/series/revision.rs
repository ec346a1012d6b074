//! A change of all events of a series.

use std::collections::BTreeSet;

use chrono::NaiveDateTime;

use super::{
    SeriesWrite, check_texts,
    matching::{Place, Plan},
    store,
    trash::{free_slugs, propagate, restored, with_status},
    with_new,
};
use crate::{
    calendar::status::Status,
    error::{Problem, ValidationErrors},
    services::event::{self as service, EventLinks},
    store::{
        entity::{event, event_organizer, event_venue},
        links::{self, LinkedIds, TargetIds},
        locks,
        publishable::{PublishableRow, insert_with_free_slugs},
        series::{
            NewTargets, Overridden, Series, Shape, SharedField, detach, events_for_update, insert_links, is_located,
            local_seconds, replace_links, touch_events, update_events,
        },
    },
};

/// A change of a series.
pub(super) struct Revision {
    /// The fields whose values change.
    pub fields: BTreeSet<SharedField>,
    /// An event with the new values.
    pub values: event::Model,
    pub targets: NewTargets,
    pub shape: Shape,
    /// The start of the slugs of new events.
    pub slug: Option<String>,
    /// The event whose change is that of the series. It gets the new values even if it overrides the fields.
    pub edited: Option<i64>,
    /// Events exist at least before this local time, even if the rule has no end.
    pub least: Option<NaiveDateTime>,
}

/// An event before and after the change.
type BeforeAndAfter = (event::Model, event::Model);

/// Changes a series and its events, except for the fields that they override. Fails without permission to change one of
/// the events.
pub(super) async fn apply(
    write: &SeriesWrite<'_>,
    before: &Series,
    revision: Revision,
    links: &EventLinks,
) -> Result<Series, Problem> {
    let transaction = write.transaction;
    let now = write.timestamp();
    let mut errors = ValidationErrors::default();
    let events = events_for_update(transaction, before.row.id).await?;
    let mut after = revised(before, &revision);
    let is_expanded = before
        .row
        .expanded_until
        .is_none_or(|until| revision.least.map(local_seconds) <= Some(until));
    let plan = match before.shape == after.shape && is_expanded {
        true => None,
        false => Some(Plan::new(
            write,
            &mut errors,
            before,
            &after.shape,
            revision.least,
            &events,
        )),
    };
    // An import must not fail because of one object.
    if write.identity.is_some() {
        let added = plan.as_ref().map_or(0, |plan| plan.added.len());
        let has_longer_texts = has_new_texts(&revision) && after.fields.text_size() > before.fields.text_size();
        let changed = if has_longer_texts { events.len() } else { 0 };
        check_texts(&mut errors, &after.fields, added + changed);
    }
    errors.into_result()?;
    if let Some(plan) = &plan {
        after.row.expanded_until = plan.until.map(local_seconds);
    }
    let mut changes: Vec<BeforeAndAfter> = events
        .iter()
        .map(|event| (event.clone(), changed(write, event, &revision, plan.as_ref())))
        .collect();
    check_permissions(write, &changes, &revision)?;
    // Before other events get their places.
    let detached = changes.iter().filter(|(before, _)| {
        let place = plan.as_ref().and_then(|plan| plan.place(before.id));
        place == Some(Place::Detached)
    });
    let detached: Vec<i64> = detached.map(|(before, _)| before.id).collect();
    detach(transaction, &detached, now).await?;
    // Slugs are locked before venues and organizers, which updates of events lock (see `locks`).
    let added = plan.map(|plan| plan.added).unwrap_or_default();
    let (added, added_links) = insert_added(write, &after, &added).await?;
    let is_restored = |(before, after): &&mut BeforeAndAfter| before.is_in_trash() && !after.is_in_trash();
    let new_slugs = changes.iter_mut().filter(is_restored).map(|(_, after)| after);
    free_slugs(transaction, new_slugs.collect()).await?;
    update_events(transaction, &changes, now).await?;
    let relinked = change_links(write, &changes, &revision, links).await?;
    touch_events(transaction, &relinked, now).await?;
    propagate(transaction, &changes, now).await?;
    insert_links(transaction, &added, &added_links).await?;
    Ok(store(transaction, before, after, now).await?)
}

/// Returns true if the revision replaces the description, the excerpt or the custom fields.
fn has_new_texts(revision: &Revision) -> bool {
    let texts = [
        SharedField::Description,
        SharedField::Excerpt,
        SharedField::CustomFields,
    ];
    texts.iter().any(|field| revision.fields.contains(field))
}

/// Inserts events at the places for which they are missing, without links. Returns them with the targets of their links.
async fn insert_added(
    write: &SeriesWrite<'_>,
    series: &Series,
    slots: &[NaiveDateTime],
) -> Result<(Vec<event::Model>, TargetIds), Problem> {
    if slots.is_empty() {
        return Ok((Vec::new(), TargetIds::default()));
    }
    let transaction = write.transaction;
    let links = series.fields.links.existing(transaction).await?;
    let template = event::Model {
        located: is_located(transaction, &links.venues).await?,
        modified_at: write.timestamp(),
        ..series.template()
    };
    let new = slots.iter().map(|slot| series.occurrence(&template, *slot));
    let events = insert_with_free_slugs::<event::Entity>(transaction, new.collect()).await?;
    Ok((events, links))
}

/// The series with the change.
fn revised(before: &Series, revision: &Revision) -> Series {
    let mut after = before.clone();
    let mut template = before.template();
    for field in &revision.fields {
        field.copy(&revision.values, &mut template);
    }
    after.set_fields(&template);
    after.fields.links = with_new(&before.fields.links, &revision.targets);
    if let Some(slug) = &revision.slug {
        after.fields.slug.clone_from(slug);
    }
    after.shape = revision.shape.clone();
    after
}

/// An event with the change.
fn changed(write: &SeriesWrite<'_>, before: &event::Model, revision: &Revision, plan: Option<&Plan>) -> event::Model {
    let Revision {
        fields, values, shape, ..
    } = revision;
    let now = write.timestamp();
    let mut overridden = Overridden::of(before);
    if revision.edited == Some(before.id) {
        overridden.remove(fields);
    }
    let place = plan.and_then(|plan| plan.place(before.id));
    let mut after = match place {
        Some(Place::Removed) => with_status(before, Status::Trash, now),
        Some(Place::Restored(_)) => restored(before, now),
        _ => before.clone(),
    };
    for field in fields.iter().filter(|field| !overridden.contains(**field)) {
        match field {
            // An event in the trash gets the status when it is restored.
            SharedField::Status if after.is_in_trash() => after.trashed_status = Some(values.status.clone()),
            field => field.copy(values, &mut after),
        }
    }
    let derives = [SharedField::Title, SharedField::Description, SharedField::Cost];
    if derives.iter().any(|field| fields.contains(field)) {
        after.derive_search_text();
        after.derive_keys();
    }
    if let Some(Place::Kept(slot) | Place::Restored(slot) | Place::Excluded(slot)) = place {
        after.recurrence_id = Some(local_seconds(slot));
        if !overridden.has_times() {
            let times = shape.times(slot);
            after.all_day = shape.all_day;
            // Keep the instants of unchanged times: a server with newer time zone rules may have derived them.
            if before.times(&write.site) != times || before.timezone != times.zone.name() {
                after.set_times(&times);
            }
        }
    }
    after.overridden = overridden.to_string();
    after
}

fn check_permissions(write: &SeriesWrite<'_>, changes: &[BeforeAndAfter], revision: &Revision) -> Result<(), Problem> {
    let has_new_links = revision.targets != NewTargets::default();
    for (before, after) in changes {
        let columns = before.common_columns();
        if (has_new_links || before != after) && !write.may_edit(&columns) {
            return Err(Problem::role_may_not(
                "change",
                "all events of this series that would change",
            ));
        }
    }
    Ok(())
}

/// Replaces the links of the events that do not override them. Returns the IDs of those whose columns do not change, and
/// which therefore still have their versions.
async fn change_links(
    write: &SeriesWrite<'_>,
    changes: &[BeforeAndAfter],
    revision: &Revision,
    links: &EventLinks,
) -> Result<Vec<i64>, Problem> {
    let transaction = write.transaction;
    let Revision { targets, edited, .. } = revision;
    if *targets == NewTargets::default() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = changes.iter().map(|(before, _)| before.id).collect();
    let before = links::of_events(transaction, &ids).await?;
    lock_targets(write, &before, targets).await?;
    let new: Vec<(event::Model, NewTargets)> = changes
        .iter()
        .map(|(_, after)| {
            let overridden = Overridden::of(after);
            let unless = |field, ids: &Option<Vec<i64>>| ids.clone().filter(|_| !overridden.contains(field));
            let NewTargets {
                venues,
                organizers,
                categories,
                tags,
            } = targets;
            let targets = NewTargets {
                venues: unless(SharedField::Venue, venues),
                organizers: unless(SharedField::Organizer, organizers),
                categories: unless(SharedField::Categories, categories),
                tags: unless(SharedField::Tags, tags),
            };
            (after.clone(), targets)
        })
        .collect();
    replace_links(transaction, &new, &before).await?;
    let follower = edited.or_else(|| changes.first().map(|(before, _)| before.id));
    if let Some(event) = follower {
        service::follow(transaction, event, links).await?;
    }
    let relinked = changes.iter().zip(&new).filter(|((before, after), (_, targets))| {
        let has_links = *targets != NewTargets::default();
        has_links && before == after
    });
    Ok(relinked.map(|((before, _), _)| before.id).collect())
}

/// Locks the venues and organizers that the events link to, and those that they will link to.
async fn lock_targets(write: &SeriesWrite<'_>, before: &LinkedIds, new: &NewTargets) -> Result<(), Problem> {
    if let Some(new) = &new.venues {
        let mut venues = before.targets::<event_venue::Entity>();
        venues.extend(new);
        locks::lock_targets::<event_venue::Entity>(write.transaction, venues).await?;
    }
    if let Some(new) = &new.organizers {
        let mut organizers = before.targets::<event_organizer::Entity>();
        organizers.extend(new);
        locks::lock_targets::<event_organizer::Entity>(write.transaction, organizers).await?;
    }
    Ok(())
}
