//! The addresses of feeds of The Events Calendar for WordPress, to which calendars are subscribed.

use url::form_urlencoded;

use super::{
    address::{FeedAddress, Format, Subject, preset},
    period::Period,
};
use crate::{
    calendar::Kind,
    pages::calendar::{View, ViewPath, parse_date},
};

/// Parameters without effect on the selection: they select the format or the page.
const FORMAT_PARAMETERS: [&str; 4] = ["ical", "outlook-ical", "post_type", "paged"];

/// Parses an address. None if it is not that of a feed.
pub(super) fn address(path: &str, query: &str) -> Option<FeedAddress> {
    let parameters = Parameters::of(query);
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let format = take_format(&mut segments).or(parameters.is_calendar.then_some(Format::Calendar))?;
    let mut address = FeedAddress::list(format, Period::From(None));
    address.is_wordpress = true;
    let mut view_path = ViewPath::default();
    match segments[..] {
        // The site's own feed has other posts.
        [] if parameters.is_calendar => {}
        ["events", ref below @ ..] => view_path = ViewPath::parse(below.iter().copied())?,
        ["event", slug] if format == Format::Calendar => address.subjects.push(Subject::new(Kind::Event, slug)),
        [kind @ ("venue" | "organizer"), slug] => address.subjects.push(Subject::new(preset(kind)?, slug)),
        _ => return None,
    }
    parameters.apply(view_path, &mut address);
    address.read_query(query, rename);
    Some(address)
}

/// Removes `ical` or `feed` from the end of the path.
fn take_format(segments: &mut Vec<&str>) -> Option<Format> {
    let (format, length) = match segments[..] {
        ["events" | "event" | "venue" | "organizer", .., "ical"] => (Format::Calendar, 1),
        ["events", .., "feed"] | ["venue" | "organizer", _, "feed"] => (Format::Rss, 1),
        ["events", .., "feed", "rss" | "rss2"] => (Format::Rss, 2),
        ["events", .., "feed", "atom"] => (Format::Atom, 2),
        _ => return None,
    };
    segments.truncate(segments.len() - length);
    Some(format)
}

/// The parameters of The Events Calendar that are not those of lists here.
#[derive(Default)]
struct Parameters {
    is_calendar: bool,
    view: Option<String>,
    date: Option<String>,
    subjects: Vec<Subject>,
}

impl Parameters {
    fn of(query: &str) -> Self {
        let mut parameters = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "ical" | "outlook-ical" => parameters.is_calendar |= !matches!(&*value, "" | "0" | "false"),
                "eventDisplay" => parameters.view = Some(value.into_owned()),
                "tribe-bar-date" | "eventDate" => parameters.date = Some(value.into_owned()),
                "tribe_events_cat" => parameters.subjects.push(Subject::new(Kind::Category, &value)),
                "tag" => parameters.subjects.push(Subject::new(Kind::Tag, &value)),
                _ => {}
            }
        }
        parameters
    }

    /// Adds what the path of a view and the query select.
    fn apply(self, path: ViewPath, address: &mut FeedAddress) {
        address.period = self.period(&path);
        if path.is_featured {
            address.query.push_str("featured=true");
        }
        let terms = [(Kind::Category, path.category), (Kind::Tag, path.tag)];
        let subjects = terms
            .into_iter()
            .filter_map(|(kind, slug)| Some(Subject { kind, slug: slug? }));
        address.subjects.extend(subjects.chain(self.subjects));
    }

    /// The period of the view in the path, unless the query has another view.
    fn period(&self, path: &ViewPath) -> Period {
        let view = match self.view.as_deref() {
            Some("past") => return Period::Past,
            Some("day") => View::Day,
            Some("month") => View::Month,
            _ => path.view.unwrap_or(View::List),
        };
        // A date in the path is that of the view in the path.
        let date = path.date.filter(|_| path.view == Some(view));
        let date = date.or_else(|| self.date.as_deref().and_then(parse_date));
        match view {
            View::List => Period::From(date),
            View::Day => Period::Day(date),
            View::Month => Period::Month(date),
        }
    }
}

/// The name of a parameter of lists; empty if the parameter has been read.
fn rename(name: &str) -> Option<&'static str> {
    match name {
        "event_ids" | "event_ids[]" => Some("include"),
        "tribe-bar-search" => Some("search"),
        "eventDisplay" | "tribe-bar-date" | "eventDate" | "tribe_events_cat" | "tag" => Some(""),
        _ => FORMAT_PARAMETERS.contains(&name).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    /// The format, the subjects, the period and the query of an address.
    fn parsed(address: &str) -> Option<String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let found = super::address(path, query)?;
        let subjects = found
            .subjects
            .iter()
            .map(|subject| format!("{}:{}", subject.kind.name(), subject.slug));
        let subjects: Vec<String> = subjects.collect();
        let date = |name: &str, date: Option<NaiveDate>| match date {
            Some(date) => format!("{name} {date}"),
            None => name.to_owned(),
        };
        let period = match found.period {
            Period::Subscription => "subscription".to_owned(),
            Period::Past => "past".to_owned(),
            Period::From(from) => date("from", from),
            Period::Day(day) => date("day", day),
            Period::Month(month) => date("month", month),
        };
        Some(format!(
            "{:?} [{}] {period} {}",
            found.format,
            subjects.join(" "),
            found.query
        ))
    }

    #[test]
    fn addresses_of_subscriptions() {
        for (address, expected) in [
            ("/?ical=1", "Calendar [] from "),
            ("/events/?ical=1", "Calendar [] from "),
            ("/events/?ical=1&categories=a", "Calendar [] from categories=a"),
            ("/events/?outlook-ical=1", "Calendar [] from "),
            ("/events/list/?ical=1", "Calendar [] from "),
            ("/events/list/page/2/?ical=1", "Calendar [] from "),
            ("/events/list/?eventDisplay=past&ical=1", "Calendar [] past "),
            ("/events/month/?ical=1", "Calendar [] month "),
            ("/events/month/2026-12/?ical=1", "Calendar [] month 2026-12-01 "),
            ("/events/2026-12/?ical=1", "Calendar [] month 2026-12-01 "),
            ("/events/2026-12-24/?ical=1", "Calendar [] day 2026-12-24 "),
            ("/events/today/?ical=1", "Calendar [] day "),
            ("/events/featured/?ical=1", "Calendar [] from featured=true"),
            ("/events/category/jazz/?ical=1", "Calendar [category:jazz] from "),
            (
                "/events/category/music/Jazz/list/?ical=1",
                "Calendar [category:jazz] from ",
            ),
            (
                "/events/category/music/jazz/month/2026-12?ical=1",
                "Calendar [category:jazz] month 2026-12-01 ",
            ),
            (
                "/events/category/jazz/2026-12-24/?ical=1",
                "Calendar [category:jazz] day 2026-12-24 ",
            ),
            ("/events/tag/free/?ical=1", "Calendar [tag:free] from "),
            (
                "/events/category/music/tag/new/featured/?ical=1",
                "Calendar [category:music tag:new] from featured=true",
            ),
            ("/events/day/?ical=1", "Calendar [] day "),
            ("/events/day/2026-12-24/?ical=1", "Calendar [] day 2026-12-24 "),
            (
                "/events/month/2026-12/?eventDisplay=month&ical=1",
                "Calendar [] month 2026-12-01 ",
            ),
            (
                "/events/month/2026-12/?eventDisplay=day&tribe-bar-date=2026-12-24&ical=1",
                "Calendar [] day 2026-12-24 ",
            ),
            ("/event/concert/?ical=1", "Calendar [event:concert] from "),
            ("/event/concert/ical/", "Calendar [event:concert] from "),
            ("/venue/hall/?ical=1", "Calendar [venue:hall] from "),
            ("/organizer/ann/?ical=1", "Calendar [organizer:ann] from "),
            ("/events/ical/", "Calendar [] from "),
            ("/events/category/jazz/ical/", "Calendar [category:jazz] from "),
            ("/events/feed/", "Rss [] from "),
            ("/events/category/jazz/feed/", "Rss [category:jazz] from "),
            ("/events/feed/atom/", "Atom [] from "),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list", "Calendar [] from "),
            (
                "/?post_type=tribe_events&ical=1&eventDisplay=list&tribe-bar-date=2026-12-24&tribe_events_cat=jazz\
                 &tag=free&featured=1&event_ids=1,2",
                "Calendar [category:jazz tag:free] from 2026-12-24 featured=1&include=1%2C2",
            ),
            (
                "/?ical=1&eventDisplay=month&eventDate=2026-12",
                "Calendar [] month 2026-12-01 ",
            ),
            ("/events/?ical=1&tribe-bar-search=jazz", "Calendar [] from search=jazz"),
        ] {
            assert_eq!(parsed(address).as_deref(), Some(expected), "{address}");
        }
    }

    #[test]
    fn addresses_of_pages() {
        for address in [
            "/",
            "/events/",
            "/events/?ical=0",
            "/events/month/2026-12/",
            "/event/concert/",
            "/feed/",
            "/events/category/?ical=1",
            "/events/2026-13/?ical=1",
            "/events/month/2026-1/?ical=1",
            "/events/+2026-1-02/?ical=1",
            "/events/a/b/?ical=1",
            "/healthz?ical=1",
            "/wp-json/?ical=1",
            "/event/concert/feed/",
        ] {
            assert_eq!(parsed(address), None, "{address}");
        }
    }
}
