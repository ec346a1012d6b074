//! The rules of events that repeat.

use calcard::{
    common::PartialDateTime,
    icalendar::{ICalendarComponent, ICalendarEntry, ICalendarPeriod, ICalendarProperty, ICalendarValue},
};
use chrono::NaiveDateTime;

use super::{super::fit::Fit, times::When, zones::Zones};

/// The lines RRULE, RDATE and EXDATE of an event with this start, on the clock of its start. None for an event that
/// does not repeat.
pub(super) fn lines(
    component: &ICalendarComponent,
    start: Option<When>,
    zones: &Zones,
    fit: &mut Fit,
) -> Option<String> {
    let start = start?.of_series();
    let mut lines = rules(component);
    let additions = dates(component, &ICalendarProperty::Rdate, start, zones, fit);
    if lines.is_empty() && additions.is_empty() {
        return None;
    }
    let exceptions = dates(component, &ICalendarProperty::Exdate, start, zones, fit);
    lines.extend(line("RDATE", start, &additions));
    lines.extend(line("EXDATE", start, &exceptions));
    Some(lines.join("\n"))
}

/// The lines of rules. There should be one, and no EXRULE; what else there is, is rejected with the rule.
fn rules(component: &ICalendarComponent) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, property) in [
        ("RRULE", ICalendarProperty::Rrule),
        ("EXRULE", ICalendarProperty::Exrule),
    ] {
        let entries = component.properties(&property);
        for value in entries.flat_map(|entry| &entry.values) {
            let rule = match value {
                ICalendarValue::RecurrenceRule(rule) => rule.to_string(),
                value => value.as_text().unwrap_or_default().to_owned(),
            };
            lines.push(format!("{name}:{}", rule.replace(['\r', '\n'], " ")));
        }
    }
    lines
}

fn dates(
    component: &ICalendarComponent,
    property: &ICalendarProperty,
    start: When,
    zones: &Zones,
    fit: &mut Fit,
) -> Vec<NaiveDateTime> {
    let mut slots = Vec::new();
    let mut has_periods = false;
    for entry in component.properties(property) {
        for value in &entry.values {
            has_periods |= matches!(value, ICalendarValue::Period(_));
            slots.extend(slot(value, entry, start, zones, fit));
        }
    }
    if has_periods {
        fit.note("has dates with durations of their own, which are imported with that of the first date");
    }
    slots
}

fn slot(
    value: &ICalendarValue,
    entry: &ICalendarEntry,
    start: When,
    zones: &Zones,
    fit: &mut Fit,
) -> Option<NaiveDateTime> {
    let time: &PartialDateTime = match value {
        ICalendarValue::Period(ICalendarPeriod::Range { start, .. } | ICalendarPeriod::Duration { start, .. }) => start,
        value => value.as_partial_date_time()?,
    };
    Some(When::of(time, entry, zones, fit)?.slot(start, zones))
}

fn line(name: &str, start: When, dates: &[NaiveDateTime]) -> Option<String> {
    let (kind, format) = match start {
        When::Day(_) => (";VALUE=DATE", "%Y%m%d"),
        _ => ("", "%Y%m%dT%H%M%S"),
    };
    let dates: Vec<String> = dates.iter().map(|date| date.format(format).to_string()).collect();
    (!dates.is_empty()).then(|| format!("{name}{kind}:{}", dates.join(",")))
}
