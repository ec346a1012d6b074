//! The array of events that FullCalendar and @event-calendar/core request
//! (<https://fullcalendar.io/docs/events-json-feed>).

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use serde::Serialize;

use super::{address::FullCalendarParameters, events::FeedEvent, place};
use crate::{
    calendar::{
        date::{CacheLifetime, DateTimeInput, format_rfc3339, instant_at},
        event_status::EventStatus,
        window::{Span, Window},
        zone::Zone,
    },
    error::{FieldError, Problem, ValidationErrors},
};

pub(super) const MEDIA_TYPE: &str = "application/json";
/// The maximum number of events.
pub(super) const LIMIT: usize = 5_000;

/// The range of time that a calendar shows.
pub(super) struct Range {
    /// Events that take place in the range.
    pub window: Window,
    pub cache_lifetime: CacheLifetime,
}

impl Range {
    /// Reads the range from the parameters. None if there is none.
    pub(super) fn read(
        parameters: &FullCalendarParameters,
        site: &Zone,
        now: DateTime<Utc>,
        errors: &mut ValidationErrors,
    ) -> Option<Self> {
        let FullCalendarParameters { start, end, time_zone } = parameters;
        let zone = match output_zone(time_zone.as_deref()) {
            Ok(zone) => zone.unwrap_or(*site),
            Err(error) => {
                errors.add("timeZone", error);
                *site
            }
        };
        let mut cache_lifetime = CacheLifetime::Unlimited;
        let mut read = |name: &str, text: &Option<String>| {
            let input = match DateTimeInput::from_query(text.as_ref()?) {
                Ok(input) => input,
                Err(error) => {
                    errors.add(name, FieldError::invalid(error.to_string()));
                    return None;
                }
            };
            cache_lifetime = cache_lifetime.max(input.cache_lifetime());
            Some(input.resolve(&zone, now).instant.timestamp())
        };
        let (from, before) = (read("start", start), read("end", end));
        let window = Window {
            starts: Span { from: None, before },
            ends: Span { from, before: None },
        };
        (from.is_some() || before.is_some()).then_some(Self { window, cache_lifetime })
    }
}

/// The zone in which the calendar shows events. None for that of the browser.
pub(super) fn output_zone(name: Option<&str>) -> Result<Option<Zone>, FieldError> {
    match name {
        None | Some("local" | "") => Ok(None),
        Some(name) => Zone::parse(name)
            .map(Some)
            .map_err(|error| FieldError::invalid(error.to_string())),
    }
}

/// 400 for more than [`LIMIT`] events.
pub(super) fn check_limit(events: usize) -> Result<(), Problem> {
    if events <= LIMIT {
        return Ok(());
    }
    let message =
        format!("{events} events match, but at most {LIMIT} are returned: request a shorter range or add filters.");
    Err(Problem::bad_request("too-many-events", message))
}

/// An event of FullCalendar.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    id: String,
    title: String,
    /// A date for all-day events, otherwise RFC 3339.
    start: String,
    /// Exclusive.
    end: String,
    all_day: bool,
    url: String,
    class_names: Vec<String>,
    extended_props: ExtendedProps,
}

/// The properties of an event that FullCalendar has no members for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExtendedProps {
    excerpt: String,
    location: Option<String>,
    categories: Vec<String>,
    tags: Vec<String>,
    organizers: Vec<String>,
    cost: String,
    timezone: String,
    event_status: &'static str,
    featured: bool,
    image: Option<String>,
}

impl Entry {
    /// The entry of an event, with times in a zone, or in that of the event.
    pub(super) fn new(event: &FeedEvent, site: &Zone, zone: Option<Zone>) -> Self {
        let FeedEvent { row, linked, url } = event;
        let times = row.times(site);
        let in_zone = |second: i64, own: NaiveDateTime| {
            let instant = instant_at(second);
            format_rfc3339(instant, zone.map_or(own, |zone| zone.to_local(instant)))
        };
        let (start, end) = match row.all_day {
            true => {
                let last = times.end.local.date();
                (times.start.local.date().to_string(), after(last).to_string())
            }
            false => (
                in_zone(row.starts_at, times.start.local),
                in_zone(row.ends_at, times.end.local),
            ),
        };
        let categories = linked.categories.iter();
        let category_classes = categories.clone().map(|term| format!("category-{}", term.slug));
        let status = EventStatus::stored(&row.event_status);
        // Classes have hyphens, as slugs do.
        let status_class = (status != EventStatus::Scheduled).then(|| status.as_str().replace('_', "-"));
        let classes = row
            .featured
            .then(|| "featured".to_owned())
            .into_iter()
            .chain(status_class);
        Self {
            id: row.id.to_string(),
            title: row.title.clone(),
            start,
            end,
            all_day: row.all_day,
            url: url.clone(),
            class_names: classes.chain(category_classes).collect(),
            extended_props: ExtendedProps {
                excerpt: row.excerpt.clone(),
                location: place::location(&linked.places),
                categories: categories.map(|term| term.name.clone()).collect(),
                tags: linked.tags.iter().map(|tag| tag.name.clone()).collect(),
                organizers: linked
                    .organizers
                    .iter()
                    .map(|organizer| organizer.name.clone())
                    .collect(),
                cost: row.cost.clone(),
                timezone: times.zone.name(),
                event_status: status.as_str(),
                featured: row.featured,
                image: linked.image.as_ref().map(|image| image.url.clone()),
            },
        }
    }
}

fn after(date: NaiveDate) -> NaiveDate {
    date.succ_opt().unwrap_or(date)
}
