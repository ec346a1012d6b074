//! Events in lists on pages.

use chrono::{Datelike, NaiveDate, NaiveDateTime};

use super::{
    dates::{capitalised, foreign_zone, month, parse_local, tile_time, weekday},
    texts::Texts,
};
use crate::{
    auth::Caller,
    calendar::{currency::with_currency, event_status::EventStatus},
    config::Language,
    views::event::{CostDetails, EventView},
};

/// An event in a list.
pub(super) struct EventItem {
    pub title: String,
    pub url: String,
    /// The badge of an event that does not take place as planned; empty for others.
    pub status: &'static str,
    /// The day of the month.
    pub day: String,
    /// The weekday of the event, or the month if it has begun before today.
    pub caption: String,
    /// The date of the start.
    pub date: String,
    /// Whether the previous item is on another day.
    pub is_first_of_day: bool,
    pub time: String,
    /// The label of the time zone, if it is not that of the site.
    pub zone: String,
    /// The start, RFC 3339; empty for all-day events, whose times are the same everywhere.
    pub instant: String,
    /// The name of the first venue; empty if there is none.
    pub venue: String,
    /// Empty if unknown.
    pub price: String,
    /// The name and the URL of the first category.
    pub category: Option<(String, String)>,
    /// The URL; empty if there is none.
    pub image: String,
    pub is_featured: bool,
}

/// Consecutive events under a heading.
pub(super) struct EventGroup {
    /// Empty if there is none.
    pub heading: String,
    pub items: Vec<EventItem>,
}

/// Converts events to items, in their order, with their months as headings. Events that have begun before today are
/// under a heading of their own if the list begins with them.
pub(super) fn group_by_month<'a>(
    caller: &Caller,
    language: Language,
    events: impl IntoIterator<Item = &'a EventView>,
) -> Vec<EventGroup> {
    let today = today(caller);
    let texts = Texts::of(language);
    let mut groups: Vec<EventGroup> = Vec::new();
    let mut previous = None;
    for event in events {
        let dates = (
            parse_local(&event.fields.start_date),
            parse_local(&event.fields.end_date),
        );
        let (start, end) = (dates.0.date(), dates.1.date());
        let is_first = groups.iter().all(|group| group.heading == texts.under_way);
        let is_under_way = is_first && start < today && today <= end;
        let heading = match is_under_way {
            true => texts.under_way.to_owned(),
            false => month(language, start),
        };
        let mut item = EventItem::of(caller, language, event, dates, today);
        if is_under_way {
            texts.short_month_names[start.month0() as usize].clone_into(&mut item.caption);
        }
        match groups.last_mut().filter(|group| group.heading == heading) {
            Some(group) => {
                item.is_first_of_day = previous != Some(start);
                group.items.push(item);
            }
            None => groups.push(EventGroup {
                heading,
                items: vec![item],
            }),
        }
        previous = Some(start);
    }
    groups
}

/// Converts events to items, in their order, with the month and the year of each: they are not sorted by their starts.
pub(super) fn without_headings<'a>(
    caller: &Caller,
    language: Language,
    events: impl IntoIterator<Item = &'a EventView>,
) -> Vec<EventGroup> {
    let today = today(caller);
    let short_month_names = &Texts::of(language).short_month_names;
    let items = events.into_iter().map(|event| {
        let dates = (
            parse_local(&event.fields.start_date),
            parse_local(&event.fields.end_date),
        );
        let start = dates.0.date();
        let name = short_month_names[start.month0() as usize];
        EventItem {
            caption: format!("{name} {}", start.year()),
            ..EventItem::of(caller, language, event, dates, today)
        }
    });
    let items: Vec<EventItem> = items.collect();
    match items.is_empty() {
        true => Vec::new(),
        false => vec![EventGroup {
            heading: String::new(),
            items,
        }],
    }
}

/// The current date of the site.
pub(super) fn today(caller: &Caller) -> NaiveDate {
    caller.almanac.settings.site.zone.to_local(caller.now).date()
}

impl EventItem {
    fn of(
        caller: &Caller,
        language: Language,
        event: &EventView,
        (start, end): (NaiveDateTime, NaiveDateTime),
        today: NaiveDate,
    ) -> Self {
        let image = event.fields.common.image.0.as_ref();
        let short_weekday = Texts::of(language).short_weekday_names[weekday(start.date())];
        Self {
            title: event.fields.title.clone(),
            url: event.fields.common.url.clone(),
            status: status(Texts::of(language), event),
            day: start.day().to_string(),
            caption: capitalised(short_weekday),
            date: event.fields.start_date.get(..10).unwrap_or_default().to_owned(),
            is_first_of_day: true,
            time: tile_time(language, (start, end), event.fields.all_day, today.year()),
            zone: foreign_zone(language, event, &caller.almanac.settings.site.zone.name()),
            instant: match event.fields.all_day {
                true => String::new(),
                false => event.fields.starts_at.clone(),
            },
            venue: venue_label(event),
            price: price(event),
            category: event.categories.first().map(|category| {
                let term = &category.term;
                (term.name.clone(), term.url.clone())
            }),
            image: image.map(|image| image.url.clone()).unwrap_or_default(),
            is_featured: event.fields.featured,
        }
    }
}

/// The name of the status of an event that does not take place as planned; empty for others.
pub(super) fn status(texts: &Texts, event: &EventView) -> &'static str {
    match EventStatus::stored(&event.fields.event_status) {
        EventStatus::Scheduled => "",
        status => texts.event_status(status),
    }
}

/// The price, with the site's currency if it is a bare amount.
pub(super) fn price(event: &EventView) -> String {
    let CostDetails {
        currency_symbol,
        currency_code,
        ..
    } = &event.fields.cost_details;
    with_currency(&event.fields.cost, currency_symbol, currency_code)
}

/// The name of the first venue, with its city unless the name contains it.
fn venue_label(event: &EventView) -> String {
    let Some(venue) = event.venue.first() else {
        return String::new();
    };
    match venue.venue.contains(&venue.city) {
        true => venue.venue.clone(),
        false => format!("{}, {}", venue.venue, venue.city),
    }
}
