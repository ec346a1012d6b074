//! The filter bar: a form that works without scripts, and the filters that are active.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::{
    address::{CalendarAddress, View},
    choices::Choices,
};
use crate::{
    auth::Caller,
    error::Problem,
    pages::{dates::date, layout::Layout},
    store::{
        Publishable, Snapshot,
        entity::{organizer, venue},
        publishable::{self, PublishableRow},
    },
};

/// The parameters that have a field in the form. All others that are given become hidden fields.
const FIELDS: [&str; 7] = [
    "search",
    "start_date",
    "starts_before",
    "categories",
    "venue",
    "featured",
    "free",
];

/// Parameters of the list that select no events.
const NO_FILTERS: [&str; 3] = ["per_page", "order", "orderby"];

/// The form and the active filters.
pub(super) struct FilterBar {
    /// The path of the view without filters.
    pub action: String,
    /// Names and values.
    pub hidden: Vec<(String, String)>,
    pub search: String,
    pub start_date: String,
    pub starts_before: String,
    pub categories: Vec<Choice>,
    pub venues: Vec<Choice>,
    pub is_featured: bool,
    pub is_free: bool,
    pub active: Vec<ActiveFilter>,
    /// The path of the view without any filter.
    pub without_filters: String,
    /// Whether a field has a value, so that the bar is shown opened.
    pub is_used: bool,
}

/// A value of a field with several choices.
pub(super) struct Choice {
    pub value: String,
    pub label: String,
    pub is_selected: bool,
}

/// An active filter.
pub(super) struct ActiveFilter {
    pub label: String,
    /// The path of the view without it.
    pub without: String,
}

impl FilterBar {
    pub(super) async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        layout: &Layout,
        address: &CalendarAddress,
        choices: &Choices,
    ) -> Result<Self, Problem> {
        let value = |wanted: &str| {
            let mut filters = address.filters.iter().rev();
            let found = filters.find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let names = Names::of(caller, snapshot, address, choices).await?;
        // A category in the path is a value of the field, so that another one replaces it.
        let category = address.category.clone().unwrap_or_else(|| value("categories"));
        let hidden = address
            .filters
            .iter()
            .filter(|(name, _)| !FIELDS.contains(&name.as_str()));
        let mut hidden: Vec<_> = hidden.cloned().collect();
        if address.is_past {
            hidden.push(("eventDisplay".to_owned(), "past".to_owned()));
        }
        let bare = CalendarAddress {
            category: None,
            filters: Vec::new(),
            is_past: false,
            // A form replaces the query.
            date: address.date.filter(|_| address.view != View::List),
            ..address.clone()
        };
        let is_used = address.category.is_some() || address.filters.iter().any(|(name, _)| FIELDS.contains(&&**name));
        Ok(Self {
            action: format!("{}{}", layout.prefix(), bare.path()),
            hidden,
            search: value("search"),
            start_date: value("start_date"),
            starts_before: value("starts_before"),
            categories: category_choices(choices, &category, &names),
            venues: venue_choices(choices, &value("venue"), &names),
            is_featured: is_true(&value("featured")),
            is_free: is_true(&value("free")),
            active: active_filters(layout, address, &names),
            without_filters: {
                let all = CalendarAddress::new(address.frame).at(address.view, address.date);
                format!("{}{}", layout.prefix(), all.path())
            },
            is_used,
        })
    }
}

/// The names of the objects to which filters refer.
struct Names<'a> {
    choices: &'a Choices,
    /// The names of venues and organizers that are not among the choices, by parameter and ID.
    others: HashMap<(&'static str, i64), String>,
}

impl<'a> Names<'a> {
    async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        address: &CalendarAddress,
        choices: &'a Choices,
    ) -> Result<Self, Problem> {
        let mut names = Self {
            choices,
            others: HashMap::new(),
        };
        names.add::<venue::Entity>(caller, snapshot, address, "venue").await?;
        names
            .add::<organizer::Entity>(caller, snapshot, address, "organizer")
            .await?;
        Ok(names)
    }

    /// Adds the names of the venues or organizers to which a parameter refers by ID.
    async fn add<E: Publishable>(
        &mut self,
        caller: &Caller,
        snapshot: &Snapshot,
        address: &CalendarAddress,
        parameter: &'static str,
    ) -> Result<(), Problem> {
        let values = address.filters.iter().filter(|(name, _)| name == parameter);
        let ids: Vec<i64> = values
            .flat_map(|(_, value)| value.split(',').map(str::trim))
            .filter(|value| self.name(parameter, value).is_none())
            .filter_map(|value| value.parse().ok())
            .collect();
        for row in publishable::find_all::<E>(snapshot, &ids).await? {
            let columns = row.common_columns();
            if caller.identity.may_see(&columns, caller.timestamp()) {
                self.others.insert((parameter, columns.id), columns.title);
            }
        }
        Ok(())
    }

    /// The name of a value of a parameter.
    fn name(&self, parameter: &'static str, value: &str) -> Option<&str> {
        let id: Option<i64> = value.parse().ok();
        match parameter {
            "categories" => {
                let mut categories = self.choices.categories.iter();
                let found = categories.find(|category| category.slug == value || Some(category.id) == id);
                return found.map(|category| category.name.as_str());
            }
            "venue" => {
                let mut venues = self.choices.venues.iter();
                if let Some((_, name)) = venues.find(|(venue, _)| Some(*venue) == id) {
                    return Some(name);
                }
            }
            _ => {}
        }
        self.others.get(&(parameter, id?)).map(String::as_str)
    }

    /// The names of a comma-separated list of values, or the values themselves.
    fn label(&self, parameter: &'static str, values: &str) -> String {
        let labels = values.split(',').map(|value| {
            let value = value.trim();
            self.name(parameter, value).unwrap_or(value)
        });
        labels.collect::<Vec<_>>().join(", ")
    }
}

fn category_choices(choices: &Choices, selected: &str, names: &Names<'_>) -> Vec<Choice> {
    let id: Option<i64> = selected.parse().ok();
    let options = choices.categories.iter().map(|category| Choice {
        value: category.slug.clone(),
        label: format!("{}{}", "\u{2003}".repeat(category.depth), category.name),
        is_selected: category.slug == selected || Some(category.id) == id,
    });
    with_selected(options.collect(), selected, || names.label("categories", selected))
}

fn venue_choices(choices: &Choices, selected: &str, names: &Names<'_>) -> Vec<Choice> {
    let selected_id: Option<i64> = selected.parse().ok();
    let options = choices.venues.iter().map(|(id, name)| Choice {
        value: id.to_string(),
        label: name.clone(),
        is_selected: Some(*id) == selected_id,
    });
    with_selected(options.collect(), selected, || names.label("venue", selected))
}

/// Adds the selected value if it is not among the choices, such as several categories.
fn with_selected(mut choices: Vec<Choice>, selected: &str, label: impl FnOnce() -> String) -> Vec<Choice> {
    if !selected.is_empty() && !choices.iter().any(|choice| choice.is_selected) {
        choices.push(Choice {
            value: selected.to_owned(),
            label: label(),
            is_selected: true,
        });
    }
    choices
}

/// All filters of the address. A filter without a field, whatever it is, has its name and value as its label.
fn active_filters(layout: &Layout, address: &CalendarAddress, names: &Names<'_>) -> Vec<ActiveFilter> {
    let without = |changed: CalendarAddress| format!("{}{}", layout.prefix(), changed.path());
    let mut active = Vec::new();
    if let Some(category) = &address.category {
        active.push(ActiveFilter {
            label: names.label("categories", category),
            without: without(CalendarAddress {
                category: None,
                ..address.clone()
            }),
        });
    }
    if let Some(tag) = &address.tag {
        active.push(ActiveFilter {
            label: tag.clone(),
            without: without(CalendarAddress {
                tag: None,
                ..address.clone()
            }),
        });
    }
    if address.is_featured {
        active.push(ActiveFilter {
            label: layout.texts.featured.to_owned(),
            without: without(CalendarAddress {
                is_featured: false,
                ..address.clone()
            }),
        });
    }
    for (index, (name, value)) in address.filters.iter().enumerate() {
        if NO_FILTERS.contains(&name.as_str()) {
            continue;
        }
        let mut changed = address.clone();
        changed.filters.remove(index);
        active.push(ActiveFilter {
            label: filter_label(layout, name, value, names),
            without: without(changed),
        });
    }
    active
}

fn filter_label(layout: &Layout, name: &str, value: &str, names: &Names<'_>) -> String {
    let texts = layout.texts;
    let day = |value: &str| match value.parse::<NaiveDate>() {
        Ok(day) => date(layout.language, day, true),
        Err(_) => value.to_owned(),
    };
    match name {
        "search" => format!("“{value}”"),
        "start_date" => format!("{} {}", texts.from, day(value)),
        "starts_before" => format!("{} {}", texts.to, day(value)),
        "categories" => names.label("categories", value),
        "venue" => names.label("venue", value),
        "organizer" => names.label("organizer", value),
        "tags" => value.to_owned(),
        "featured" if is_true(value) => texts.featured.to_owned(),
        "free" if is_true(value) => texts.free.to_owned(),
        _ => format!("{name}: {value}"),
    }
}

/// Whether a parameter is true, in the forms that the interface accepts most often.
fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on")
}
