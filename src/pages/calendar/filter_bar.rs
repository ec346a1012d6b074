//! The filter bar: a form that works without scripts, and the filters that are active.

use std::sync::Arc;

use chrono::NaiveDate;

use super::{
    Selection,
    active_filters::{ActiveFilter, active_filters},
    address::{CalendarAddress, View},
    choices::{CategoryChoice, Choices},
    names::Names,
    options::SelectedOptions,
};
use crate::{
    auth::Caller,
    error::Problem,
    extract::lenient_bool::LenientBool,
    pages::layout::Layout,
    store::{Snapshot, term::TermColumns},
};

/// The form and the active filters.
pub(super) struct FilterBar {
    /// The path of the view without filters.
    pub action: String,
    /// The names and values that no field has, so that the form keeps them.
    pub hidden: Vec<(String, String)>,
    pub search: String,
    pub start_date: String,
    pub starts_before: String,
    pub category: SelectField,
    pub venue: SelectField,
    pub is_featured: bool,
    pub is_free: bool,
    pub active: Vec<ActiveFilter>,
    /// The path of the view without any filter.
    pub without_filters: String,
    /// Whether a field has a value, so that the bar is shown opened.
    pub is_used: bool,
    choices: Arc<Choices>,
}

/// The value of a field with several choices.
pub(super) struct SelectField {
    pub value: String,
    /// The label of a value that is not among the choices, such as several categories.
    pub label: String,
}

impl FilterBar {
    pub(super) async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        layout: &Layout,
        selection: &Selection,
    ) -> Result<Self, Problem> {
        let address = &selection.address;
        let choices = Choices::of(caller, snapshot).await?;
        let names = Names::of(caller, snapshot, address, choices.clone()).await?;
        let mut fields = Fields::of(address);
        if let Some(category) = choices.category(&fields.category) {
            fields.category.clone_from(&category.slug);
        }
        let without_filters = CalendarAddress {
            is_past: address.is_past,
            ..CalendarAddress::new(address.frame).at(address.view, date_in_path(address))
        };
        Ok(Self {
            action: format!("{}{}", layout.prefix(), fields.action.path()),
            without_filters: format!("{}{}", layout.prefix(), without_filters.path()),
            is_used: fields.is_used(),
            category: SelectField {
                label: names.label("categories", &fields.category),
                value: fields.category,
            },
            venue: SelectField {
                label: names.label("venue", &fields.venue),
                value: fields.venue,
            },
            hidden: fields.hidden,
            search: fields.search,
            start_date: fields.start_date,
            starts_before: fields.starts_before,
            is_featured: fields.is_featured,
            is_free: fields.is_free,
            active: active_filters(caller, layout, selection, &names),
            choices,
        })
    }

    /// The ancestors of a category, from the top level down.
    pub(super) fn ancestors(&self, category: &TermColumns) -> Vec<&CategoryChoice> {
        self.choices.ancestors(category.id)
    }

    pub(super) fn categories(&self) -> SelectedOptions<'_> {
        self.choices.category_options.select(&self.category.value)
    }

    pub(super) fn venues(&self) -> SelectedOptions<'_> {
        self.choices.venue_options.select(&self.venue.value)
    }

    /// Whether there is a venue to choose. There is none if there are too many.
    pub(super) fn has_venues(&self) -> bool {
        !(self.choices.venue_options.is_empty() && self.venue.value.is_empty())
    }
}

/// The date in the path of a view. That of a list is in the query.
fn date_in_path(address: &CalendarAddress) -> Option<NaiveDate> {
    address.date.filter(|_| address.view != View::List)
}

/// The values of the fields of the form.
#[derive(Debug)]
struct Fields {
    /// The address to whose path the form adds its fields as the query.
    action: CalendarAddress,
    hidden: Vec<(String, String)>,
    search: String,
    start_date: String,
    starts_before: String,
    category: String,
    venue: String,
    is_featured: bool,
    is_free: bool,
}

impl Fields {
    fn of(address: &CalendarAddress) -> Self {
        let mut fields = Self {
            action: CalendarAddress {
                date: date_in_path(address),
                is_featured: false,
                is_past: false,
                filters: Vec::new(),
                ..address.clone()
            },
            hidden: Vec::new(),
            search: String::new(),
            start_date: String::new(),
            starts_before: String::new(),
            category: String::new(),
            venue: String::new(),
            is_featured: address.is_featured,
            is_free: false,
        };
        for (name, value) in &address.filters {
            fields.add(name, value);
        }
        // A category in the path is a value of the field, so that another one replaces it.
        if fields.category.is_empty() {
            fields.category = fields.action.category.take().unwrap_or_default();
        }
        if let (View::List, Some(date)) = (address.view, address.date) {
            match fields.start_date.is_empty() {
                true => fields.start_date = date.to_string(),
                false => fields.hide("tribe-bar-date", &date.to_string()),
            }
        }
        if address.is_past {
            fields.hide("eventDisplay", "past");
        }
        fields
    }

    /// Adds a filter to the field that can show it, or else to the hidden ones.
    fn add(&mut self, name: &str, value: &str) {
        let is_day = || value.parse::<NaiveDate>().is_ok();
        match name {
            // Of several values, the last one applies.
            "search" => value.clone_into(&mut self.search),
            "start_date" if is_day() => value.clone_into(&mut self.start_date),
            "starts_before" if is_day() => value.clone_into(&mut self.starts_before),
            "featured" if is_true(value) => self.is_featured = true,
            "free" if is_true(value) => self.is_free = true,
            "categories" => add_to_list(&mut self.category, value),
            "venue" => add_to_list(&mut self.venue, value),
            _ => self.hide(name, value),
        }
    }

    fn hide(&mut self, name: &str, value: &str) {
        self.hidden.push((name.to_owned(), value.to_owned()));
    }

    fn is_used(&self) -> bool {
        let texts = [
            &self.search,
            &self.start_date,
            &self.starts_before,
            &self.category,
            &self.venue,
        ];
        texts.iter().any(|text| !text.is_empty()) || self.is_featured || self.is_free
    }
}

/// Adds values to a comma-separated list.
fn add_to_list(list: &mut String, values: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(values);
}

/// Whether a parameter is true, in the forms that the interface accepts.
pub(super) fn is_true(value: &str) -> bool {
    LenientBool::parse(value) == Some(LenientBool(true))
}

#[cfg(test)]
mod tests {
    use super::{super::address::Frame, *};

    fn fields(filters: &[(&str, &str)]) -> Fields {
        let filters = filters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Fields::of(&CalendarAddress {
            filters: filters.collect(),
            ..CalendarAddress::new(Frame::Page)
        })
    }

    #[test]
    fn form_keeps_what_it_does_not_show() {
        for filter in [
            ("tags", "new"),
            ("free", "false"),
            ("featured", "false"),
            ("start_date", "tomorrow"),
            ("starts_before", "2030-12-24 10:00"),
            ("geoloc_box", "10,54,11,55"),
            ("orderby", "title"),
            ("per_page", "5"),
        ] {
            let fields = fields(&[filter]);
            let hidden: Vec<_> = fields.hidden.iter().map(|(name, value)| (&**name, &**value)).collect();
            assert_eq!(hidden, [filter]);
            assert!(!fields.is_used(), "{filter:?}");
        }
        for filter in [
            ("search", "jazz"),
            ("start_date", "2030-12-24"),
            ("starts_before", "2030-12-24"),
            ("categories", "1,2"),
            ("venue", "1"),
            ("featured", "true"),
            ("free", "1"),
        ] {
            let fields = fields(&[filter]);
            assert!(fields.hidden.is_empty(), "{filter:?}");
            assert!(fields.is_used(), "{filter:?}");
        }
    }

    #[test]
    fn repeated_filters_are_one_list() {
        let fields = fields(&[
            ("categories", "1"),
            ("categories", "2"),
            ("venue", "3,4"),
            ("venue", "5"),
        ]);
        assert_eq!((fields.category.as_str(), fields.venue.as_str()), ("1,2", "3,4,5"));
    }

    #[test]
    fn form_replaces_the_address() {
        let address = CalendarAddress {
            category: Some("music".to_owned()),
            tag: Some("new".to_owned()),
            is_featured: true,
            is_past: true,
            date: NaiveDate::from_ymd_opt(2030, 12, 24),
            ..CalendarAddress::new(Frame::Page)
        };
        let of_list = Fields::of(&address);
        assert_eq!(of_list.action.path(), "/events/tag/new");
        assert_eq!((of_list.category.as_str(), of_list.is_featured), ("music", true));
        assert_eq!(of_list.start_date, "2030-12-24");
        assert_eq!(of_list.hidden, [("eventDisplay".to_owned(), "past".to_owned())]);
        let of_day = Fields::of(&address.at(View::Day, address.date));
        assert_eq!(of_day.action.path(), "/events/tag/new/2030-12-24");
        // A field of the form can't express that events need two categories.
        let both = Fields::of(&CalendarAddress {
            filters: vec![("categories".to_owned(), "arts".to_owned())],
            ..address
        });
        assert_eq!(both.action.path(), "/events/category/music/tag/new");
        assert_eq!(both.category, "arts");
    }
}
