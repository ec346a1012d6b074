//! Lines with events. A line with the title, the start and the end of an existing event updates it.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

use super::{
    super::{
        ImportError,
        fit::Fit,
        names,
        page::{Identity, Page},
        records::{EventRecord, OrganizerRecord, Times, VenueRecord},
    },
    CsvOptions, RowResult, image,
    table::Row,
    values::{self, DateOrder},
    website,
};
use crate::{
    calendar::{Kind, status::Status, title_key::title_key, zone::Zone},
    store::{
        Term,
        entity::{category, organizer, tag, venue},
        imports,
    },
};

/// Imports a line. Returns its errors.
pub(super) async fn import(page: &mut Page<'_>, row: &Row, options: CsvOptions) -> Result<RowResult<i64>, ImportError> {
    let mut errors = Vec::new();
    let mut fit = Fit::default();
    let title = match row.filled("event_name") {
        Some(name) => fit.title("Event Name", name),
        None => {
            errors.push(row.error("event_name", "must not be empty"));
            String::new()
        }
    };
    let times = times(row, options.date_order, page.options.site, &mut fit, &mut errors);
    let venues = match row.filled("event_venue_name") {
        Some(name) => {
            let new = |common| VenueRecord {
                common,
                show_map: true,
                show_map_link: true,
                ..VenueRecord::default()
            };
            let found = match names::find::<VenueRecord, venue::Entity>(page, name).await? {
                None if options.create_missing => {
                    Some(names::linked_resource::<VenueRecord, venue::Entity>(page, name, new).await?)
                }
                found => found,
            };
            if found.is_none() {
                errors.push(row.error("event_venue_name", UNKNOWN_VENUE));
            }
            found.into_iter().collect()
        }
        None => Vec::new(),
    };
    let organizers = organizers(page, row, options.create_missing, &mut errors).await?;
    let Some(times) = times.filter(|_| errors.is_empty()) else {
        return Ok(Err(errors));
    };
    let key = key(&title, &times);
    if page.is_written(Kind::Event, &key) {
        let line = row.line;
        fit.note(format!(
            "line {line} has the title, start and end of an earlier line, whose values it replaces"
        ));
    }
    let before = existing(page, &key, &title, &times).await?;
    let mut record = before.unwrap_or_else(|| EventRecord::new(times.clone(), Status::Publish.as_str()));
    record.times = times;
    record.common.title = title;
    record.common.modified_at = None;
    set_values(&mut record, row, &mut fit);
    if row.get("event_venue_name").is_some() {
        record.venues = venues;
    }
    if row.get("event_organizer_name").is_some() {
        record.organizers = organizers;
    }
    if let Some(names) = row.get("event_category") {
        record.categories = terms::<category::Entity>(page, names).await?;
    }
    if let Some(names) = row.get("event_tags") {
        record.tags = terms::<tag::Entity>(page, names).await?;
    }
    let id = page.event(Identity { key: &key, id: None }, record).await?;
    page.note(Kind::Event, &key, fit.notes);
    Ok(Ok(id))
}

const UNKNOWN_VENUE: &str =
    "is neither the name nor the ID of a venue; import the venues first, or pass --create-missing";
const UNKNOWN_ORGANIZER: &str =
    "names an organizer that does not exist; import the organizers first, or pass --create-missing";

/// The identity of a line: title, start and end.
fn key(title: &str, times: &Times) -> String {
    format!(
        "{}|{}|{}|{}",
        title_key(title),
        times.start.local,
        times.end.local,
        times.zone.name()
    )
}

/// The event that the line updates: it was imported before, or created otherwise.
async fn existing(
    page: &mut Page<'_>,
    key: &str,
    title: &str,
    times: &Times,
) -> Result<Option<EventRecord>, ImportError> {
    page.load(Kind::Event, &[key.to_owned()]).await?;
    if let Some(id) = page.target(Kind::Event, key) {
        // An event that was deleted by hand stays deleted.
        return page.existing(id).await;
    }
    let (starts_at, ends_at) = (
        times.start.instant(&times.zone).timestamp(),
        times.ends_at().timestamp(),
    );
    match imports::same_event(&page.transaction, title, starts_at, ends_at).await? {
        Some(id) => {
            page.adopt(Kind::Event, key, id);
            page.existing(id).await
        }
        None => Ok(None),
    }
}

/// The times of a line.
fn times(row: &Row, order: Option<DateOrder>, site: Zone, fit: &mut Fit, errors: &mut Vec<String>) -> Option<Times> {
    let mut date = |column: &str| -> Option<NaiveDate> {
        let text = row.filled(column)?;
        let date = values::date(text, order);
        if date.is_none() {
            errors.push(row.error(column, DateOrder::expected(order)));
        }
        date
    };
    let first = date("event_start_date");
    let last = date("event_end_date");
    if row.filled("event_start_date").is_none() {
        errors.push(row.error("event_start_date", "must not be empty"));
    }
    let mut time = |column: &str| -> Option<NaiveTime> {
        let text = row.filled(column)?;
        let time = values::time(text);
        if time.is_none() {
            errors.push(row.error(column, values::TIME));
        }
        time
    };
    let from = time("event_start_time");
    let until = time("event_end_time");
    let zone = match row.filled("event_timezone").map(Zone::parse) {
        None => site,
        Some(Ok(zone)) => zone,
        Some(Err(_)) => {
            errors.push(row.error("event_timezone", "is not a time zone such as Europe/Berlin or UTC+2"));
            site
        }
    };
    let first = first?;
    let start = NaiveDateTime::new(first, from.unwrap_or_default());
    let end = NaiveDateTime::new(last.unwrap_or(first), until.or(from).unwrap_or_default());
    let all_day = row.get("event_all_day").is_some_and(values::flag);
    let mut times = Times::new(zone, (start, None), (end, None), all_day);
    if times.correct_end() {
        fit.note(format!(
            "line {}: ends at {end}, before its start; stored with its start as its end",
            row.line
        ));
    }
    Some(times)
}

/// Stores the values of the columns that the table has. An event that is updated keeps the others.
fn set_values(record: &mut EventRecord, row: &Row, fit: &mut Fit) {
    if let Some(html) = row.get("event_description") {
        record.common.description = fit.html("Event Description", html);
    }
    if let Some(html) = row.get("event_excerpt") {
        record.excerpt = fit.html("Event Excerpt", html);
    }
    for (column, value) in [
        ("event_hide", &mut record.hide_from_listings),
        ("event_sticky", &mut record.sticky),
        ("feature_event", &mut record.featured),
        ("event_show_map_link", &mut record.show_map_link),
        ("event_show_map", &mut record.show_map),
    ] {
        if let Some(text) = row.get(column) {
            *value = values::flag(text);
        }
    }
    if row.get("event_cost").is_some() {
        record.cost = fit.cost(&cost(row));
    }
    if let Some(address) = row.get("event_website") {
        record.website = fit.url("Event Website", &website(address));
    }
    if row.get("featured_image").is_some() {
        record.common.image = image(row, fit);
    }
}

/// The price of a line, with its currency.
fn cost(row: &Row) -> String {
    let amount = row.get("event_cost").unwrap_or_default();
    let is_bare_letter = |letter: char| letter.is_ascii_digit() || ".,-– ".contains(letter);
    let is_bare = !amount.is_empty() && amount.chars().all(is_bare_letter);
    let symbol = row.filled("event_currency_symbol");
    let is_after = row.get("event_currency_position").is_some_and(|place| {
        ["suffix", "postfix", "after"]
            .iter()
            .any(|after| place.eq_ignore_ascii_case(after))
    });
    match (is_bare, symbol, row.filled("event_currency_code")) {
        (true, Some(symbol), _) if is_after => format!("{amount} {symbol}"),
        (true, Some(symbol), _) => format!("{symbol}{amount}"),
        (true, None, Some(code)) => format!("{amount} {}", code.to_uppercase()),
        _ => amount.to_owned(),
    }
}

/// The organizers of a line: names or IDs with commas between them. A name that contains a comma is found as a whole.
async fn organizers(
    page: &mut Page<'_>,
    row: &Row,
    create_missing: bool,
    errors: &mut Vec<String>,
) -> Result<Vec<i64>, ImportError> {
    let Some(text) = row.filled("event_organizer_name") else {
        return Ok(Vec::new());
    };
    let whole = imports::same_name::<organizer::Entity>(&page.transaction, text).await?;
    if let Some(id) = whole {
        return Ok(vec![id]);
    }
    let mut ids = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let new = |common| OrganizerRecord {
            common,
            ..OrganizerRecord::default()
        };
        let found = match names::find::<OrganizerRecord, organizer::Entity>(page, name).await? {
            None if create_missing => {
                Some(names::linked_resource::<OrganizerRecord, organizer::Entity>(page, name, new).await?)
            }
            found => found,
        };
        match found {
            Some(id) if !ids.contains(&id) => ids.push(id),
            Some(_) => {}
            None => errors.push(row.error("event_organizer_name", UNKNOWN_ORGANIZER)),
        }
    }
    Ok(ids)
}

/// The IDs of the categories or tags with these names, with commas between them, sorted. Unknown ones are created.
async fn terms<E: Term>(page: &mut Page<'_>, names: &str) -> Result<Vec<i64>, ImportError> {
    let names: Vec<&str> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let mut ids = Vec::new();
    for name in names {
        let id = names::term::<E>(page, name).await?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.sort_unstable();
    Ok(ids)
}
