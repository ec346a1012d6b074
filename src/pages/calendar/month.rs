//! The month, as a table.

use std::{
    collections::{HashMap, HashSet},
    ops::Deref,
};

use askama::Template;
use chrono::NaiveDate;
use poem::Response;

use super::{
    CalendarAddress, Selection, View,
    month_events::MonthEvents,
    month_grid::{GridDay, PlacedEvent, Slot, weeks},
    surroundings::Surroundings,
};
use crate::{
    auth::Caller,
    error::Problem,
    pages::{
        dates::{capitalised, date, weekday},
        event_items::{status, today},
        json_ld::item_list,
        layout::Layout,
        render_in,
        texts::{Texts, event_count, more},
    },
    store::{
        Snapshot,
        events::{self, ListedEvent},
    },
    views::{event::EventView, event_page::represent_page},
};

#[derive(Template)]
#[template(path = "calendar/month.html")]
struct MonthPage {
    layout: Layout,
    view: Surroundings,
    weeks: Vec<Vec<Day>>,
    json_ld: String,
    is_empty: bool,
}

impl MonthPage {
    /// The short and the long name of each day of the week.
    fn weekdays(&self) -> Vec<(&'static str, &'static str)> {
        let texts = self.layout.texts;
        texts.short_weekday_names.into_iter().zip(texts.weekday_names).collect()
    }
}

/// A cell of the table.
struct Day {
    /// With a comma, for narrow windows.
    weekday: String,
    number: String,
    /// The date and the number of events.
    label: String,
    date: String,
    /// The day's own view.
    url: String,
    is_outside: bool,
    is_today: bool,
    entries: Vec<Entry>,
    /// The link to events that have no row; empty if all have.
    more: String,
}

/// A row of a cell.
struct Entry {
    /// The classes of the row.
    class: &'static str,
    title: String,
    /// The badge of an event that does not take place as planned; empty for others.
    status: &'static str,
    /// Empty for a further day of an event, and for a gap.
    url: String,
    /// Empty for events that begin on another day, or last all day.
    time: String,
}

pub(super) async fn respond(
    caller: &Caller,
    snapshot: &Snapshot,
    layout: Layout,
    selection: Selection,
) -> Result<Response, Problem> {
    let site = caller.almanac.settings.site.zone;
    let first_day = selection.address.first_day(today(caller));
    let (month, is_current) = MonthEvents::of(caller, snapshot, &selection.query, first_day).await?;
    let MonthEvents { events, total, counts } = &*month;
    let placed: Vec<PlacedEvent> = events.iter().map(|event| PlacedEvent::of(event, &site)).collect();
    let grid = weeks(first_day, &placed, |date| counts.get(&date).copied());
    let mut shown = shown(&grid, events);
    if !is_current {
        let ids: Vec<i64> = shown.iter().map(|event| event.id).collect();
        shown = events::listed(snapshot, &ids).await?;
    }
    let texts = selection.query.dependencies(&shown);
    snapshot.depend_on(&texts);
    let views = represent_page(caller, snapshot, &shown).await?;
    let by_id: HashMap<i64, &EventView> = views.iter().map(|view| (view.fields.common.id, view.deref())).collect();
    let view = Surroundings::of(caller, snapshot, &layout, &selection, (*total, 1)).await?;
    let today = today(caller);
    let day = |day: &GridDay| render_day(&layout, &selection.address, day, today, &by_id);
    let weeks = grid.iter().map(|week| week.iter().map(day).collect()).collect();
    let security_policy = layout.security_policy();
    render_in(
        &MonthPage {
            json_ld: item_list(&view.heading, &view.canonical, views.iter().map(Deref::deref)),
            weeks,
            is_empty: *total == 0,
            layout,
            view,
        },
        selection.cache_policy.map(|policy| policy.depending_on_texts(texts)),
        security_policy,
    )
}

/// The events that have a row in the grid.
fn shown(grid: &[Vec<GridDay>], events: &[ListedEvent]) -> Vec<ListedEvent> {
    let slots = grid.iter().flatten().flat_map(|day| &day.slots);
    let ids: HashSet<i64> = slots
        .filter_map(|slot| match slot {
            Slot::Bar { id, .. } | Slot::Single(id) => Some(*id),
            Slot::Gap => None,
        })
        .collect();
    events.iter().filter(|event| ids.contains(&event.id)).copied().collect()
}

fn render_day(
    layout: &Layout,
    address: &CalendarAddress,
    day: &GridDay,
    today: NaiveDate,
    views: &HashMap<i64, &EventView>,
) -> Day {
    let shown = day.slots.iter().filter(|slot| **slot != Slot::Gap).count() as u64;
    let language = layout.language;
    let mut label = capitalised(&date(language, day.date, true));
    if shown + day.more > 0 {
        label = format!("{label}, {}", event_count(language, shown + day.more));
    }
    Day {
        weekday: format!("{},", capitalised(layout.texts.weekday_names[weekday(day.date)])),
        number: day.date.format("%-d").to_string(),
        label,
        date: day.date.format("%F").to_string(),
        url: format!("{}{}", layout.prefix(), address.at(View::Day, Some(day.date)).path()),
        is_outside: day.is_outside,
        is_today: day.date == today,
        entries: day
            .slots
            .iter()
            .filter_map(|slot| entry(layout.texts, *slot, views))
            .collect(),
        more: match day.more {
            0 => String::new(),
            count => more(language, count),
        },
    }
}

/// The row of a slot. None if the event was deleted in between; the read is repeated then.
fn entry(texts: &Texts, slot: Slot, views: &HashMap<i64, &EventView>) -> Option<Entry> {
    Some(match slot {
        Slot::Gap => Entry {
            class: "gap",
            title: String::new(),
            status: "",
            url: String::new(),
            time: String::new(),
        },
        Slot::Single(id) => {
            let event = views.get(&id)?;
            Entry {
                class: "single",
                title: event.fields.title.clone(),
                status: status(texts, event),
                url: event.fields.common.url.clone(),
                time: match event.fields.all_day {
                    true => String::new(),
                    false => event.fields.start_date.get(11..16).unwrap_or_default().to_owned(),
                },
            }
        }
        Slot::Bar { id, is_first, is_last } => {
            let event = views.get(&id)?;
            Entry {
                class: match (is_first, is_last) {
                    (true, true) => "bar first last",
                    (true, false) => "bar first",
                    (false, true) => "bar last",
                    (false, false) => "bar",
                },
                title: event.fields.title.clone(),
                status: status(texts, event),
                url: match is_first {
                    true => event.fields.common.url.clone(),
                    false => String::new(),
                },
                time: String::new(),
            }
        }
    })
}
