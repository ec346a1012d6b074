//! The addresses of feeds.

use poem::http::Uri;
use url::form_urlencoded;

use super::{period::Period, wordpress};
use crate::calendar::{Kind, slug::decoded};

/// A format of feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// iCalendar.
    Calendar,
    Rss,
    Atom,
    /// JSON Feed.
    Json,
    /// The array of events that FullCalendar requests.
    FullCalendar,
}

impl Format {
    fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "ics" => Self::Calendar,
            "rss" => Self::Rss,
            "atom" => Self::Atom,
            "json" => Self::Json,
            _ => return None,
        })
    }
}

/// An object in the address of a feed, by its slug: a filter of the feed or, if it is an event, its only content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub kind: Kind,
    pub slug: String,
}

impl Subject {
    pub(super) fn new(kind: Kind, slug: &str) -> Self {
        Self {
            kind,
            slug: decoded(slug),
        }
    }
}

/// The address of a feed, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FeedAddress {
    pub format: Format,
    pub subjects: Vec<Subject>,
    pub period: Period,
    /// Whether browsers should store the feed as a file.
    pub is_download: bool,
    /// Whether unknown parameters are ignored in silence: subscriptions to a WordPress site have those of its plugins.
    pub is_wordpress: bool,
    /// The range and the zone of a request of FullCalendar, as parameters.
    pub full_calendar: FullCalendarParameters,
    /// The other parameters: those of lists of events.
    pub query: String,
}

/// The parameters that FullCalendar adds to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FullCalendarParameters {
    pub start: Option<String>,
    pub end: Option<String>,
    pub time_zone: Option<String>,
}

impl FeedAddress {
    /// Parses an address. None if it is not that of a feed. `with_wordpress` adds the addresses of The Events Calendar.
    pub(super) fn of(uri: &Uri, with_wordpress: bool) -> Option<Self> {
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        let wordpress = || with_wordpress.then(|| wordpress::address(path, query)).flatten();
        Self::native(path, query).or_else(wordpress)
    }

    /// A list in this format.
    pub(super) fn list(format: Format, period: Period) -> Self {
        Self {
            format,
            subjects: Vec::new(),
            period,
            is_download: false,
            is_wordpress: false,
            full_calendar: FullCalendarParameters::default(),
            query: String::new(),
        }
    }

    /// `/events.ics`, `/category/jazz.rss`, `/event/spring-concert.ics`, `/fullcalendar.json`.
    fn native(path: &str, query: &str) -> Option<Self> {
        let (stem, extension) = path.rsplit_once('.')?;
        let format = Format::of_extension(extension)?;
        let segments: Vec<&str> = stem.strip_prefix('/')?.split('/').collect();
        let (format, subject) = match segments[..] {
            ["events"] => (format, None),
            ["fullcalendar"] if format == Format::Json => (Format::FullCalendar, None),
            ["event", slug] if format == Format::Calendar => (format, Some(Subject::new(Kind::Event, slug))),
            [kind, slug] => (format, Some(Subject::new(preset(kind)?, slug))),
            _ => return None,
        };
        let mut address = Self::list(format, Period::Subscription);
        address.subjects.extend(subject);
        address.read_query(query, |_| None);
        Some(address)
    }

    /// Takes the parameters that are not those of lists from the query, and adds the others to those of lists. `rename`
    /// returns another name, or an empty one for a parameter to be removed.
    pub(super) fn read_query(&mut self, query: &str, rename: impl Fn(&str) -> Option<&'static str>) {
        let mut others = form_urlencoded::Serializer::new(std::mem::take(&mut self.query));
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let parameters = &mut self.full_calendar;
            match (self.format, &*name) {
                (Format::Calendar, "download") => self.is_download = true,
                (Format::FullCalendar, "start") => parameters.start = Some(value.into_owned()),
                (Format::FullCalendar, "end") => parameters.end = Some(value.into_owned()),
                (Format::FullCalendar, "timeZone") => parameters.time_zone = Some(value.into_owned()),
                _ => match rename(&name) {
                    Some("") => {}
                    Some(name) => _ = others.append_pair(name, &value),
                    None => _ = others.append_pair(&name, &value),
                },
            }
        }
        self.query = others.finish();
    }
}

/// The kind of object whose address has feeds of its events.
pub(super) fn preset(name: &str) -> Option<Kind> {
    let mut kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Event);
    kinds.find(|kind| kind.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(address: &str) -> Option<FeedAddress> {
        FeedAddress::of(&address.parse().unwrap(), false)
    }

    #[test]
    fn native_addresses() {
        let subject = |kind, slug: &str| {
            vec![Subject {
                kind,
                slug: slug.to_owned(),
            }]
        };
        for (address, format, subjects) in [
            ("/events.ics", Format::Calendar, vec![]),
            ("/events.rss", Format::Rss, vec![]),
            ("/events.atom", Format::Atom, vec![]),
            ("/events.json", Format::Json, vec![]),
            ("/fullcalendar.json", Format::FullCalendar, vec![]),
            ("/event/jazz.ics", Format::Calendar, subject(Kind::Event, "jazz")),
            ("/category/Jazz.ics", Format::Calendar, subject(Kind::Category, "jazz")),
            ("/tag/free.rss", Format::Rss, subject(Kind::Tag, "free")),
            ("/venue/hall.atom", Format::Atom, subject(Kind::Venue, "hall")),
            ("/organizer/ann.json", Format::Json, subject(Kind::Organizer, "ann")),
        ] {
            let found = parse(address).unwrap_or_else(|| panic!("{address}"));
            assert_eq!((found.format, found.subjects), (format, subjects), "{address}");
            assert_eq!(found.period, Period::Subscription);
        }
    }

    #[test]
    fn other_addresses() {
        for address in [
            "/",
            "/events",
            "/events.html",
            "/event/jazz",
            "/event/jazz.rss",
            "/fullcalendar.ics",
            "/a/events.ics",
            "/category/a/b.ics",
            "/robots.ics",
            "/calendar/events/v1/events",
            "/assets/almanac.json",
            "/event/a?ical=1",
        ] {
            assert_eq!(parse(address), None, "{address}");
        }
    }

    #[test]
    fn query_keeps_parameters_of_lists() {
        let calendar = parse("/events.ics?categories=jazz&download&start=1").unwrap();
        assert!(calendar.is_download);
        assert_eq!(calendar.query, "categories=jazz&start=1");
        let events = parse("/fullcalendar.json?start=2027-05-01&end=2027-06-01&timeZone=UTC&download=1").unwrap();
        assert_eq!(events.query, "download=1");
        let FullCalendarParameters { start, end, time_zone } = events.full_calendar;
        assert_eq!(
            [start, end, time_zone].map(Option::unwrap),
            ["2027-05-01", "2027-06-01", "UTC"]
        );
    }
}
