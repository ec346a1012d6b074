//! The ways to subscribe to a view, and to show it on another site.

use url::form_urlencoded;

use super::address::{CalendarAddress, Frame, View};
use crate::{calendar::html::escape, pages::layout::Layout};

/// The addresses of the feeds of a view, with its filters.
pub(in crate::pages) struct Subscription {
    /// The iCalendar feed.
    pub url: String,
    /// The same for calendar programs.
    pub webcal: String,
    pub google: String,
    pub outlook: String,
    /// Titles, media types and URLs, for `rel=alternate`.
    pub feeds: [(&'static str, &'static str, String); 4],
    /// The HTML that shows the view on a page of another site.
    pub snippet: String,
}

impl Subscription {
    pub(in crate::pages) fn of(layout: &Layout, address: &CalendarAddress) -> Self {
        let absolute = |extension| format!("{}{}", layout.base, address.feed(extension));
        let url = absolute("ics");
        let webcal = match url.split_once("://") {
            Some((_, rest)) => format!("webcal://{rest}"),
            None => url.clone(),
        };
        let view = match address.view {
            View::Month => View::Month,
            View::List | View::Day => View::List,
        };
        let embedded = address.at(view, None).in_frame(Frame::Embed);
        Self {
            google: with_parameters("https://calendar.google.com/calendar/r", &[("cid", &webcal)]),
            outlook: with_parameters(
                "https://outlook.live.com/calendar/0/addfromweb",
                &[("url", &url), ("name", layout.site_name())],
            ),
            feeds: [
                ("iCalendar", "text/calendar", url.clone()),
                ("RSS", "application/rss+xml", absolute("rss")),
                ("Atom", "application/atom+xml", absolute("atom")),
                ("JSON Feed", "application/feed+json", absolute("json")),
            ],
            snippet: snippet(&layout.base, &embedded),
            url,
            webcal,
        }
    }
}

/// A script that defines an element, and the element.
fn snippet(base: &str, embedded: &CalendarAddress) -> String {
    // A URL has no quotes.
    let src = escape(&format!("{base}{}", embedded.path()));
    format!("<script src=\"{base}/embed.js\" async></script>\n<almanac-calendar src=\"{src}\"></almanac-calendar>")
}

/// A URL with a query.
pub(in crate::pages) fn with_parameters(url: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    format!("{url}?{}", query.finish())
}
