//! Events as linked data in the vocabulary of schema.org.

use serde_json::{Map, Value, json};

use super::{event_links::Linked, organizer, publishable::PublishableView, venue};
use crate::{
    calendar::{cost::Cost, event_status::EventStatus},
    store::{entity::event, publishable::PublishableRow},
};

/// The event as a schema.org Event, without empty members. It is online if it has moved there, or if it has a website and
/// no venue. `eventAttendanceMode` is absent if it has neither, because its place is then unknown.
pub(super) fn json_ld(
    row: &event::Model,
    common: &PublishableView,
    cost: &Cost,
    (start, end): (&str, &str),
    linked: &Linked<'_>,
) -> Map<String, Value> {
    let status = EventStatus::stored(&row.event_status);
    // All-day events have dates without times (Date instead of DateTime in schema.org).
    let date = |text: &str| match row.all_day {
        true => text.get(..10).unwrap_or(text).to_owned(),
        false => text.to_owned(),
    };
    let mut event = json!({
        "@context": "https://schema.org",
        "@type": "Event",
        "name": row.title,
        "url": common.url,
        "startDate": date(start),
        "endDate": date(end),
        "eventStatus": status.schema_org(),
    });
    let description = row.description_text();
    if !description.is_empty() {
        event["description"] = description.into_owned().into();
    }
    if let Some(image) = &common.image.0 {
        event["image"] = image.url.clone().into();
    }
    if !row.website.is_empty() {
        event["sameAs"] = row.website.clone().into();
    }
    if status == EventStatus::MovedOnline || !linked.has_venue && !row.website.is_empty() {
        event["eventAttendanceMode"] = "https://schema.org/OnlineEventAttendanceMode".into();
        event["location"] = virtual_location(row, common);
    } else if linked.has_venue {
        event["eventAttendanceMode"] = "https://schema.org/OfflineEventAttendanceMode".into();
    }
    if status != EventStatus::MovedOnline && !linked.venues.is_empty() {
        event["location"] = one_or_list(linked.venues.iter().map(|venue| venue::place(&venue.row)));
    }
    if !linked.organizers.is_empty() {
        let organizations = linked
            .organizers
            .iter()
            .map(|organizer| organizer::organization(&organizer.row, &organizer.view.common.url));
        event["organizer"] = one_or_list(organizations);
    }
    if let Some(price) = cost.values.first() {
        let mut offer = json!({
            "@type": "Offer",
            "price": price,
            "url": common.url,
            "availability": "https://schema.org/InStock",
            "validFrom": common.published_at,
        });
        if !cost.currency_code.is_empty() {
            offer["priceCurrency"] = cost.currency_code.clone().into();
        }
        event["offers"] = offer;
    }
    match event {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The place of an online event: its website, or else its page, from which readers have to find it.
fn virtual_location(row: &event::Model, common: &PublishableView) -> Value {
    let url = match row.website.is_empty() {
        true => &common.url,
        false => &row.website,
    };
    json!({"@type": "VirtualLocation", "url": url})
}

fn one_or_list(objects: impl Iterator<Item = Map<String, Value>>) -> Value {
    let mut objects: Vec<Value> = objects.map(Value::Object).collect();
    match objects.len() {
        1 => objects.swap_remove(0),
        _ => objects.into(),
    }
}
