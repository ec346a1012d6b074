//! Series of events: creates, and changes of several events at once. Each is one transaction, which locks the row of the
//! series before those of its events.

mod change;
mod create;
mod delete;
mod imported;
mod matching;
mod occurrence;
mod preview;
mod revision;
mod scope;
mod trash;
mod update;

use chrono::{DateTime, Months, NaiveDateTime, Utc};
use sea_orm::DbErr;

pub(crate) use self::{
    create::{create, insert, read_create},
    delete::{delete, delete_series, trash_all},
    imported::{ImportedSeries, convert, dissolve, import, reimport, restore, size, trash_upcoming},
    preview::{Preview, PreviewTimes, preview},
    scope::Scope,
    update::{change, update, update_series},
};
use super::{Writable, WriteContext, event::EventLinks, external_id::External, linked_references::LinkedResources};
use crate::{
    auth::{Caller, Identity},
    calendar::{
        date::DateTimeInput,
        recurrence::{MAX_OCCURRENCES, Recurrence, RecurrenceErrors},
        zone::Zone,
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        MaybeUndefined,
        choice::StatusName,
        recurrence::RecurrenceLines,
        text::{Slug, ZoneName},
    },
    store::{
        Transaction,
        entity::{event, event_category, event_organizer, event_tag, event_venue, series as rows},
        links::{LinkedIds, TargetIds},
        publishable::{self, CommonColumns, Key},
        series::{self, Expansion, MAX_TEXTS, NewTargets, Series, Shape, SharedField, SharedFields},
    },
};

/// An endless rule must not begin more events than this before now.
const MAX_PAST: usize = 5 * MAX_OCCURRENCES;

/// The payload of events.
type EventPayload = <event::Entity as Writable>::Payload;

/// The fields of the payload of an event that have a meaning of their own for series.
pub(crate) struct PayloadParts<'a> {
    pub recurrence: &'a mut MaybeUndefined<RecurrenceLines>,
    pub slug: &'a mut MaybeUndefined<Slug>,
    pub external: &'a mut External,
    pub status: &'a mut MaybeUndefined<StatusName>,
    pub timezone: &'a MaybeUndefined<ZoneName>,
    pub start_date: &'a MaybeUndefined<DateTimeInput>,
    pub end_date: &'a mut MaybeUndefined<DateTimeInput>,
}

/// What series need of the payload of events, whose struct they do not know.
pub(crate) trait RecurringPayload: Writable<Model = event::Model, Links = EventLinks> {
    fn parts(payload: &mut Self::Payload) -> PayloadParts<'_>;

    /// Like [`Writable::apply`] for an event with these links.
    fn apply_with_links(
        context: &mut WriteContext<'_>,
        row: &mut event::Model,
        links: LinkedIds,
        payload: Self::Payload,
    ) -> impl Future<Output = Result<EventLinks, Problem>> + Send;
}

/// Finds and locks a series for a write.
async fn find_for_update(transaction: &Transaction, id: i64) -> Result<Series, Problem> {
    let row = series::find_for_update(transaction, id).await?;
    let row = row.ok_or_else(Problem::series_not_found)?;
    Ok(Series::of(row)?)
}

/// Stores a changed series, if it has changed.
async fn store(transaction: &Transaction, before: &Series, after: Series, now: i64) -> Result<Series, DbErr> {
    let row = series::update(transaction, &before.row, after.into_row()?, now).await?;
    Series::of(row)
}

/// The series as it is stored now.
async fn stored_series(transaction: &Transaction, id: i64) -> Result<rows::Model, Problem> {
    let row = series::find(transaction, id).await?;
    row.ok_or_else(|| Problem::internal("a written series was not found"))
}

/// The event as it is stored now.
async fn stored_event(transaction: &Transaction, id: i64) -> Result<event::Model, Problem> {
    let row = publishable::find::<event::Entity>(transaction, &Key::Id(id)).await?;
    row.ok_or_else(|| Problem::internal("a written event was not found"))
}

/// Parses a rule. Its errors are added.
fn parse(
    errors: &mut ValidationErrors,
    lines: &RecurrenceLines,
    start: NaiveDateTime,
    all_day: bool,
    zone: &Zone,
) -> Option<Recurrence> {
    checked(errors, Recurrence::parse(&lines.0, start, all_day, zone))
}

/// The rule. Its errors are added.
fn checked(errors: &mut ValidationErrors, rule: Result<Recurrence, RecurrenceErrors>) -> Option<Recurrence> {
    let add = |invalid: RecurrenceErrors| errors.add("recurrence", FieldError::invalid(invalid.to_string()));
    rule.map_err(add).ok()
}

/// What a write of many events of a series depends on: that of a request, or of an import.
#[derive(Clone, Copy)]
pub(crate) struct SeriesWrite<'a> {
    transaction: &'a Transaction,
    now: DateTime<Utc>,
    /// The site's zone.
    site: Zone,
    /// How far ahead the events of rules without an end are created.
    horizon: Months,
    /// Whose permissions are checked. None for an import, which may change all events.
    identity: Option<Identity>,
}

impl<'a> SeriesWrite<'a> {
    /// The write of a request.
    fn of(caller: &Caller, transaction: &'a Transaction) -> Self {
        let settings = &caller.almanac.settings;
        Self {
            transaction,
            now: caller.now,
            site: settings.site.zone,
            horizon: settings.series.recurrence_horizon.months(),
            identity: Some(caller.identity),
        }
    }

    /// The write of an import.
    pub(crate) fn of_import(transaction: &'a Transaction, now: DateTime<Utc>, site: Zone, horizon: Months) -> Self {
        Self {
            transaction,
            now,
            site,
            horizon,
            identity: None,
        }
    }

    fn timestamp(&self) -> i64 {
        self.now.timestamp()
    }

    fn may_edit(&self, columns: &CommonColumns) -> bool {
        self.identity.is_none_or(|identity| identity.may_edit(columns))
    }

    fn may_delete(&self, columns: &CommonColumns) -> bool {
        self.identity.is_none_or(|identity| identity.may_delete(columns))
    }
}

/// The places in the rule for which events should exist, at least those before `least`. Too many are a validation error.
fn expand(
    write: &SeriesWrite<'_>,
    errors: &mut ValidationErrors,
    shape: &Shape,
    least: Option<NaiveDateTime>,
) -> Expansion {
    let SeriesWrite { now, horizon, .. } = *write;
    let past = shape.rule.slots(None, Some(shape.local(now)));
    if shape.rule.is_endless() && past.take(MAX_PAST + 1).count() > MAX_PAST {
        let message = format!(
            "has no end and more than {MAX_PAST} occurrences before today; it must start later, or have an end"
        );
        errors.add("recurrence", FieldError::invalid(message));
        return Expansion {
            slots: Vec::new(),
            until: None,
        };
    }
    shape.expansion(now, horizon, least)
}

/// Adds an error if the long texts of a series are too long for this number of events in one write.
fn check_texts(errors: &mut ValidationErrors, fields: &SharedFields, events: usize) {
    let most = fields.most_at_once();
    if events <= most {
        return;
    }
    let (size, limit) = (fields.text_size(), MAX_TEXTS / events);
    let message = format!(
        "must have at most {limit} bytes, together with excerpt and custom_fields, if {events} events of a series get \
         it at once; with {size} bytes, {most} events can"
    );
    errors.add("description", FieldError::invalid(message));
}

/// The links that the payload of an event leads to, beside those before.
fn new_targets(event: i64, links: &EventLinks) -> (NewTargets, Vec<SharedField>) {
    let EventLinks {
        before,
        venues,
        organizers,
        categories,
        tags,
    } = links;
    let ids = |resources: &Option<LinkedResources>| resources.as_ref().map(|resources| resources.ids().to_vec());
    let targets = NewTargets {
        venues: ids(venues),
        organizers: ids(organizers),
        categories: categories.clone(),
        tags: tags.clone(),
    };
    let targets = targets.changing(&target_ids(event, before));
    let fields = targets.fields();
    (targets, fields)
}

/// The links of an event as the shared links of a series.
fn target_ids(event: i64, links: &LinkedIds) -> TargetIds {
    TargetIds {
        venues: links.of_event::<event_venue::Entity>(event),
        organizers: links.of_event::<event_organizer::Entity>(event),
        categories: links.of_event::<event_category::Entity>(event),
        tags: links.of_event::<event_tag::Entity>(event),
    }
}

/// The shared links with the new ones.
fn with_new(shared: &TargetIds, new: &NewTargets) -> TargetIds {
    let NewTargets {
        venues,
        organizers,
        categories,
        tags,
    } = new.clone();
    TargetIds {
        venues: venues.unwrap_or_else(|| shared.venues.clone()),
        organizers: organizers.unwrap_or_else(|| shared.organizers.clone()),
        categories: categories.unwrap_or_else(|| shared.categories.clone()),
        tags: tags.unwrap_or_else(|| shared.tags.clone()),
    }
}
