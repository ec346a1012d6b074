//! VTIMEZONE (RFC 5545, section 3.6.5): the actual transitions of a zone, as our rules have them.
//!
//! Transitions are written one by one instead of as recurrence rules: rules of a zone may change from year to year, and
//! clients differ in which rules they understand.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Timelike, Utc};

use super::text::ContentLines;
use crate::calendar::{
    observance::{Observance, observances},
    zone::Zone,
};

/// The zones and years whose transitions a calendar contains.
#[derive(Clone, Debug, Default)]
pub(super) struct CalendarZones(BTreeMap<String, (Zone, BTreeSet<i32>)>);

impl CalendarZones {
    /// The zones with these names. Events in a zone that is unknown to the rules in use are shown in the site's zone.
    pub(super) fn new(years: &BTreeMap<String, BTreeSet<i32>>, site: &Zone) -> Self {
        let mut zones = Self::default();
        for (name, years) in years {
            zones.add(Zone::parse(name).unwrap_or(*site), years.iter().copied());
        }
        zones
    }

    /// Adds years of a zone. Times in UTC need no definition.
    pub(super) fn add(&mut self, zone: Zone, years: impl IntoIterator<Item = i32>) {
        if zone != Zone::UTC {
            let (_, known) = self.0.entry(zone.name()).or_insert_with(|| (zone, BTreeSet::new()));
            known.extend(years);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the calendar has the transitions around this local time. An event that is moved while the calendar is
    /// sent may be in another zone or year.
    pub(super) fn contain(&self, zone: &Zone, local: NaiveDateTime) -> bool {
        let known = self.0.get(&zone.name());
        known.is_some_and(|(_, years)| years.contains(&local.year()))
    }

    /// Writes one VTIMEZONE for each zone.
    pub(super) fn write(&self, lines: &mut ContentLines) {
        for (zone, years) in self.0.values() {
            write_zone(lines, zone, years);
        }
    }
}

/// Writes the VTIMEZONE of any zone, for a calendar without events: a calendar must have a component.
pub(super) fn write_current(lines: &mut ContentLines, zone: &Zone, now: DateTime<Utc>) {
    write_zone(lines, zone, &BTreeSet::from([now.year()]));
}

fn write_zone(lines: &mut ContentLines, zone: &Zone, years: &BTreeSet<i32>) {
    lines.begin("VTIMEZONE");
    lines.text("TZID", &tzid(zone));
    for observance in observances(zone, years) {
        let Observance {
            starts,
            offset_before,
            offset,
            name,
            is_daylight,
        } = observance;
        let component = if is_daylight { "DAYLIGHT" } else { "STANDARD" };
        lines.begin(component);
        lines.value("DTSTART", &date_time(starts));
        lines.value("TZOFFSETFROM", &utc_offset(offset_before));
        lines.value("TZOFFSETTO", &utc_offset(offset));
        lines.text("TZNAME", &name);
        lines.end(component);
    }
    lines.end("VTIMEZONE");
}

/// The identifier of a zone in a calendar: its IANA name; for a fixed offset, one such as `UTC+0530`, since a colon would
/// have to be quoted.
pub(super) fn tzid(zone: &Zone) -> String {
    match zone {
        Zone::Named(named) => named.name().to_owned(),
        Zone::Fixed(offset) => format!("UTC{}", utc_offset(offset.local_minus_utc())),
    }
}

/// A date (RFC 5545, section 3.3.4). chrono would parse a format string for each date.
pub(super) fn date(date: NaiveDate) -> String {
    format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())
}

/// A local date and time (RFC 5545, section 3.3.5, form 1).
pub(super) fn date_time(local: NaiveDateTime) -> String {
    let (hour, minute, second) = (local.hour(), local.minute(), local.second());
    format!("{}T{hour:02}{minute:02}{second:02}", date(local.date()))
}

/// An offset in seconds east of UTC (RFC 5545, section 3.3.14). Local mean times have seconds.
fn utc_offset(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match seconds {
        0 => format!("{sign}{hours:02}{minutes:02}"),
        _ => format!("{sign}{hours:02}{minutes:02}{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(years: &[(&str, i32)]) -> CalendarZones {
        let mut zones = CalendarZones::default();
        for (name, year) in years {
            zones.add(Zone::parse(name).unwrap(), [*year]);
        }
        zones
    }

    fn written(zones: &CalendarZones) -> String {
        let mut lines = ContentLines::default();
        zones.write(&mut lines);
        lines.take().replace("\r\n", "\n")
    }

    #[test]
    fn definition_of_a_zone() {
        let expected = "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\n\
            BEGIN:STANDARD\nDTSTART:20251026T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nTZNAME:CET\nEND:STANDARD\n\
            BEGIN:DAYLIGHT\nDTSTART:20260329T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nTZNAME:CEST\nEND:DAYLIGHT\n\
            BEGIN:STANDARD\nDTSTART:20261025T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nTZNAME:CET\nEND:STANDARD\n\
            END:VTIMEZONE\n";
        assert_eq!(written(&zones(&[("Europe/Berlin", 2026)])), expected);
    }

    #[test]
    fn definition_of_a_fixed_offset() {
        let expected = "BEGIN:VTIMEZONE\nTZID:UTC-0930\n\
            BEGIN:STANDARD\nDTSTART:20251230T143000\nTZOFFSETFROM:-0930\nTZOFFSETTO:-0930\nTZNAME:UTC-9:30\nEND:STANDARD\n\
            END:VTIMEZONE\n";
        assert_eq!(written(&zones(&[("UTC-9:30", 2026)])), expected);
    }

    #[test]
    fn utc_needs_no_definition() {
        assert!(zones(&[("UTC", 2026)]).is_empty());
    }

    #[test]
    fn zones_of_the_same_name_are_defined_once() {
        let text = written(&zones(&[("europe/berlin", 2026), ("Europe/Berlin", 2027)]));
        assert_eq!(text.matches("BEGIN:VTIMEZONE").count(), 1);
        assert_eq!(text.matches("BEGIN:DAYLIGHT").count(), 2);
    }

    #[test]
    fn only_years_of_the_calendar_are_contained() {
        let zones = zones(&[("Europe/Berlin", 2026)]);
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let local = |year| NaiveDateTime::parse_from_str(&format!("{year}-06-01 12:00"), "%Y-%m-%d %H:%M").unwrap();
        assert!(zones.contain(&berlin, local(2026)));
        assert!(!zones.contain(&berlin, local(2027)));
        assert!(!zones.contain(&Zone::parse("Europe/Rome").unwrap(), local(2026)));
    }

    #[test]
    fn utc_offsets() {
        for (seconds, expected) in [(0, "+0000"), (19_800, "+0530"), (-12_600, "-0330"), (3_208, "+005328")] {
            assert_eq!(utc_offset(seconds), expected);
        }
    }
}
