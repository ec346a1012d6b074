//! Reads the addresses of views: what is not a parameter of a list is taken from the path and the query of a request.

use poem::{
    Request, Result,
    http::{Uri, uri::PathAndQuery},
};
use url::form_urlencoded;

use super::{
    address::{CalendarAddress, Frame, View, with_query},
    path::{ViewPath, parse_date},
};
use crate::{
    api::events::EventQuery,
    calendar::Variant,
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
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let ViewPath {
            category,
            tag,
            is_featured,
            view,
            date,
            page,
        } = ViewPath::parse(segments).ok_or_else(Problem::no_route)?;
        let mut address = Self {
            view: view.unwrap_or(View::List),
            date,
            category,
            tag,
            is_featured,
            ..Self::new(frame)
        };
        let query_page = address.read_query(query, view.is_some())?;
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
                ("tribe-bar-date", text) => match parse_date(text) {
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
            ("/day", "", "/events/today", None),
            ("/day/2026-12-24", "", "/events/2026-12-24", None),
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
            "/+2026-1-02",
            "/month/2026-12-24",
            "/day/2026-12",
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
