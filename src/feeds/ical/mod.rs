//! iCalendar (RFC 5545, RFC 7986).

mod event;
mod series;
mod text;
mod time_zone;
#[cfg(test)]
mod time_zone_oracle;

pub(super) use self::series::SeriesCalendar;
use self::{event::EventContext, text::ContentLines, time_zone::CalendarZones};
use super::{events::FeedEvent, feed::Feed};
use crate::{auth::Caller, calendar::zone::Zone, store::events::Outline};

pub(super) const MEDIA_TYPE: &str = "text/calendar; charset=utf-8";

/// Writes a calendar in parts: its beginning, any number of events, and its end.
pub(super) struct CalendarWriter {
    /// The UUID of the calendar.
    calendar: String,
    zones: CalendarZones,
    site: Zone,
    lines: ContentLines,
}

impl CalendarWriter {
    /// Begins the calendar of a list.
    pub(super) fn begin(caller: &Caller, feed: &Feed, outline: &Outline) -> Self {
        let site = caller.almanac.settings.site.zone;
        let mut writer = Self {
            calendar: feed.calendar.clone(),
            zones: CalendarZones::new(&outline.years, &site),
            site,
            lines: ContentLines::default(),
        };
        writer.write_properties(feed);
        writer.zones.write(&mut writer.lines);
        // A calendar has at least one component (section 3.6).
        if outline.ids.is_empty() && writer.zones.is_empty() {
            time_zone::write_current(&mut writer.lines, &site, caller.now);
        }
        writer
    }

    fn write_properties(&mut self, feed: &Feed) {
        write_properties(&mut self.lines, feed, &self.site);
    }

    /// Writes events.
    pub(super) fn write(&mut self, events: &[FeedEvent]) {
        let context = EventContext {
            calendar: &self.calendar,
            zones: &self.zones,
            site: &self.site,
        };
        for event in events {
            context.write(&mut self.lines, event);
        }
    }

    /// The text since the last call.
    pub(super) fn take(&mut self) -> String {
        self.lines.take()
    }

    /// Ends the calendar, and returns the rest of the text.
    pub(super) fn finish(mut self) -> String {
        self.lines.end("VCALENDAR");
        self.lines.take()
    }
}

/// Begins a calendar, and writes its properties.
fn write_properties(lines: &mut ContentLines, feed: &Feed, site: &Zone) {
    lines.begin("VCALENDAR");
    lines.value("VERSION", "2.0");
    lines.text("PRODID", "-//Almanac//Almanac//EN");
    lines.value("CALSCALE", "GREGORIAN");
    for name in ["NAME", "X-WR-CALNAME"] {
        lines.text(name, &feed.title);
    }
    for name in ["DESCRIPTION", "X-WR-CALDESC"] {
        lines.text(name, &feed.description);
    }
    lines.value("URL", &feed.page_url);
    lines.value("SOURCE;VALUE=URI", &feed.url);
    lines.value("REFRESH-INTERVAL;VALUE=DURATION", "PT1H");
    lines.value("X-PUBLISHED-TTL", "PT1H");
    // Readers expect an IANA name.
    if matches!(site, Zone::Named(_)) || *site == Zone::UTC {
        lines.text("X-WR-TIMEZONE", &site.name());
    }
}
