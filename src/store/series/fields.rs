//! The fields that the events of a series share.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use crate::store::{entity::event, links::TargetIds};

/// The maximum size of the long texts that one write gives to events of a series, in bytes. They are in memory at once,
/// with the texts that are derived from them.
pub(crate) const MAX_TEXTS: usize = 32 * 1024 * 1024;

/// The values of the fields that new events of a series get, besides status, publication date, author and times, which
/// are columns of the series. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SharedFields {
    /// The start of the slugs of the events; their dates follow.
    pub slug: String,
    pub title: String,
    pub description: String,
    pub excerpt: String,
    pub image_id: Option<i64>,
    pub cost: String,
    pub website: String,
    pub custom_fields: String,
    pub event_status: String,
    pub post_parent: Option<i64>,
    pub show_map: bool,
    pub show_map_link: bool,
    pub hide_from_listings: bool,
    pub sticky: bool,
    pub featured: bool,
    pub ticketed: bool,
    pub links: TargetIds,
}

impl SharedFields {
    /// The size of the long texts of one event, in bytes.
    pub(crate) fn text_size(&self) -> usize {
        self.description.len() + self.excerpt.len() + self.custom_fields.len()
    }

    /// The number of events that get the long texts in one write.
    pub(crate) fn most_at_once(&self) -> usize {
        MAX_TEXTS / self.text_size().max(1)
    }
}

macro_rules! shared_fields {
    ($($field:ident = $name:literal),* $(,)?) => {
        /// A field that the events of a series share unless they override it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum SharedField {
            $($field),*
        }

        impl SharedField {
            /// All fields, in the order of payloads.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$field),*];

            /// The name in payloads and representations.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$field => $name),*
                }
            }
        }
    };
}

shared_fields!(
    Author = "author",
    Date = "date",
    Title = "title",
    Description = "description",
    Excerpt = "excerpt",
    Status = "status",
    Timezone = "timezone",
    AllDay = "all_day",
    StartDate = "start_date",
    EndDate = "end_date",
    Image = "image",
    Cost = "cost",
    Website = "website",
    ShowMap = "show_map",
    ShowMapLink = "show_map_link",
    HideFromListings = "hide_from_listings",
    Sticky = "sticky",
    Featured = "featured",
    Categories = "categories",
    Tags = "tags",
    Venue = "venue",
    Organizer = "organizer",
    PostParent = "post_parent",
    Ticketed = "ticketed",
    CustomFields = "custom_fields",
    EventStatus = "event_status",
);

impl SharedField {
    /// The fields of the times. An event that overrides one of them keeps all of its times.
    pub(crate) const TIMES: [Self; 4] = [Self::Timezone, Self::AllDay, Self::StartDate, Self::EndDate];

    /// The fields whose values differ between two versions of an event, except those of links.
    pub(crate) fn differences(before: &event::Model, after: &event::Model) -> BTreeSet<Self> {
        // Destructured, so that a new column can't be forgotten here.
        let event::Model {
            id: _,
            version: _,
            status,
            trashed_status,
            trashed_at: _,
            slug: _,
            published_at,
            modified_at: _,
            title,
            title_key: _,
            description,
            description_text: _,
            search_text: _,
            author_id,
            image_id,
            excerpt,
            starts_at: _,
            ends_at: _,
            timezone,
            starts_local,
            ends_local,
            starts_offset,
            ends_offset,
            tz_release: _,
            cost,
            cost_min: _,
            cost_max: _,
            website,
            custom_fields,
            event_status,
            post_parent,
            all_day,
            show_map,
            show_map_link,
            hide_from_listings,
            sticky,
            featured,
            ticketed,
            located: _,
            series_id: _,
            recurrence_id: _,
            overridden: _,
            // Each event has its own.
            uid: _,
            external_source: _,
            external_id: _,
        } = before;
        // Moving an event to the trash and back changes no field.
        let outside_trash = |status: &str, trashed_status: &Option<String>| match status {
            "trash" => trashed_status.clone().unwrap_or_default(),
            status => status.to_owned(),
        };
        let new_status = outside_trash(&after.status, &after.trashed_status);
        [
            (Self::Status, outside_trash(status, trashed_status) != new_status),
            (Self::Date, *published_at != after.published_at),
            (Self::Title, *title != after.title),
            (Self::Description, *description != after.description),
            (Self::Author, *author_id != after.author_id),
            (Self::Image, *image_id != after.image_id),
            (Self::Excerpt, *excerpt != after.excerpt),
            (Self::Timezone, *timezone != after.timezone),
            (
                Self::StartDate,
                (starts_local, starts_offset) != (&after.starts_local, &after.starts_offset),
            ),
            (
                Self::EndDate,
                (ends_local, ends_offset) != (&after.ends_local, &after.ends_offset),
            ),
            (Self::Cost, *cost != after.cost),
            (Self::Website, *website != after.website),
            (Self::CustomFields, *custom_fields != after.custom_fields),
            (Self::EventStatus, *event_status != after.event_status),
            (Self::PostParent, *post_parent != after.post_parent),
            (Self::AllDay, *all_day != after.all_day),
            (Self::ShowMap, *show_map != after.show_map),
            (Self::ShowMapLink, *show_map_link != after.show_map_link),
            (Self::HideFromListings, *hide_from_listings != after.hide_from_listings),
            (Self::Sticky, *sticky != after.sticky),
            (Self::Featured, *featured != after.featured),
            (Self::Ticketed, *ticketed != after.ticketed),
        ]
        .into_iter()
        .filter_map(|(field, differs)| differs.then_some(field))
        .collect()
    }

    /// Copies the value from one event to another. Times and links are no columns that can be copied: each event has its
    /// own.
    pub(crate) fn copy(self, from: &event::Model, to: &mut event::Model) {
        match self {
            Self::Author => to.author_id = from.author_id,
            Self::Date => to.published_at = from.published_at,
            Self::Title => to.title.clone_from(&from.title),
            Self::Description => {
                to.description.clone_from(&from.description);
                to.description_text.clone_from(&from.description_text);
            }
            Self::Excerpt => to.excerpt.clone_from(&from.excerpt),
            Self::Status => to.status.clone_from(&from.status),
            Self::Image => to.image_id = from.image_id,
            Self::Cost => to.cost.clone_from(&from.cost),
            Self::Website => to.website.clone_from(&from.website),
            Self::ShowMap => to.show_map = from.show_map,
            Self::ShowMapLink => to.show_map_link = from.show_map_link,
            Self::HideFromListings => to.hide_from_listings = from.hide_from_listings,
            Self::Sticky => to.sticky = from.sticky,
            Self::Featured => to.featured = from.featured,
            Self::PostParent => to.post_parent = from.post_parent,
            Self::Ticketed => to.ticketed = from.ticketed,
            Self::CustomFields => to.custom_fields.clone_from(&from.custom_fields),
            Self::EventStatus => to.event_status.clone_from(&from.event_status),
            Self::Timezone | Self::AllDay | Self::StartDate | Self::EndDate => {}
            Self::Categories | Self::Tags | Self::Venue | Self::Organizer => {}
        }
    }
}

/// The fields that an event does not share with its series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overridden(BTreeSet<SharedField>);

impl Overridden {
    /// Those of an event.
    pub(crate) fn of(event: &event::Model) -> Self {
        Self::parse(&event.overridden)
    }

    /// Reads the column. Unknown names, which a newer release may have written, are left out.
    pub(crate) fn parse(stored: &str) -> Self {
        let names: Vec<&str> = stored.split(',').collect();
        let fields = SharedField::ALL.iter().copied();
        Self(fields.filter(|field| names.contains(&field.name())).collect())
    }

    /// Whether the event has a value of its own for the field.
    pub(crate) fn contains(&self, field: SharedField) -> bool {
        match SharedField::TIMES.contains(&field) {
            true => self.has_times(),
            false => self.0.contains(&field),
        }
    }

    /// Whether the event has times of its own.
    pub(crate) fn has_times(&self) -> bool {
        SharedField::TIMES.iter().any(|field| self.0.contains(field))
    }

    pub(crate) fn add(&mut self, fields: impl IntoIterator<Item = SharedField>) {
        self.0.extend(fields);
    }

    pub(crate) fn remove(&mut self, fields: &BTreeSet<SharedField>) {
        self.0.retain(|field| !fields.contains(field));
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|field| field.name())
    }
}

/// As stored.
impl fmt::Display for Overridden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        formatter.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overridden_fields_are_stored_by_name() {
        let mut overridden = Overridden::default();
        overridden.add([SharedField::EndDate, SharedField::Title]);
        let event = event::Model {
            overridden: overridden.to_string(),
            ..event::Model::default()
        };
        assert_eq!(event.overridden, "title,end_date");
        assert_eq!(Overridden::of(&event), overridden);
        assert!(overridden.contains(SharedField::StartDate));
        assert!(!overridden.contains(SharedField::Cost));
        assert_eq!(Overridden::of(&event::Model::default()), Overridden::default());
    }

    #[test]
    fn every_field_that_differs_can_be_copied() {
        let after = event::Model {
            status: "draft".to_owned(),
            title: "New".to_owned(),
            description: "<p>New</p>".to_owned(),
            author_id: Some(2),
            image_id: Some(3),
            published_at: 4,
            excerpt: "New".to_owned(),
            cost: "5".to_owned(),
            website: "https://example.org/".to_owned(),
            custom_fields: "{}".to_owned(),
            event_status: "canceled".to_owned(),
            post_parent: Some(6),
            show_map: true,
            show_map_link: true,
            hide_from_listings: true,
            sticky: true,
            featured: true,
            ticketed: true,
            ..event::Model::default()
        };
        let mut copied = event::Model::default();
        let differences = SharedField::differences(&copied, &after);
        assert_eq!(differences.len(), 18);
        for field in differences {
            field.copy(&after, &mut copied);
        }
        assert_eq!(copied, after);
    }

    #[test]
    fn long_texts_limit_the_events_of_a_write() {
        for (size, expected) in [(0, MAX_TEXTS), (1000, 33_554), (100_000, 335)] {
            let fields = SharedFields {
                description: "x".repeat(size),
                ..SharedFields::default()
            };
            assert_eq!(fields.most_at_once(), expected, "{size}");
        }
    }

    #[test]
    fn trash_is_no_field() {
        let published = event::Model {
            status: "publish".to_owned(),
            ..event::Model::default()
        };
        let trashed = event::Model {
            status: "trash".to_owned(),
            trashed_status: Some("publish".to_owned()),
            ..event::Model::default()
        };
        assert!(SharedField::differences(&published, &trashed).is_empty());
        assert!(SharedField::differences(&trashed, &published).is_empty());
    }
}
