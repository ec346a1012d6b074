//! The calendar of a series: one event with the rule, and the events that differ from it as exceptions (RFC 5545, section
//! 3.8.4.4).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use chrono::{Datelike, NaiveDateTime};
use poem::{Request, Response, Result, http::Uri};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::{
    Content, Prepared,
    address::Format,
    events::{self, FeedEvent},
    feed::Feed,
    has_feed,
    ical::SeriesCalendar,
    linked, send,
    validators::Validators,
};
use crate::{
    auth::Caller,
    calendar::{date::CacheLifetime, status::Status},
    error::Problem,
    response::CachePolicy,
    store::{
        EventDependencies, Snapshot, calendar_state,
        entity::event,
        links::LinkedEvent,
        read_connection::ReadConnection,
        row::{FromRow, Row},
        series::{self, Overridden, Series, local_at},
        visibility::Visibility,
    },
};

/// The ID in the address `/series/{id}.ics`. None for other addresses.
pub(super) fn id(uri: &Uri) -> Option<i64> {
    let id = uri.path().strip_prefix("/series/")?.strip_suffix(".ics")?;
    let is_number = !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| id.parse().ok()).flatten()
}

/// Serves the calendar of a series.
pub(super) async fn respond(request: &Request, id: i64) -> Result<Response> {
    let caller = Caller::of(request).await?;
    let caller = &caller;
    let query = request.uri().query().unwrap_or_default();
    let is_download = query
        .split('&')
        .any(|part| part == "download" || part.starts_with("download="));
    let read = |snapshot: Arc<Snapshot>| async move { prepare(caller, &snapshot, request, id).await };
    let prepared = caller.read(read).await?;
    Ok(send(
        caller,
        request.headers(),
        Format::Calendar,
        is_download,
        prepared,
    )?)
}

async fn prepare(caller: &Caller, snapshot: &Snapshot, request: &Request, id: i64) -> Result<Prepared, Problem> {
    let now = caller.timestamp();
    let state = calendar_state::read(snapshot, now).await?;
    let series = series::find(snapshot, id)
        .await?
        .ok_or_else(Problem::series_not_found)?;
    let series = Series::of(series)?;
    let columns = series.common_columns();
    if columns.status == Status::Trash || !caller.identity.may_see(&columns, now) {
        return Err(Problem::series_not_found());
    }
    let validators = Validators::new(caller, &state, CacheLifetime::Unlimited);
    let content = match has_feed(request.headers(), &validators) {
        true => Content::Known,
        false => {
            let page_url = format!("{}/events?series={id}", caller.address.base);
            let names = [series.fields.title.clone()];
            let feed = Feed::new(caller, state.uuid, state.changed_at, &names, Some(page_url));
            Content::Whole(write(caller, snapshot, &series, &feed).await?.into_bytes())
        }
    };
    snapshot.depend_on(&EventDependencies::All);
    Ok(Prepared {
        content,
        validators,
        cache_policy: Some(CachePolicy::UNLIMITED),
        file_name: format!("series-{id}.ics"),
    })
}

async fn write(caller: &Caller, snapshot: &Snapshot, series: &Series, feed: &Feed) -> Result<String, Problem> {
    let until = series.row.expanded_until.map(local_at);
    let slots: Vec<NaiveDateTime> = series.shape.rule.slots(None, until).collect();
    let events = published(caller, snapshot, series.row.id).await?;
    let mut excluded = Vec::new();
    let mut exceptions = BTreeMap::new();
    for slot in &slots {
        match events.get(slot) {
            // The rule still has the place of an event that is no longer published, or that was deleted permanently.
            None => excluded.push(*slot),
            Some(event) if is_exception(series, event, *slot) => {
                exceptions.insert(event.id, *slot);
            }
            Some(_) => {}
        }
    }
    let years = slots.iter().map(Datelike::year);
    let moved = events.values().map(|event| local_at(event.starts_local).year());
    let last = slots.last().map(Datelike::year);
    // Events may end in the next year, and be in the previous one in UTC.
    let around = years
        .chain(moved)
        .chain(last)
        .flat_map(|year| [year - 1, year, year + 1]);
    let mut calendar = SeriesCalendar::begin(caller, feed, series, around);
    calendar.write_rule(&master(caller, snapshot, series, feed).await?, &excluded);
    let visibility = Visibility::published(caller.timestamp());
    let ids: Vec<i64> = exceptions.keys().copied().collect();
    for batch in events::batches(caller, &ids) {
        for event in events::read(caller, snapshot, &visibility, batch).await? {
            if let Some(slot) = exceptions.get(&event.row.id) {
                calendar.write_exception(&event, *slot);
            }
        }
    }
    Ok(calendar.finish())
}

/// A published event of a series, without its texts.
struct Occurrence {
    id: i64,
    starts_at: i64,
    ends_at: i64,
    starts_local: i64,
    recurrence_id: i64,
    overridden: Overridden,
}

impl Occurrence {
    const COLUMNS: [event::Column; 6] = [
        event::Column::Id,
        event::Column::StartsAt,
        event::Column::EndsAt,
        event::Column::StartsLocal,
        event::Column::RecurrenceId,
        event::Column::Overridden,
    ];
}

impl FromRow for Occurrence {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            id: row.integer(0)?,
            starts_at: row.integer(1)?,
            ends_at: row.integer(2)?,
            starts_local: row.integer(3)?,
            recurrence_id: row.integer(4)?,
            overridden: Overridden::parse(&row.text_ref(5)?),
        })
    }
}

/// The published events of a series by their places in the rule.
async fn published(
    caller: &Caller,
    snapshot: &Snapshot,
    series: i64,
) -> Result<HashMap<NaiveDateTime, Occurrence>, Problem> {
    let visible = Visibility::published(caller.timestamp()).condition::<event::Entity>();
    let events = event::Entity::find()
        .select_only()
        .columns(Occurrence::COLUMNS)
        .filter(event::Column::SeriesId.eq(series))
        .filter(event::Column::RecurrenceId.is_not_null())
        .filter(event::Column::HideFromListings.eq(false))
        .filter(visible);
    let events: Vec<Occurrence> = snapshot.selected(events).await?;
    let by_slot = events.into_iter().map(|event| (local_at(event.recurrence_id), event));
    Ok(by_slot.collect())
}

/// Whether an event differs from what the rule says: in a field, or because the clocks change at its start or before its
/// end. Readers disagree about such times.
fn is_exception(series: &Series, event: &Occurrence, slot: NaiveDateTime) -> bool {
    let zone = &series.shape.zone;
    let times = series.shape.times(slot);
    let local_duration = (times.end.local - times.start.local).num_seconds();
    let is_regular =
        times.start.local == slot && zone.overlap(slot).is_none() && local_duration == series.shape.duration;
    let has_own_times = event.starts_at != times.start.instant(zone).timestamp()
        || event.ends_at != times.end.instant(zone).timestamp();
    event.overridden != Overridden::default() || (!series.shape.all_day && !is_regular) || has_own_times
}

/// The event that has the fields that the events of the series share.
async fn master(caller: &Caller, snapshot: &Snapshot, series: &Series, feed: &Feed) -> Result<FeedEvent, Problem> {
    let template = event::Model {
        modified_at: series.row.modified_at,
        version: series.row.version,
        ..series.template()
    };
    let event = LinkedEvent::new(template, series.fields.links.clone());
    let mut linked = linked::of_events(caller, snapshot, std::slice::from_ref(&event)).await?;
    let linked = linked
        .pop()
        .ok_or_else(|| Problem::internal("a series has no linked objects"))?;
    Ok(FeedEvent {
        row: event.row,
        linked,
        url: feed.page_url.clone(),
    })
}
