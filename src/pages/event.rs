//! The page of an event.

use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta};
use poem::{Request, Response, handler};

use super::{
    add_to_calendar,
    calendar::{CalendarAddress, Frame, Link, View},
    dates::{EventDates, parse_local},
    event_items::{price, status, today},
    event_lists::related,
    former_slug::{Found, published, redirect_to_object},
    layout::Layout,
    render,
    resource_page::{PropertyValue, RelatedEvents, ResourcePage, map_url, postal_address, properties},
    slug,
};
use crate::{
    auth::Caller,
    calendar::{
        Kind,
        event_status::EventStatus,
        window::{Span, Window},
    },
    error::Problem,
    response::CachePolicy,
    store::{Snapshot, entity::event, events::EventFilter},
    views::{self, event::EventView, series::EventSeriesView, term::TermView, venue::VenueView},
};

/// The number of days after an event from which other events are shown.
const NEXT_DAYS: i64 = 3;

#[handler]
pub(crate) async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_page(request, &caller, snapshot)).await
}

async fn render_page(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let row = match published::<event::Entity>(caller, snapshot, slug(request)).await? {
        Found::Here(row) => row,
        Found::Moved(slug) => return Ok(redirect_to_object(caller, Kind::Event, &slug)),
    };
    let is_over = row.ends_at < caller.timestamp();
    let event = views::one::<event::Entity>(caller, snapshot, row).await?;
    let layout = Layout::of(request)?;
    let texts = layout.texts;
    let venue = |venue: &VenueView| PropertyValue {
        note: postal_address(venue),
        ..PropertyValue::link(&venue.venue, &venue.common.url)
    };
    let map = |venue: &VenueView| PropertyValue::link("OpenStreetMap", map_url(venue));
    let maps = event
        .venue
        .iter()
        .filter(|venue| event.fields.show_map_link && !map_url(venue).is_empty());
    let list = CalendarAddress::new(Frame::Page);
    let repeats = |series: &EventSeriesView| PropertyValue::link(&series.text, series_url(&layout, &list, series));
    let term = |term: &TermView| PropertyValue::link(&term.name, &term.url);
    let properties = properties([
        (texts.place, event.venue.iter().map(|shared| venue(shared)).collect()),
        (texts.map, maps.map(|shared| map(shared)).collect()),
        (
            texts.organized_by,
            event
                .organizer
                .iter()
                .map(|organizer| PropertyValue::link(&organizer.organizer, &organizer.common.url))
                .collect(),
        ),
        (texts.repeats, event.series.0.iter().map(repeats).collect()),
        (texts.price, vec![price(&event).into()]),
        (texts.website, vec![PropertyValue::website(&event.fields.website)]),
        (
            texts.categories,
            event.categories.iter().map(|category| term(&category.term)).collect(),
        ),
        (texts.tags, event.tags.iter().map(|tag| term(&tag.term)).collect()),
    ]);
    let related = related_events(caller, snapshot, &layout, &event).await?;
    let site = caller.almanac.settings.site.zone.name();
    let dates = EventDates::of(layout.language, &event, &site);
    let is_canceled = EventStatus::stored(&event.fields.event_status) == EventStatus::Canceled;
    let calendars = match is_over || is_canceled {
        true => Vec::new(),
        false => add_to_calendar::links(&layout, &event),
    };
    let category = event.categories.first().map(|category| Link {
        label: category.term.name.clone(),
        url: category.term.url.clone(),
    });
    let mut rendered = ResourcePage {
        dates: Some(dates),
        status: status(texts, &event),
        notice: if is_over { texts.has_ended } else { "" },
        calendars,
        properties,
        related,
        excerpt: event.fields.excerpt,
        is_indexed: !event.fields.hide_from_listings,
        ..ResourcePage::for_publishable(
            layout,
            Kind::Event,
            event.fields.title,
            event.fields.common,
            event.json_ld,
        )
    };
    rendered.breadcrumbs.extend(category);
    render(&rendered, EVENT_CACHE_POLICY)
}

/// The address of the list of all dates of a series.
fn series_url(layout: &Layout, list: &CalendarAddress, series: &EventSeriesView) -> String {
    let address = CalendarAddress {
        filters: vec![("series".to_owned(), series.id.to_string())],
        ..list.clone()
    };
    format!("{}{}", layout.prefix(), address.path())
}

/// The related events depend on the date, and on which events have ended.
const EVENT_CACHE_POLICY: CachePolicy = CachePolicy {
    until_an_event_ends: true,
    ..CachePolicy::UNTIL_MIDNIGHT
};

/// Further events of the same series, at the same venue, in the same category, and on the next days.
async fn related_events(
    caller: &Caller,
    snapshot: &Snapshot,
    layout: &Layout,
    event: &EventView,
) -> Result<Vec<RelatedEvents>, Problem> {
    let texts = layout.texts;
    let (series, venue, category) = (event.series.0.as_ref(), event.venue.first(), event.categories.first());
    let day = parse_local(&event.fields.start_date).date();
    let groups = related(
        caller,
        layout.language,
        snapshot,
        event.fields.common.id,
        [
            series.map(|series| (Window::default(), Some(EventFilter::Series(vec![series.id])))),
            venue.map(|venue| (Window::default(), Some(EventFilter::Venues(vec![venue.common.id])))),
            category.map(|category| (Window::default(), Some(EventFilter::Categories(vec![category.term.id])))),
            (day >= today(caller)).then(|| (next_days(caller, day), None)),
        ],
    );
    let [of_series, at_venue, in_category, on_next_days] = groups.await?;
    let list = CalendarAddress::new(Frame::Page);
    let url = |address: CalendarAddress| format!("{}{}", layout.prefix(), address.path());
    let mut lists = Vec::new();
    if let Some(series) = series {
        lists.push(RelatedEvents {
            heading: texts.other_dates.to_owned(),
            url: series_url(layout, &list, series),
            groups: of_series,
        });
    }
    if let Some(venue) = venue {
        lists.push(RelatedEvents {
            heading: format!("{} {}", texts.more_at_venue, venue.venue),
            url: url(CalendarAddress {
                filters: vec![("venue".to_owned(), venue.common.id.to_string())],
                ..list.clone()
            }),
            groups: at_venue,
        });
    }
    if let Some(category) = category {
        lists.push(RelatedEvents {
            heading: format!("{} {}", texts.more_in_category, category.term.name),
            url: category.term.url.clone(),
            groups: in_category,
        });
    }
    lists.push(RelatedEvents {
        heading: texts.next_days.to_owned(),
        url: url(list.at(View::List, Some(day))),
        groups: on_next_days,
    });
    lists.retain(|list| !list.groups.is_empty());
    Ok(lists)
}

/// The events that start on the days after this one, in the site's zone.
fn next_days(caller: &Caller, day: NaiveDate) -> Window {
    let start_of = |days: i64| {
        let date = day.checked_add_signed(TimeDelta::days(days)).unwrap_or(day);
        caller.almanac.settings.site.zone.day_start(date).timestamp()
    };
    Window {
        starts: Span {
            from: Some(start_of(1)),
            before: Some(start_of(1 + NEXT_DAYS)),
        },
        ends: Span::default(),
    }
}
