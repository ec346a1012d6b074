//! The objects of The Events Calendar as records.

use std::collections::HashMap;

use chrono::{DateTime, Datelike, NaiveDateTime, Utc};
use html_escape::decode_html_entities;
use serde_json::Value;

use super::super::{
    fit::Fit,
    records::{Common, EventRecord, ImageRecord, OrganizerRecord, TermRecord, Times, VenueRecord},
    slugs,
};
use crate::{
    calendar::{event_status::EventStatus, local_time::LocalTime, status::Status, zone::Zone},
    services::venue::has_states,
};

/// What reading depends on besides the object.
#[derive(Clone, Debug)]
pub(super) struct ReadContext {
    /// Users of this calendar by the IDs of authors.
    pub authors: HashMap<String, i64>,
    /// The zone of events whose zone is unknown.
    pub site: Zone,
}

/// The IDs of the objects at the source that an event links to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct References {
    pub venues: Vec<String>,
    pub organizers: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
}

/// The highest ID that an object may have, which JavaScript can represent. New objects get higher ones than imported
/// objects, and must not run out of them.
const MAX_ID: i64 = (1 << 53) - 1;

/// The ID of an object.
pub(super) fn id(object: &Value) -> Option<i64> {
    let id = &object["id"];
    id.as_i64()
        .or_else(|| id.as_str()?.parse().ok())
        .filter(|id| (1..=MAX_ID).contains(id))
}

/// A text. PHP represents some texts as numbers, and absent ones as false.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// A text in which entities are decoded once.
fn decoded(value: &Value) -> String {
    decode_html_entities(&text(value)).into_owned()
}

fn flag(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => matches!(text.as_str(), "1" | "true" | "yes"),
        Value::Number(number) => number.as_i64() == Some(1),
        _ => false,
    }
}

fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| value.as_str()?.parse().ok())
        .filter(|number| number.is_finite())
}

/// The items of a list, or a single object. PHP represents an empty object as an empty list.
pub(super) fn objects(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().filter(|item| item.is_object()).collect(),
        Value::Object(_) => vec![value],
        _ => Vec::new(),
    }
}

/// A local date and time in the years 1 to 9999.
fn local(value: &Value) -> Option<NaiveDateTime> {
    let time = NaiveDateTime::parse_from_str(value.as_str()?, "%Y-%m-%d %H:%M:%S").ok()?;
    (1..=9999).contains(&time.year()).then_some(time)
}

/// A date and time in UTC, in seconds since 1970. Drafts have zeros.
pub(super) fn utc(value: &Value) -> Option<i64> {
    local(value).map(|time| time.and_utc().timestamp())
}

/// The values that events, venues and organizers share. `name` is the member with the title.
fn common(object: &Value, name: &str, context: &ReadContext, fit: &mut Fit) -> Common {
    let title = fit.title(name, &decoded(&object[name]));
    let source_slug = text(&object["slug"]);
    let slug = match slugs::decode(&source_slug) {
        Some(slug) => slug,
        None if source_slug.is_empty() => String::new(),
        None => {
            let fallback = slugs::fallback(&source_slug, &title);
            fit.note(format!(
                "the slug \"{source_slug}\" can't be used; {} is",
                match fallback.as_str() {
                    "" => "one made from the ID",
                    slug => slug,
                }
            ));
            fallback
        }
    };
    let status = match text(&object["status"]).as_str() {
        "" => Status::Publish,
        name => name.parse().unwrap_or_else(|_| {
            fit.note(format!("the status \"{name}\" is unknown; stored as draft"));
            Status::Draft
        }),
    };
    Common {
        title,
        description: fit.html("description", &text(&object["description"])),
        slug,
        status: status.stored().to_owned(),
        // Drafts have no publication date yet.
        published_at: utc(&object["date_utc"]).or_else(|| utc(&object["date"])),
        modified_at: utc(&object["modified_utc"]).or_else(|| utc(&object["modified"])),
        // Others have the author of the import, which may differ each time.
        author: context.authors.get(&text(&object["author"])).copied(),
        image: image(&object["image"], fit),
    }
}

fn image(value: &Value, fit: &mut Fit) -> Option<ImageRecord> {
    let url = value["url"].as_str().or_else(|| value.as_str())?;
    let url = fit.url("image", &decode_html_entities(url));
    let size = |name: &str| value[name].as_i64().filter(|size| *size > 0);
    (!url.is_empty()).then(|| ImageRecord {
        url,
        id: id(value),
        size: size("width").zip(size("height")),
    })
}

/// A category or tag. The parent is an ID at the source.
pub(super) fn term(object: &Value, fit: &mut Fit) -> TermRecord {
    let name = fit.title("name", &decoded(&object["name"]));
    let source_slug = text(&object["slug"]);
    TermRecord {
        slug: slugs::decode(&source_slug).unwrap_or_else(|| slugs::fallback(&source_slug, &name)),
        description: fit.html("description", &text(&object["description"])),
        parent: object["parent"].as_i64().unwrap_or_default(),
        name,
    }
}

/// A venue.
pub(super) fn venue(object: &Value, context: &ReadContext, fit: &mut Fit) -> VenueRecord {
    let mut line = |name: &str| fit.line(name, &decoded(&object[name]));
    let [address, city, country, mut province, mut state, zip, phone] =
        ["address", "city", "country", "province", "state", "zip", "phone"].map(&mut line);
    let joint = line("stateprovince");
    if state.is_empty() && province.is_empty() {
        match has_states(&country) {
            true => state = joint,
            false => province = joint,
        }
    }
    let position = number(&object["geo_lat"]).zip(number(&object["geo_lng"]));
    let is_on_earth = |(latitude, longitude): &(f64, f64)| latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    let usable = position.filter(is_on_earth);
    if let (Some((latitude, longitude)), None) = (position, usable) {
        fit.note(format!(
            "the coordinates {latitude}, {longitude} are not on the Earth; left out"
        ));
    }
    VenueRecord {
        common: common(object, "venue", context, fit),
        address,
        city,
        country,
        province,
        state,
        zip,
        phone,
        website: fit.url("website", &decoded(&object["website"])),
        position: usable,
        show_map: flag(&object["show_map"]),
        show_map_link: flag(&object["show_map_link"]),
    }
}

/// An organizer.
pub(super) fn organizer(object: &Value, context: &ReadContext, fit: &mut Fit) -> OrganizerRecord {
    OrganizerRecord {
        common: common(object, "organizer", context, fit),
        phone: fit.line("phone", &decoded(&object["phone"])),
        website: fit.url("website", &decoded(&object["website"])),
        email: fit.email("email", &decoded(&object["email"])),
    }
}

/// The links of an event.
pub(super) fn references(object: &Value) -> References {
    let ids = |name: &str| {
        let objects = objects(&object[name]);
        objects.into_iter().filter_map(id).map(|id| id.to_string()).collect()
    };
    References {
        venues: ids("venue"),
        organizers: ids("organizer"),
        categories: ids("categories"),
        tags: ids("tags"),
    }
}

/// An event without its links and its identifier.
pub(super) fn event(object: &Value, context: &ReadContext, fit: &mut Fit) -> EventRecord {
    let zone = fit.zone(&text(&object["timezone"]), context.site);
    let instant = |name: &str| -> Option<DateTime<Utc>> { local(&object[name]).map(|time| time.and_utc()) };
    let start = local(&object["start_date"]).unwrap_or_else(|| {
        fit.note("has no start; stored as 1970-01-01");
        NaiveDateTime::default()
    });
    let end = local(&object["end_date"]).unwrap_or_else(|| {
        fit.note("has no end; stored with its start");
        start
    });
    let mut times = Times::new(
        zone,
        (start, instant("utc_start_date")),
        (end, instant("utc_end_date")),
        flag(&object["all_day"]),
    );
    if times.correct_end() {
        fit.note(format!(
            "ends at {end}, before its start; stored with its start as its end"
        ));
    }
    let website = decoded(&object["website"]);
    let common = common(object, "title", context, fit);
    EventRecord {
        common,
        uid: None,
        times,
        excerpt: fit.html("excerpt", &text(&object["excerpt"])),
        cost: fit.cost(&decoded(&object["cost"])),
        // The website of an event without one is its page.
        website: match website == text(&object["url"]) {
            true => String::new(),
            false => fit.url("website", &website),
        },
        custom_fields: fit.custom_fields(&object["custom_fields"]),
        event_status: event_status(&object["json_ld"]).map(EventStatus::as_str),
        show_map: flag(&object["show_map"]),
        show_map_link: flag(&object["show_map_link"]),
        hide_from_listings: flag(&object["hide_from_listings"]),
        sticky: flag(&object["sticky"]),
        featured: flag(&object["featured"]),
        venues: Vec::new(),
        organizers: Vec::new(),
        categories: Vec::new(),
        tags: Vec::new(),
    }
}

/// Only structured data has it, which lists of some sites leave out.
fn event_status(json_ld: &Value) -> Option<EventStatus> {
    let name = json_ld["eventStatus"].as_str()?.rsplit('/').next()?;
    Some(match name {
        "EventCancelled" => EventStatus::Canceled,
        "EventPostponed" => EventStatus::Postponed,
        "EventMovedOnline" => EventStatus::MovedOnline,
        _ => EventStatus::Scheduled,
    })
}

/// The identifier of an event in the form of The Events Calendar.
pub(super) fn generated_uid(id: i64, times: &Times, host: &str) -> String {
    let instant = |time: LocalTime| time.instant(&times.zone).timestamp();
    format!("{id}-{}-{}@{host}", instant(times.start), instant(times.end))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context() -> ReadContext {
        ReadContext {
            authors: HashMap::from([("7".to_owned(), 3)]),
            site: Zone::UTC,
        }
    }

    fn event_of(members: &Value) -> (EventRecord, Vec<String>) {
        let mut object = json!({
            "id": 51, "author": "7", "status": "publish", "title": "Rock &#038; Roll", "slug": "rock-roll",
            "date_utc": "2026-02-03 04:05:06", "url": "https://site.example/event/rock-roll/",
            "website": "https://site.example/event/rock-roll/", "image": false, "venue": [], "organizer": [],
            "start_date": "2027-04-01 18:00:00", "end_date": "2027-04-01 20:30:00", "timezone": "America/New_York",
            "custom_fields": [], "cost": "$25",
        });
        for (name, value) in members.as_object().into_iter().flatten() {
            object[name] = value.clone();
        }
        let mut fit = Fit::default();
        let record = event(&object, &context(), &mut fit);
        (record, fit.notes)
    }

    #[test]
    fn entities_are_decoded_once() {
        let (record, notes) = event_of(&json!({}));
        assert_eq!(record.common.title, "Rock & Roll");
        assert_eq!(record.website, "");
        assert_eq!(record.common.author, Some(3));
        assert_eq!(record.common.published_at, Some(1_770_091_506));
        assert!(notes.is_empty(), "{notes:?}");
        let (record, _) = event_of(&json!({"title": "A &amp;lt; B"}));
        assert_eq!(record.common.title, "A &lt; B");
    }

    #[test]
    fn unusual_values() {
        for (members, note) in [
            (json!({"end_date": "2027-03-01 09:00:00"}), "before its start"),
            (json!({"end_date": null}), "no end"),
            (json!({"timezone": "Mars/Base"}), "Mars/Base"),
            (json!({"status": "tribe-ea-success"}), "tribe-ea-success"),
            (json!({"title": "x".repeat(201)}), "200"),
            (json!({"website": "ftp://x"}), "ftp://x"),
        ] {
            let (_, notes) = event_of(&members);
            assert!(
                matches!(&notes[..], [only] if only.contains(note)),
                "{members}: {notes:?}"
            );
        }
        let (record, notes) = event_of(&json!({"timezone": "UTC+5.5", "start_date": "1965-05-01 10:00:00",
            "end_date": "1965-05-01 10:00:00"}));
        assert_eq!(record.times.zone.name(), "UTC+5:30");
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn one_or_several_linked_objects() {
        for (venue, expected) in [
            (json!([]), &[][..]),
            (json!({"id": 6}), &["6"]),
            (json!([{"id": 6}, {"id": "8"}]), &["6", "8"]),
            (json!(false), &[]),
        ] {
            assert_eq!(references(&json!({"venue": venue})).venues, expected);
        }
    }

    #[test]
    fn uid_in_the_form_of_the_source() {
        let (record, _) = event_of(&json!({}));
        assert_eq!(
            generated_uid(51, &record.times, "site.example"),
            "51-1806616800-1806625800@site.example"
        );
    }
}
