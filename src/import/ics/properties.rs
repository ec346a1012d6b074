//! The properties of components in iCalendar data.

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarProperty, ICalendarValue,
};

use super::super::fit::Fit;
use crate::calendar::html::escape;

/// The maximum number of categories of an event.
const MAX_CATEGORIES: usize = 20;

/// The text of a property.
pub(super) fn text<'a>(component: &'a ICalendarComponent, property: &ICalendarProperty) -> Option<&'a str> {
    let text = component.property(property)?.values.first()?.as_text()?;
    (!text.trim().is_empty()).then_some(text)
}

/// A property that the standard does not know.
pub(super) fn other<'a>(component: &'a ICalendarComponent, name: &str) -> Option<&'a str> {
    let entry = component.entries.iter().find(|entry| match &entry.name {
        ICalendarProperty::Other(other) => other.eq_ignore_ascii_case(name),
        _ => false,
    })?;
    entry.values.first()?.as_text()
}

/// Plain text as HTML, with its line breaks.
pub(super) fn as_html(text: &str) -> String {
    let escaped = escape(text.trim());
    match escaped.is_empty() {
        true => escaped,
        false => format!(
            "<p>{}</p>",
            escaped
                .replace("\r\n", "\n")
                .replace("\n\n", "</p><p>")
                .replace('\n', "<br>")
        ),
    }
}

pub(super) fn position(component: &ICalendarComponent) -> Option<(f64, f64)> {
    let values = &component.property(&ICalendarProperty::Geo)?.values;
    let [latitude, longitude] = &values[..] else {
        return None;
    };
    let (latitude, longitude) = (latitude.as_float()?, longitude.as_float()?);
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then_some((latitude, longitude))
}

/// The organizer, if it has a name.
pub(super) fn organizer(component: &ICalendarComponent, fit: &mut Fit) -> Option<(String, String)> {
    let entry = component.property(&ICalendarProperty::Organizer)?;
    let name = entry.parameter(&ICalendarParameterName::Cn)?.as_text()?.trim();
    let address = entry.calendar_address().unwrap_or_default();
    let is_address = address.contains('@');
    let name = if name.is_empty() {
        return None;
    } else {
        fit.title("ORGANIZER", name)
    };
    Some((
        name,
        if is_address {
            fit.email("ORGANIZER", address)
        } else {
            String::new()
        },
    ))
}

pub(super) fn categories(component: &ICalendarComponent, fit: &mut Fit) -> Vec<String> {
    let entries = component.properties(&ICalendarProperty::Categories);
    let mut names: Vec<String> = Vec::new();
    for name in entries
        .flat_map(|entry| &entry.values)
        .filter_map(ICalendarValue::as_text)
    {
        let name = name.trim();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.len() > MAX_CATEGORIES {
        fit.note(format!(
            "has {} categories; the first {MAX_CATEGORIES} are imported",
            names.len()
        ));
        names.truncate(MAX_CATEGORIES);
    }
    names
}

/// The address of an image: RFC 7986, or an attachment that is an image.
pub(super) fn image(component: &ICalendarComponent, fit: &mut Fit) -> String {
    let is_image = |entry: &&ICalendarEntry| {
        let media_type = entry
            .parameter(&ICalendarParameterName::Fmttype)
            .and_then(|value| value.as_text());
        media_type.is_some_and(|media_type| media_type.starts_with("image/"))
    };
    let attached = || component.properties(&ICalendarProperty::Attach).find(is_image);
    let entry = component.property(&ICalendarProperty::Image).or_else(attached);
    let address = entry.and_then(|entry| entry.values.first()?.as_text());
    match address {
        // Images inside the file are left out.
        Some(address) if address.starts_with("http") => fit.url("IMAGE", address),
        _ => String::new(),
    }
}
