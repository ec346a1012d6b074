//! The filters of a view as texts, each with a link that removes it.

use chrono::NaiveDate;

use super::{
    Selection,
    address::{CalendarAddress, View},
    filter_bar::is_true,
    names::Names,
};
use crate::{
    auth::Caller,
    calendar::event_status::EventStatus,
    pages::{
        dates::date,
        layout::Layout,
        texts::{FilterTexts, Texts, within},
    },
};

/// Parameters that select the same events, whatever their value.
const NO_FILTERS: [&str; 2] = ["per_page", "status"];
/// The parameters of a search around a position, of which the first one stands for all.
const POSITION: [&str; 3] = ["geoloc_lat", "geoloc_lng", "geoloc_radius"];

/// An active filter.
pub(super) struct ActiveFilter {
    pub label: String,
    /// The path of the view without it.
    pub without: String,
}

/// All filters of the view. One that is not known here has its name and value as its label.
pub(super) fn active_filters(
    caller: &Caller,
    layout: &Layout,
    selection: &Selection,
    names: &Names,
) -> Vec<ActiveFilter> {
    let Selection {
        address, category, tag, ..
    } = selection;
    let labels = Labels {
        layout,
        names,
        address,
        default_radius_in_km: caller.almanac.settings.geoloc_radius_km,
    };
    let mut active = Vec::new();
    let mut add = |label: String, without: CalendarAddress| {
        active.push(ActiveFilter {
            label,
            without: format!("{}{}", layout.prefix(), without.path()),
        });
    };
    if let Some(category) = category {
        let without = CalendarAddress {
            category: None,
            ..address.clone()
        };
        add(category.name.clone(), without);
    }
    if let Some(tag) = tag {
        let without = CalendarAddress {
            tag: None,
            ..address.clone()
        };
        add(tag.name.clone(), without);
    }
    if address.is_featured {
        let without = CalendarAddress {
            is_featured: false,
            ..address.clone()
        };
        add(layout.texts.featured.to_owned(), without);
    }
    if let (View::List, Some(day)) = (address.view, address.date) {
        let without = CalendarAddress {
            date: None,
            ..address.clone()
        };
        add(labels.dated(layout.texts.from, &day.to_string()), without);
    }
    for (index, (name, value)) in address.filters.iter().enumerate() {
        if let Some(label) = labels.of(name, value) {
            add(label, without(address, index, name));
        }
    }
    active
}

/// The address without one of its filters, and without what depends on it.
fn without(address: &CalendarAddress, index: usize, name: &str) -> CalendarAddress {
    let mut changed = address.clone();
    if !POSITION.contains(&name) {
        changed.filters.remove(index);
        return changed;
    }
    changed.filters.retain(|(name, value)| {
        let needs_position = name == "orderby" && value == "distance";
        !POSITION.contains(&name.as_str()) && !needs_position
    });
    changed
}

/// The labels of filters.
struct Labels<'a> {
    layout: &'a Layout,
    names: &'a Names,
    address: &'a CalendarAddress,
    default_radius_in_km: f64,
}

impl Labels<'_> {
    /// The label of a filter. None if it selects nothing, or if another one stands for it.
    fn of(&self, name: &str, value: &str) -> Option<String> {
        let texts = self.layout.texts;
        let filters = &texts.filters;
        let either = |when_true: &str, when_false: &str| match is_true(value) {
            true => when_true.to_owned(),
            false => when_false.to_owned(),
        };
        let with = |label: &str| format!("{label} {value}");
        Some(match name {
            _ if NO_FILTERS.contains(&name) => return None,
            "search" => format!("“{value}”"),
            "start_date" => self.dated(texts.from, value),
            "starts_before" => self.dated(texts.to, value),
            "starts_after" => self.dated(filters.starts_after, value),
            "end_date" | "ends_before" => self.dated(filters.ends_by, value),
            "ends_after" => self.dated(filters.ends_after, value),
            "modified_after" => self.dated(filters.changed_after, value),
            "modified_before" => self.dated(filters.changed_before, value),
            "strict_dates" => either(filters.exact_times, filters.whole_days),
            "categories" => self.names.label("categories", value),
            "tags" => self.names.label("tags", value),
            "venue" => self.names.label("venue", value),
            "organizer" => self.names.label("organizer", value),
            "featured" => either(texts.featured, filters.not_featured),
            "free" => either(texts.free, filters.not_free),
            "ticketed" => either(filters.with_tickets, filters.without_tickets),
            "geoloc" => either(filters.with_position, filters.without_position),
            "geoloc_lat" => self.around_position(value),
            _ if POSITION.contains(&name) => return None,
            "geoloc_box" => with(filters.in_area),
            "cost_min" => with(filters.price_from),
            "cost_max" => with(filters.price_to),
            "title" => format!("{}: {value}", filters.title),
            "author" => with(filters.by_author),
            "include" => filters.selected_events.to_owned(),
            "post_parent" => with(filters.part_of_event),
            "series" => format!("{} {}", filters.of_series, self.names.label("series", value)),
            "recurrences" if value == "next" => filters.next_of_series.to_owned(),
            "recurrences" => return None,
            "event_status" => statuses(texts, value),
            "orderby" => sort_key(filters, value),
            "order" if value.eq_ignore_ascii_case("desc") => filters.descending.to_owned(),
            "order" => filters.ascending.to_owned(),
            _ => format!("{name}: {value}"),
        })
    }

    /// A label with a date. Other values than days are shown as they are.
    fn dated(&self, label: &str, value: &str) -> String {
        match value.parse::<NaiveDate>() {
            Ok(day) => format!("{label} {}", date(self.layout.language, day, true)),
            Err(_) => format!("{label} {value}"),
        }
    }

    fn around_position(&self, latitude: &str) -> String {
        let value = |wanted: &str| {
            let mut filters = self.address.filters.iter().rev();
            let found = filters.find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        };
        let longitude = value("geoloc_lng").unwrap_or_default();
        let radius = value("geoloc_radius").unwrap_or_else(|| self.default_radius_in_km.to_string());
        within(self.layout.language, &radius, latitude, &longitude)
    }
}

/// The names of a comma-separated list of statuses.
fn statuses(texts: &Texts, values: &str) -> String {
    let names = values.split(',').map(|value| {
        let status = EventStatus::ALL
            .into_iter()
            .find(|status| status.as_str() == value.trim());
        status.map_or(value, |status| texts.event_status(status))
    });
    names.collect::<Vec<_>>().join(", ")
}

fn sort_key(filters: &FilterTexts, value: &str) -> String {
    let label = match value {
        "title" => filters.by_title,
        "modified" => filters.by_modification,
        "distance" => filters.by_distance,
        _ => filters.by_date,
    };
    label.to_owned()
}
