//! Events as linked data in the vocabulary of schema.org.

use std::iter::zip;

use serde::Serialize;

use super::{event::EventView, event_links::Linked, json_ld::OneOrList, organizer::Organization, venue::Place};
use crate::{
    calendar::event_status::EventStatus,
    store::{entity::event, publishable::PublishableRow},
};

/// An event as a schema.org Event, without empty members. It is online if it has moved there, or if it has a website
/// and no venue. `eventAttendanceMode` is absent if it has neither, because its place is then unknown.
#[derive(Serialize)]
#[serde(tag = "@type", rename = "Event", rename_all = "camelCase")]
pub(crate) struct EventJsonLd<'a> {
    name: &'a str,
    url: &'a str,
    start_date: &'a str,
    end_date: &'a str,
    event_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_attendance_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    same_as: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organizer: Option<OneOrList<Organization<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offers: Option<Offer<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Location<'a> {
    Online(VirtualLocation<'a>),
    Venues(OneOrList<Place<'a>>),
}

/// The place of an online event: its website, or else its page, from which readers have to find it.
#[derive(Serialize)]
#[serde(tag = "@type")]
struct VirtualLocation<'a> {
    url: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
struct Offer<'a> {
    price: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    price_currency: &'a str,
    url: &'a str,
    availability: &'static str,
    valid_from: &'a str,
}

/// The plain texts of the descriptions of an event, and of its venues and organizers.
pub(super) struct Descriptions {
    event: String,
    venues: Vec<String>,
    organizers: Vec<String>,
}

impl Descriptions {
    pub(super) fn of(row: &event::Model, linked: &Linked<'_>) -> Self {
        let venues = linked.venues.iter();
        let organizers = linked.organizers.iter();
        Self {
            event: row.description_text().into_owned(),
            venues: venues.map(|venue| venue.row.description_text().into_owned()).collect(),
            organizers: organizers
                .map(|organizer| organizer.row.description_text().into_owned())
                .collect(),
        }
    }
}

impl<'a> EventJsonLd<'a> {
    /// The event without descriptions, as in lists.
    pub(crate) fn of(event: &'a EventView) -> Self {
        let status = EventStatus::stored(&event.fields.event_status);
        // All-day events have dates without times (Date instead of DateTime in schema.org).
        let date = |text: &'a str| match event.fields.all_day {
            true => text.get(..10).unwrap_or(text),
            false => text,
        };
        let url = event.fields.common.url.as_str();
        let website = event.fields.website.as_str();
        let is_online = status == EventStatus::MovedOnline || !event.has_venue && !website.is_empty();
        let event_attendance_mode = match (is_online, event.has_venue) {
            (true, _) => Some("https://schema.org/OnlineEventAttendanceMode"),
            (false, true) => Some("https://schema.org/OfflineEventAttendanceMode"),
            (false, false) => None,
        };
        let venues = || event.venue.iter().map(|venue| Place::of(venue));
        let organizers = || event.organizer.iter().map(|organizer| Organization::of(organizer));
        Self {
            name: &event.fields.title,
            url,
            start_date: date(&event.fields.starts_at),
            end_date: date(&event.fields.ends_at),
            event_status: status.schema_org(),
            event_attendance_mode,
            description: "",
            image: event.fields.common.image.0.as_ref().map(|image| image.url.as_str()),
            same_as: website,
            location: match is_online {
                true => Some(Location::Online(VirtualLocation {
                    url: if website.is_empty() { url } else { website },
                })),
                false => (!event.venue.is_empty()).then(|| Location::Venues(OneOrList(venues().collect()))),
            },
            organizer: (!event.organizer.is_empty()).then(|| OneOrList(organizers().collect())),
            offers: event.fields.cost_details.values.first().map(|price| Offer {
                price,
                price_currency: &event.fields.cost_details.currency_code,
                url,
                availability: "https://schema.org/InStock",
                valid_from: &event.fields.common.published_at,
            }),
        }
    }

    /// The event with descriptions, as on its own page.
    pub(super) fn with(mut self, descriptions: &'a Descriptions) -> Self {
        self.description = &descriptions.event;
        if let Some(Location::Venues(OneOrList(venues))) = &mut self.location {
            for (venue, description) in zip(venues, &descriptions.venues) {
                venue.description = description;
            }
        }
        if let Some(OneOrList(organizers)) = &mut self.organizer {
            for (organizer, description) in zip(organizers, &descriptions.organizers) {
                organizer.description = description;
            }
        }
        self
    }
}
