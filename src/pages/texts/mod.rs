//! The texts of pages, in each language.

mod en;
mod es;

use crate::{
    calendar::{Kind, event_status::EventStatus},
    config::Language,
};

/// The texts of one language. A language that lacks one does not compile.
pub(crate) struct Texts {
    pub skip: &'static str,
    pub navigation: &'static str,
    pub breadcrumbs: &'static str,
    pub for_developers: &'static str,
    pub explorer: &'static str,
    pub your_time: &'static str,

    pub events: &'static str,
    pub upcoming_events: &'static str,
    pub past_events: &'static str,
    pub featured_events: &'static str,
    pub all_upcoming_events: &'static str,
    pub no_events: &'static str,
    pub no_upcoming_events: &'static str,
    pub no_past_events: &'static str,
    pub no_events_on_this_day: &'static str,
    pub no_events_in_this_month: &'static str,
    pub next_events: &'static str,
    pub under_way: &'static str,
    pub today: &'static str,
    pub all_day: &'static str,
    pub continues: &'static str,
    pub featured: &'static str,

    pub views: &'static str,
    pub list: &'static str,
    pub month: &'static str,
    pub day: &'static str,
    pub months: &'static str,
    pub categories: &'static str,
    pub tags: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
    pub pages: &'static str,

    pub filter: &'static str,
    pub search: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    pub category: &'static str,
    pub venue: &'static str,
    pub all: &'static str,
    pub free: &'static str,
    pub show: &'static str,
    pub active_filters: &'static str,
    pub remove_filter: &'static str,
    pub remove_all: &'static str,
    pub filters: FilterTexts,

    pub subscribe: &'static str,
    pub subscribe_hint: &'static str,
    pub calendar_program: &'static str,
    pub download: &'static str,
    pub address_of_feed: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub add_to_calendar: &'static str,
    pub calendar_file: &'static str,
    pub embed: &'static str,
    pub embed_hint: &'static str,
    pub html_to_copy: &'static str,

    pub place: &'static str,
    pub address: &'static str,
    pub organized_by: &'static str,
    pub price: &'static str,
    pub phone: &'static str,
    pub email: &'static str,
    pub website: &'static str,
    pub map: &'static str,
    pub has_ended: &'static str,
    pub repeats: &'static str,
    pub other_dates: &'static str,
    pub more_at_venue: &'static str,
    pub more_in_category: &'static str,
    pub next_days: &'static str,

    pub not_found: &'static str,
    pub not_found_hint: &'static str,
    pub invalid_request: &'static str,
    pub invalid_request_hint: &'static str,
    pub try_again_later: &'static str,
    pub see_upcoming_events: &'static str,

    pub developers: DeveloperTexts,

    /// January to December.
    pub month_names: [&'static str; 12],
    /// Three letters.
    pub short_month_names: [&'static str; 12],
    /// Monday to Sunday.
    pub weekday_names: [&'static str; 7],
    /// Two or three letters.
    pub short_weekday_names: [&'static str; 7],
    /// Event, venue, organizer, category and tag, as in [`Kind::ALL`].
    pub kinds: [&'static str; 5],
    /// Scheduled, canceled, postponed and moved online, as in [`EventStatus::ALL`].
    pub event_statuses: [&'static str; 4],
}

/// The labels of filters. A value follows those that are incomplete without one.
pub(crate) struct FilterTexts {
    pub starts_after: &'static str,
    pub ends_by: &'static str,
    pub ends_after: &'static str,
    pub exact_times: &'static str,
    pub whole_days: &'static str,
    pub not_featured: &'static str,
    pub not_free: &'static str,
    pub with_tickets: &'static str,
    pub without_tickets: &'static str,
    pub with_position: &'static str,
    pub without_position: &'static str,
    pub in_area: &'static str,
    pub price_from: &'static str,
    pub price_to: &'static str,
    pub title: &'static str,
    pub by_author: &'static str,
    pub changed_after: &'static str,
    pub changed_before: &'static str,
    pub selected_events: &'static str,
    pub part_of_event: &'static str,
    pub of_series: &'static str,
    pub next_of_series: &'static str,
    pub by_date: &'static str,
    pub by_title: &'static str,
    pub by_modification: &'static str,
    pub by_distance: &'static str,
    pub ascending: &'static str,
    pub descending: &'static str,
}

/// The texts of the page for developers.
pub(crate) struct DeveloperTexts {
    pub title: &'static str,
    pub lead: &'static str,
    pub try_it: &'static str,
    pub reading: &'static str,
    pub commands_for_reading: &'static str,
    pub writing: &'static str,
    pub command_for_writing: &'static str,
    pub feeds: &'static str,
    pub feeds_hint: &'static str,
    pub changes: &'static str,
    pub changes_hint: &'static str,
    pub commands_for_changes: &'static str,
    pub more: &'static str,
    pub explorer: &'static str,
    pub explorer_needs_scripts: &'static str,
    pub document: &'static str,
    pub document_hint: &'static str,
    pub index: &'static str,
    pub index_hint: &'static str,
    pub health: &'static str,
    pub health_hint: &'static str,
    pub metrics: &'static str,
    /// The names of resources after the number 1, as in [`Kind::ALL`].
    pub one: [&'static str; 5],
    /// The names of resources after any other number.
    pub many: [&'static str; 5],
}

impl Texts {
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &en::TEXTS,
            Language::Es => &es::TEXTS,
        }
    }

    /// The name of a kind of resource, capitalised.
    pub(super) fn kind(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::Event => self.kinds[0],
            Kind::Venue => self.kinds[1],
            Kind::Organizer => self.kinds[2],
            Kind::Category => self.kinds[3],
            Kind::Tag => self.kinds[4],
        }
    }

    /// The name of a status, capitalised.
    pub(crate) fn event_status(&self, status: EventStatus) -> &'static str {
        match status {
            EventStatus::Scheduled => self.event_statuses[0],
            EventStatus::Canceled => self.event_statuses[1],
            EventStatus::Postponed => self.event_statuses[2],
            EventStatus::MovedOnline => self.event_statuses[3],
        }
    }
}

/// A number with thousands separators.
pub(super) fn group_thousands(language: Language, number: u64) -> String {
    let separator = match language {
        Language::En => ",",
        Language::Es => ".",
    };
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(separator)
}

/// "+ 3 more", below the events of a day.
pub(super) fn more(language: Language, count: u64) -> String {
    let number = group_thousands(language, count);
    match language {
        Language::En => format!("+ {number} more"),
        Language::Es => format!("+ {number} más"),
    }
}

/// "Within 25 km of 54.3, 10.1".
pub(super) fn within(language: Language, radius_in_km: &str, latitude: &str, longitude: &str) -> String {
    match language {
        Language::En => format!("Within {radius_in_km} km of {latitude}, {longitude}"),
        Language::Es => format!("A {radius_in_km} km como máximo de {latitude}, {longitude}"),
    }
}

/// "3 events".
pub(super) fn event_count(language: Language, count: u64) -> String {
    let DeveloperTexts { one, many, .. } = &Texts::of(language).developers;
    let name = if count == 1 { one[0] } else { many[0] };
    format!("{} {name}", group_thousands(language, count))
}

/// The label of a time zone: "Europe/Berlin time" for a named zone, and "UTC+2" for an offset.
pub(super) fn zone_label(language: Language, zone: &str) -> String {
    let name = zone.replace('_', " ");
    match (zone.contains('/'), language) {
        (false, _) => zone.to_owned(),
        (true, Language::En) => format!("{name} time"),
        (true, Language::Es) => format!("hora de {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_separators() {
        for (number, english, spanish) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1000, "1,000", "1.000"),
            (1234567, "1,234,567", "1.234.567"),
        ] {
            assert_eq!(group_thousands(Language::En, number), english);
            assert_eq!(group_thousands(Language::Es, number), spanish);
        }
    }

    #[test]
    fn zone_labels() {
        assert_eq!(zone_label(Language::En, "America/New_York"), "America/New York time");
        assert_eq!(zone_label(Language::Es, "Europe/Berlin"), "hora de Europe/Berlin");
        assert_eq!(zone_label(Language::Es, "UTC+5:30"), "UTC+5:30");
    }

    #[test]
    fn numbers_of_events() {
        assert_eq!(event_count(Language::En, 1), "1 event");
        assert_eq!(event_count(Language::Es, 2), "2 eventos");
        assert_eq!(more(Language::Es, 3), "+ 3 más");
    }
}
