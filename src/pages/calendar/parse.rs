//! Reads the addresses of views: what is not a parameter of a list is taken from the path and the query of a request.

use chrono::{Datelike, NaiveDate};
use poem::{
    Request, Result,
    http::{Uri, uri::PathAndQuery},
};
use url::form_urlencoded;

use super::address::{CalendarAddress, Frame, View, with_query};
use crate::{
    api::events::EventQuery,
    calendar::{Variant, slug::decoded},
    error::{FieldError, Problem, ValidationErrors},
    extract::{Parameters, form::parameter},
};

/// The events of a page of the list.
const PER_PAGE: &str = "20";

/// Replaces the query of a request below `/events` by that of the list that it shows, and attaches the address.
pub(crate) async fn rewrite_page(request: Request) -> Result<Request> {
    rewrite(request, Frame::Page)
}

/// The same for a request below `/embed`.
pub(crate) async fn rewrite_embed(request: Request) -> Result<Request> {
    rewrite(request, Frame::Embed)
}

fn rewrite(mut request: Request, frame: Frame) -> Result<Request> {
    let uri = request.uri();
    let below = uri.path().strip_prefix(frame.root()).unwrap_or_default();
    let (address, page) = CalendarAddress::parse(frame, below, uri.query().unwrap_or_default())?;
    let path_and_query = with_query(uri.path().to_owned(), &address.list_query(page.as_deref()));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path_and_query.parse::<PathAndQuery>().map_err(Problem::internal)?);
    *request.uri_mut() = Uri::from_parts(parts).map_err(Problem::internal)?;
    request.set_data(address);
    Ok(request)
}

impl CalendarAddress {
    /// Parses the path below the root and the query, and returns the page number, too.
    ///
    /// # Errors
    /// 404 for a path that is not an address, 400 for an invalid `tribe-bar-date`, or for events of the caller.
    pub(super) fn parse(frame: Frame, path: &str, query: &str) -> Result<(Self, Option<String>), Problem> {
        let mut address = Self::new(frame);
        let (mut has_view, mut page) = (false, None);
        let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
        while let Some(segment) = segments.next() {
            match segment {
                "category" if address.category.is_none() => {
                    let mut slug = segments.next().ok_or_else(Problem::no_route)?;
                    // Parents come before the category.
                    while let Some(next) = segments.next_if(|segment| !is_view(segment)) {
                        slug = next;
                    }
                    address.category = Some(decoded(slug));
                }
                "tag" if address.tag.is_none() => {
                    address.tag = Some(decoded(segments.next().ok_or_else(Problem::no_route)?));
                }
                "featured" if !address.is_featured => address.is_featured = true,
                "page" if page.is_none() => page = Some(segments.next().ok_or_else(Problem::no_route)?.to_owned()),
                _ if has_view => return Err(Problem::no_route()),
                "list" => has_view = true,
                "today" => (address.view, has_view) = (View::Day, true),
                "month" => {
                    (address.view, has_view) = (View::Month, true);
                    address.date = match segments.next() {
                        Some(segment) => Some(parse_month(segment).ok_or_else(Problem::no_route)?),
                        None => None,
                    };
                }
                _ => {
                    let (view, date) = dated_view(segment).ok_or_else(Problem::no_route)?;
                    (address.view, address.date, has_view) = (view, Some(date), true);
                }
            }
        }
        let query_page = address.read_query(query, has_view)?;
        Ok((address, page.or(query_page)))
    }

    /// Reads the query, with the parameters of The Events Calendar. Returns the page number. Parameters that lists do
    /// not have, such as those that track visitors, are left out of all links.
    fn read_query(&mut self, query: &str, has_view: bool) -> Result<Option<String>, Problem> {
        let mut errors = ValidationErrors::default();
        let mut page = None;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.trim();
            match (parameter(&name), value) {
                (_, "") => {}
                ("page", value) => page = Some(value.to_owned()),
                ("tribe-bar-search", words) => self.filters.push(("search".to_owned(), words.to_owned())),
                ("tribe-bar-date", text) => match parse_day(text).or_else(|| parse_month(text)) {
                    Some(date) => self.date = self.date.or(Some(date)),
                    None => {
                        let expected = "must be a date such as 2026-12-24, or a month such as 2026-12";
                        errors.add("tribe-bar-date", FieldError::invalid(expected));
                    }
                },
                ("eventDisplay", "past") => self.is_past = self.view == View::List,
                ("eventDisplay", "month") if !has_view => self.view = View::Month,
                ("eventDisplay", "day") if !has_view => self.view = View::Day,
                ("eventDisplay", _) => {}
                // 401 would make browsers ask for credentials, which pages ignore.
                ("author", value) if value.split(',').any(|author| author.trim() == "me") => {
                    errors.add(
                        "author",
                        FieldError::invalid("can't be me, because pages ignore credentials"),
                    );
                }
                (name, value) if is_filter(name) => self.filters.push((name.to_owned(), value.to_owned())),
                _ => {}
            }
        }
        errors.into_result()?;
        Ok(page)
    }

    /// The query of the list in the interface that the view shows.
    fn list_query(&self, page: Option<&str>) -> String {
        let has = |wanted: &str| self.filters.iter().any(|(name, _)| name == wanted);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.filters);
        if !has("per_page") {
            query.append_pair("per_page", PER_PAGE);
        }
        if self.is_past && !has("order") {
            query.append_pair("order", "desc");
        }
        if let Some(page) = page {
            query.append_pair("page", page);
        }
        query.finish()
    }
}

/// Whether lists of events have the parameter.
fn is_filter(name: &str) -> bool {
    let mut parameters = EventQuery::parameters().iter();
    parameters.any(|parameter| parameter.name == name && parameter.exists_in(Variant::B))
}

/// Whether a segment of a path ends the parents of a category.
fn is_view(segment: &str) -> bool {
    matches!(segment, "list" | "month" | "today" | "featured" | "page" | "tag") || dated_view(segment).is_some()
}

/// The view that a date selects: a day, or a month.
fn dated_view(segment: &str) -> Option<(View, NaiveDate)> {
    let day = parse_day(segment).map(|date| (View::Day, date));
    day.or_else(|| parse_month(segment).map(|date| (View::Month, date)))
}

/// Parses `2026-12-24`.
fn parse_day(text: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    let is_exact = date.format("%Y-%m-%d").to_string() == text;
    (is_exact && (1..=9998).contains(&date.year())).then_some(date)
}

/// Parses `2026-12` to its first day.
fn parse_month(text: &str) -> Option<NaiveDate> {
    (text.len() == 7).then(|| parse_day(&format!("{text}-01"))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str, query: &str) -> Option<(CalendarAddress, Option<String>)> {
        CalendarAddress::parse(Frame::Page, path, query).ok()
    }

    #[test]
    fn addresses_of_the_events_calendar() {
        for (path, query, expected, page) in [
            ("", "", "/events", None),
            ("/list", "", "/events", None),
            ("/list/page/2", "", "/events", Some("2")),
            ("/page/3", "", "/events", Some("3")),
            ("", "page=4", "/events", Some("4")),
            ("/month", "", "/events/month", None),
            ("/month/2026-12", "", "/events/month/2026-12", None),
            ("/2026-12", "", "/events/month/2026-12", None),
            ("/2026-12-24", "", "/events/2026-12-24", None),
            ("/today", "", "/events/today", None),
            ("/featured", "", "/events/featured", None),
            ("/featured/month", "", "/events/featured/month", None),
            ("/category/music", "", "/events/category/music", None),
            (
                "/category/arts/Music/month/2026-12",
                "",
                "/events/category/music/month/2026-12",
                None,
            ),
            (
                "/category/arts/music/2026-12-24",
                "",
                "/events/category/music/2026-12-24",
                None,
            ),
            (
                "/category/music/featured/list",
                "",
                "/events/category/music/featured",
                None,
            ),
            ("/category/list", "", "/events/category/list", None),
            ("/category/%E6%96%B0", "", "/events/category/%e6%96%b0", None),
            (
                "/category/arts/%e6%96%b0/tag/%e5%b9%b4/month",
                "",
                "/events/category/%e6%96%b0/tag/%e5%b9%b4/month",
                None,
            ),
            ("/category/music/tag/new", "", "/events/category/music/tag/new", None),
            ("/tag/new/page/2", "", "/events/tag/new", Some("2")),
            ("", "eventDisplay=month", "/events/month", None),
            ("/list", "eventDisplay=month", "/events", None),
            ("", "eventDisplay=past", "/events?eventDisplay=past", None),
            ("", "tribe-bar-search=jazz", "/events?search=jazz", None),
            (
                "",
                "tribe-bar-date=2026-12-24",
                "/events/list?tribe-bar-date=2026-12-24",
                None,
            ),
            ("/month", "tribe-bar-date=2026-12-24", "/events/month/2026-12", None),
            ("/month", "free=true&search=", "/events/month?free=true", None),
            ("", "tags[]=a&tags[1]=b", "/events?tags=a&tags=b", None),
            (
                "",
                "utm_source=news&fields=id&free=true&lang=es",
                "/events?free=true",
                None,
            ),
        ] {
            let (address, found) = parse(path, query).unwrap_or_else(|| panic!("{path}?{query}"));
            assert_eq!(address.path(), expected, "{path}?{query}");
            assert_eq!(found.as_deref(), page, "{path}?{query}");
            // Parsing the path again returns the same address.
            let (path, query) = expected.split_once('?').unwrap_or((expected, ""));
            let again = parse(path.strip_prefix("/events").expect("the root"), query);
            assert_eq!(again.map(|(address, _)| address.path()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_addresses_are_unknown() {
        for path in [
            "/nowhere",
            "/2026",
            "/2026-13",
            "/2026-1",
            "/2026-02-30",
            "/2026-2-03",
            "/month/2026-12-24",
            "/month/now",
            "/month/2026-12/2026-12-24",
            "/list/month",
            "/category",
            "/tag",
            "/page",
            "/featured/featured",
            "/0000-01-01",
        ] {
            assert!(parse(path, "").is_none(), "{path}");
        }
        assert!(parse("", "tribe-bar-date=soon").is_none());
        assert!(parse("", "author=1,me").is_none());
    }

    #[test]
    fn list_query_has_defaults() {
        let query = |query| parse("", query).expect("an address").0.list_query(None);
        assert_eq!(query(""), "per_page=20");
        assert_eq!(query("per_page=5"), "per_page=5");
        assert_eq!(query("eventDisplay=past"), "per_page=20&order=desc");
        assert_eq!(query("eventDisplay=past&order=asc"), "order=asc&per_page=20");
    }
}
