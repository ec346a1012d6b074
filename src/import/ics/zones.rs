//! Time zones of iCalendar files: by their IANA names, by their Windows names, and by the rules in the file.

use std::{collections::HashMap, str::FromStr};

use calcard::{
    common::timezone::Tz,
    icalendar::{
        ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarProperty, ICalendarValue,
        ICalendarWeekday,
    },
};
use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, Weekday};

use super::properties::other;
use crate::calendar::zone::Zone;

/// The maximum length of the name of a zone. Longer ones are unknown.
const MAX_NAME: usize = 255;
/// The maximum number of times at which the offset of a zone of a file changes, besides yearly ones. Each time in the
/// zone is compared with all of them.
const MAX_STARTS: usize = 2_000;

/// The zones of a file.
#[derive(Debug)]
pub(super) struct Zones {
    /// By the names that times refer to.
    own: HashMap<String, OwnZone>,
    /// The zone of times without one.
    floating: Zone,
}

/// A VTIMEZONE.
#[derive(Debug, Default)]
struct OwnZone {
    /// The IANA name that the file gives for it.
    location: Option<String>,
    rules: Vec<ZoneRule>,
}

/// An observance (RFC 5545, section 3.6.5): a period with the same offset from UTC in each year.
#[derive(Clone, Debug)]
struct ZoneRule {
    start: NaiveDateTime,
    /// Seconds east of UTC, before and from the start.
    from: i32,
    to: i32,
    rule: Option<YearlyRule>,
    /// Further starts.
    dates: Vec<NaiveDateTime>,
}

/// The day of a year on which a period begins.
#[derive(Clone, Debug)]
struct YearlyRule {
    month: u32,
    weekday: Weekday,
    /// From 1; from the end of the month if negative.
    ordinal: i16,
    until: Option<NaiveDateTime>,
}

impl Zones {
    /// The zones of a calendar. `site` is the zone of times without a zone, unless the calendar has one.
    pub(super) fn of(calendar: &ICalendar, site: Zone) -> Self {
        let mut own = HashMap::new();
        for component in calendar.timezones() {
            let entry = component.property(&ICalendarProperty::Tzid);
            let Some(name) = entry.and_then(|entry| entry.values.first()?.as_text()) else {
                continue;
            };
            let parts = component
                .component_ids
                .iter()
                .filter_map(|id| calendar.component_by_id(*id));
            let zone = OwnZone {
                location: other(component, "X-LIC-LOCATION").map(str::to_owned),
                rules: limited(parts.filter_map(ZoneRule::read)),
            };
            own.insert(name.to_owned(), zone);
        }
        let named = calendar
            .components
            .first()
            .and_then(|component| other(component, "X-WR-TIMEZONE"));
        let floating = named.and_then(by_name).unwrap_or(site);
        Self { own, floating }
    }

    /// The zone of times without one.
    pub(super) fn floating(&self) -> Zone {
        self.floating
    }

    /// The zone of a time with this TZID. None if neither its name nor the file tells what it is.
    ///
    /// The rules of a file have no name here: the result is the offset that they give for the time, which is right for
    /// an event that happens once.
    pub(super) fn find(&self, name: &str, local: NaiveDateTime) -> Option<Zone> {
        if name.len() > MAX_NAME {
            return None;
        }
        if let Some(zone) = by_name(name) {
            return Some(zone);
        }
        let own = self.own.get(name)?;
        if let Some(zone) = own.location.as_deref().and_then(by_name) {
            return Some(zone);
        }
        let seconds = own.offset_at(local)?;
        // Zones have offsets of whole minutes.
        FixedOffset::east_opt(seconds / 60 * 60).map(Zone::Fixed)
    }
}

/// A zone by its IANA name, also at the end of a path, or by its Windows name.
fn by_name(name: &str) -> Option<Zone> {
    let name = name.trim().trim_matches('"');
    if name.len() > MAX_NAME {
        return None;
    }
    if let Ok(zone) = Zone::parse(name) {
        return Some(zone);
    }
    // Such as `/freeassociation.sourceforge.net/Europe/Berlin`.
    let mut rest = name;
    while let Some((_, after)) = rest.split_once('/') {
        if (after.contains('/') || !name.starts_with('/'))
            && let Ok(zone) = Zone::parse(after)
        {
            return Some(zone);
        }
        rest = after;
    }
    let known = Tz::from_str(name).ok()?.name()?;
    Zone::parse(&known).ok()
}

/// The first rules of a zone.
fn limited(all: impl Iterator<Item = ZoneRule>) -> Vec<ZoneRule> {
    let mut room = MAX_STARTS;
    let within = all.map_while(|mut rule| {
        room = room.checked_sub(1)?;
        rule.dates.truncate(room);
        room -= rule.dates.len();
        Some(rule)
    });
    within.collect()
}

impl OwnZone {
    /// The offset from UTC at a local time, in seconds.
    fn offset_at(&self, local: NaiveDateTime) -> Option<i32> {
        let last = self
            .rules
            .iter()
            .filter_map(|rule| Some((rule.last_start(local)?, rule.to)))
            .max_by_key(|(start, _)| *start);
        let first = || self.rules.iter().min_by_key(|rule| rule.start).map(|first| first.from);
        last.map(|(_, offset)| offset).or_else(first)
    }
}

impl ZoneRule {
    fn read(component: &ICalendarComponent) -> Option<Self> {
        if !matches!(
            component.component_type,
            ICalendarComponentType::Standard | ICalendarComponentType::Daylight
        ) {
            return None;
        }
        let offset = |property: &ICalendarProperty| -> Option<i32> {
            let value = component.property(property)?.values.first()?.as_partial_date_time()?;
            let hours = i32::from(value.tz_hour?);
            let seconds = hours * 3600 + i32::from(value.tz_minute.unwrap_or_default()) * 60;
            Some(if value.tz_minus { -seconds } else { seconds })
        };
        let dates = component
            .properties(&ICalendarProperty::Rdate)
            .flat_map(|entry| &entry.values);
        Some(Self {
            start: local_time(component.property(&ICalendarProperty::Dtstart)?.values.first()?)?,
            from: offset(&ICalendarProperty::Tzoffsetfrom)?,
            to: offset(&ICalendarProperty::Tzoffsetto)?,
            rule: component
                .property(&ICalendarProperty::Rrule)
                .and_then(|entry| YearlyRule::read(entry.values.first()?)),
            dates: dates.filter_map(local_time).collect(),
        })
    }

    /// The last time at or before `local` at which the period begins.
    fn last_start(&self, local: NaiveDateTime) -> Option<NaiveDateTime> {
        let yearly = self.rule.iter().flat_map(|rule| {
            let years = [local.year() - 1, local.year()].into_iter();
            years.filter_map(move |year| rule.in_year(year, self.start))
        });
        let starts = yearly.chain(self.dates.iter().copied()).chain([self.start]);
        starts.filter(|start| *start <= local).max()
    }
}

fn local_time(value: &ICalendarValue) -> Option<NaiveDateTime> {
    Some(value.as_partial_date_time()?.to_date_time()?.date_time)
}

impl YearlyRule {
    /// Rules of time zones have this form. Others are not used, so that their offset stays that of the start.
    fn read(value: &ICalendarValue) -> Option<Self> {
        let ICalendarValue::RecurrenceRule(rule) = value else {
            return None;
        };
        let (ICalendarFrequency::Yearly, [month], [day]) = (rule.freq, &rule.bymonth[..], &rule.byday[..]) else {
            return None;
        };
        Some(Self {
            month: month.month().into(),
            weekday: weekday(day.weekday),
            ordinal: day.ordwk?,
            until: rule
                .until
                .as_ref()
                .and_then(|until| Some(until.to_date_time()?.date_time)),
        })
    }

    /// The start in a year.
    fn in_year(&self, year: i32, first: NaiveDateTime) -> Option<NaiveDateTime> {
        let nth = |ordinal: i16| {
            let ordinal = u8::try_from(ordinal).ok()?;
            NaiveDate::from_weekday_of_month_opt(year, self.month, self.weekday, ordinal)
        };
        let date = match self.ordinal {
            1.. => nth(self.ordinal)?,
            // The last one is the fifth or the fourth.
            ..=-1 => {
                let last = nth(5).or_else(|| nth(4))?;
                last.checked_sub_days(chrono::Days::new(7 * u64::from(self.ordinal.unsigned_abs() - 1)))?
            }
            0 => return None,
        };
        let start = date.and_time(first.time());
        let is_valid = start >= first && self.until.is_none_or(|until| start <= until);
        is_valid.then_some(start)
    }
}

fn weekday(day: ICalendarWeekday) -> Weekday {
    day.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a time")
    }

    fn calendar(text: &str) -> ICalendar {
        ICalendar::parse(text.replace('\n', "\r\n")).expect("a calendar")
    }

    const OWN: &str = "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-TIMEZONE:America/New_York\nBEGIN:VTIMEZONE\nTZID:Customised\n\
        BEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\n\
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\n\
        TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\n\
        END:VTIMEZONE\nEND:VCALENDAR\n";

    #[test]
    fn names_of_zones() {
        for (name, expected) in [
            ("Europe/Berlin", Some("Europe/Berlin")),
            ("/freeassociation.sourceforge.net/Europe/Berlin", Some("Europe/Berlin")),
            ("/mozilla.org/20050126_1/America/New_York", Some("America/New_York")),
            ("W. Europe Standard Time", Some("Europe/Berlin")),
            ("Eastern Standard Time", Some("America/New_York")),
            ("Mars Standard Time", None),
        ] {
            assert_eq!(by_name(name).map(|zone| zone.name()).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn rules_of_the_file() {
        let zones = Zones::of(&calendar(OWN), Zone::UTC);
        assert_eq!(zones.floating().name(), "America/New_York");
        for (time, expected) in [
            ("2027-01-15 12:00", "UTC+1"),
            ("2027-03-28 01:59", "UTC+1"),
            ("2027-03-28 03:00", "UTC+2"),
            ("2027-07-01 12:00", "UTC+2"),
            ("2027-10-31 03:00", "UTC+1"),
        ] {
            let zone = zones.find("Customised", local(time)).expect("a zone");
            assert_eq!(zone.name(), expected, "{time}");
        }
        assert_eq!(zones.find("Unknown", local("2027-01-15 12:00")), None);
    }
    #[test]
    fn zones_of_a_file_are_limited() {
        let rule = |dates: usize| ZoneRule {
            start: local("2027-01-01 00:00"),
            from: 0,
            to: 3600,
            rule: None,
            dates: vec![local("2027-06-01 00:00"); dates],
        };
        let starts = |of: &[usize]| -> usize {
            let rules = limited(of.iter().map(|dates| rule(*dates)));
            rules.iter().map(|rule| 1 + rule.dates.len()).sum()
        };
        assert_eq!(starts(&[0, 3, 5]), 11);
        assert_eq!(starts(&[5_000_000, 3]), MAX_STARTS);
        assert_eq!(starts(&[0; 5_000]), MAX_STARTS);
        assert_eq!(by_name(&"/Europe".repeat(1_000_000)), None);
    }
}
