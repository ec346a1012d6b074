//! A series as one event with a rule, and its exceptions (RFC 5545, sections 3.8.4.4 and 3.8.5).

use chrono::NaiveDateTime;

use super::{
    event::{EventContext, utc},
    text::ContentLines,
    time_zone::{CalendarZones, date, date_time, tzid},
    write_properties,
};
use crate::{
    auth::Caller,
    calendar::zone::Zone,
    feeds::{events::FeedEvent, feed::Feed},
    store::series::{Series, Shape},
};

/// Writes the calendar of a series.
pub(in crate::feeds) struct SeriesCalendar<'a> {
    calendar: String,
    uid: String,
    shape: &'a Shape,
    zones: CalendarZones,
    site: Zone,
    lines: ContentLines,
}

impl<'a> SeriesCalendar<'a> {
    /// Begins the calendar. `years` are those of its events.
    pub(in crate::feeds) fn begin(
        caller: &Caller,
        feed: &Feed,
        series: &'a Series,
        years: impl IntoIterator<Item = i32>,
    ) -> Self {
        let site = caller.almanac.settings.site.zone;
        let own = series.row.uid.clone();
        let mut calendar = Self {
            calendar: feed.calendar.clone(),
            uid: own.unwrap_or_else(|| format!("series-{}@{}", series.row.id, feed.calendar)),
            shape: &series.shape,
            zones: CalendarZones::default(),
            site,
            lines: ContentLines::default(),
        };
        calendar.zones.add(series.shape.zone, years);
        write_properties(&mut calendar.lines, feed, &site);
        calendar.zones.write(&mut calendar.lines);
        calendar
    }

    fn context(&self) -> EventContext<'_> {
        EventContext {
            calendar: &self.calendar,
            zones: &self.zones,
            site: &self.site,
        }
    }

    /// Writes the event with the rule. `excluded` are its places without an event.
    pub(in crate::feeds) fn write_rule(&mut self, event: &FeedEvent, excluded: &[NaiveDateTime]) {
        let mut lines = std::mem::take(&mut self.lines);
        let context = self.context();
        context.write_with(&mut lines, &self.uid, event, |lines| self.write_times(lines, excluded));
        self.lines = lines;
    }

    /// Writes an event that differs from the rule.
    pub(in crate::feeds) fn write_exception(&mut self, event: &FeedEvent, slot: NaiveDateTime) {
        let mut lines = std::mem::take(&mut self.lines);
        let context = self.context();
        context.write_with(&mut lines, &self.uid, event, |lines| {
            let (parameters, value) = (self.parameters(), self.value(slot));
            lines.value(&format!("RECURRENCE-ID{parameters}"), &value);
            context.write_times(lines, &event.row);
        });
        self.lines = lines;
    }

    /// Writes the times of the first event as the rule has them, and the rule.
    fn write_times(&self, lines: &mut ContentLines, excluded: &[NaiveDateTime]) {
        let Shape {
            rule,
            zone,
            duration,
            all_day,
        } = self.shape;
        let parameters = self.parameters();
        lines.value(&format!("DTSTART{parameters}"), &self.value(rule.start()));
        // The duration is exact, unlike the difference of local times.
        match all_day {
            true => lines.value("DURATION", &format!("P{duration}D")),
            false if *duration > 0 => lines.value("DURATION", &format!("PT{duration}S")),
            false => {}
        }
        for line in rule.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            match name.split(';').next() {
                Some("RRULE") => lines.value("RRULE", &self.with_utc_end(value, zone)),
                Some(name) => {
                    let dates: Vec<String> = value.split(',').map(|date| self.listed(date)).collect();
                    lines.value(&format!("{name}{parameters}"), &dates.join(","));
                }
                None => {}
            }
        }
        if !excluded.is_empty() {
            let dates: Vec<String> = excluded.iter().map(|slot| self.value(*slot)).collect();
            lines.value(&format!("EXDATE{parameters}"), &dates.join(","));
        }
    }

    /// The parameters of properties with a local time.
    fn parameters(&self) -> String {
        let Shape { zone, all_day, .. } = self.shape;
        match (all_day, zone) {
            (true, _) => ";VALUE=DATE".to_owned(),
            (false, zone) if *zone == Zone::UTC => String::new(),
            (false, zone) => format!(";TZID={}", tzid(zone)),
        }
    }

    /// A place in the rule as the value of a property with these parameters.
    fn value(&self, slot: NaiveDateTime) -> String {
        let Shape { zone, all_day, .. } = self.shape;
        match all_day {
            true => date(slot.date()),
            false if *zone == Zone::UTC => format!("{}Z", date_time(slot)),
            false => date_time(slot),
        }
    }

    /// A date of a stored line as such a value.
    fn listed(&self, date: &str) -> String {
        match !self.shape.all_day && self.shape.zone == Zone::UTC {
            true => format!("{date}Z"),
            false => date.to_owned(),
        }
    }

    /// The rule, whose end must be in UTC if its start has a time zone (section 3.3.10).
    fn with_utc_end(&self, rule: &str, zone: &Zone) -> String {
        let part = |part: &str| {
            let until = part.strip_prefix("UNTIL=");
            let until = until.and_then(|until| NaiveDateTime::parse_from_str(until, "%Y%m%dT%H%M%S").ok());
            match until.filter(|_| !self.shape.all_day) {
                Some(until) => format!("UNTIL={}", utc(zone.to_instant(until).timestamp())),
                None => part.to_owned(),
            }
        };
        rule.split(';').map(part).collect::<Vec<_>>().join(";")
    }

    /// Ends the calendar.
    pub(in crate::feeds) fn finish(mut self) -> String {
        self.lines.end("VCALENDAR");
        self.lines.take()
    }
}
