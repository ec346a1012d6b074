//! The addresses of the calendar's views, which are those of The Events Calendar: `/events/month/2026-12`,
//! `/events/category/music/list/page/2` and so on. Embeds have the same addresses below `/embed`.

use chrono::NaiveDate;
use url::form_urlencoded;

use crate::calendar::slug::encoded;

/// The parameters that feeds do not need: they have an order of their own, and no pages.
const NOT_IN_FEEDS: [&str; 3] = ["per_page", "orderby", "order"];

/// A view of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    List,
    Month,
    Day,
}

/// The surroundings of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// On a page of this site.
    Page,
    /// In a frame on a page of any site.
    Embed,
}

/// The address of a view: what it shows, apart from the number of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalendarAddress {
    pub frame: Frame,
    pub view: View,
    /// The day, or any day of the month. A list begins with events that have not ended on this day. None is today.
    pub date: Option<NaiveDate>,
    /// The slug of a category.
    pub category: Option<String>,
    /// The slug of a tag.
    pub tag: Option<String>,
    pub is_featured: bool,
    /// Whether a list contains the events that have ended, the latest first.
    pub is_past: bool,
    /// The filters: parameters of lists of events, with values that are not empty.
    pub filters: Vec<(String, String)>,
}

impl Frame {
    pub(super) fn root(self) -> &'static str {
        match self {
            Self::Page => "/events",
            Self::Embed => "/embed",
        }
    }
}

impl CalendarAddress {
    /// The list of all upcoming events.
    pub(crate) fn new(frame: Frame) -> Self {
        Self {
            frame,
            view: View::List,
            date: None,
            category: None,
            tag: None,
            is_featured: false,
            is_past: false,
            filters: Vec::new(),
        }
    }

    /// Whether the view leaves out events that it could show.
    pub(super) fn is_filtered(&self) -> bool {
        let has_term = self.category.is_some() || self.tag.is_some();
        let has_first_day = self.view == View::List && self.date.is_some();
        has_term || has_first_day || self.is_featured || !self.filters.is_empty()
    }

    /// The same with another view and date.
    pub(in crate::pages) fn at(&self, view: View, date: Option<NaiveDate>) -> Self {
        Self {
            view,
            date,
            is_past: false,
            ..self.clone()
        }
    }

    /// The same in the other direction of time.
    pub(in crate::pages) fn with_past(&self, is_past: bool) -> Self {
        Self {
            view: View::List,
            date: None,
            is_past,
            ..self.clone()
        }
    }

    /// The same in another frame.
    pub(in crate::pages) fn in_frame(&self, frame: Frame) -> Self {
        Self { frame, ..self.clone() }
    }

    /// The path and the query, below the base URL.
    pub(crate) fn path(&self) -> String {
        self.path_of_page(1)
    }

    /// The path and the query of another page of the list.
    pub(in crate::pages) fn path_of_page(&self, page: u64) -> String {
        let mut path = self.frame.root().to_owned();
        if let Some(category) = &self.category {
            path += "/category/";
            path += &encoded(category);
        }
        if let Some(tag) = &self.tag {
            path += "/tag/";
            path += &encoded(tag);
        }
        if self.is_featured {
            path += "/featured";
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.filters);
        match (self.view, self.date) {
            // The root of embeds has no view.
            (View::List, None) if self.frame == Frame::Page || path.len() > self.frame.root().len() => {}
            (View::List, None) => path += "/list",
            (View::List, Some(date)) => {
                path += "/list";
                query.append_pair("tribe-bar-date", &date.to_string());
            }
            (View::Month, None) => path += "/month",
            (View::Month, Some(date)) => path += &date.format("/month/%Y-%m").to_string(),
            (View::Day, None) => path += "/today",
            (View::Day, Some(date)) => path += &date.format("/%F").to_string(),
        }
        if self.is_past {
            query.append_pair("eventDisplay", "past");
        }
        if page > 1 {
            query.append_pair("page", &page.to_string());
        }
        with_query(path, &query.finish())
    }

    /// The path and the query of a feed with the same filters, such as `/events.ics?free=true`.
    pub(in crate::pages) fn feed(&self, extension: &str) -> String {
        let mut filters = self.filters.clone();
        let mut path = "/events".to_owned();
        match (&self.category, &self.tag) {
            (Some(category), None) => path = format!("/category/{}", encoded(category)),
            (None, Some(tag)) => path = format!("/tag/{}", encoded(tag)),
            (Some(category), Some(tag)) => {
                path = format!("/category/{}", encoded(category));
                filters.push(("tags".to_owned(), tag.clone()));
            }
            (None, None) => {}
        }
        if self.is_featured {
            filters.push(("featured".to_owned(), "true".to_owned()));
        }
        filters.retain(|(name, _)| !NOT_IN_FEEDS.contains(&name.as_str()));
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&filters);
        with_query(format!("{path}.{extension}"), &query.finish())
    }
}

pub(super) fn with_query(path: String, query: &str) -> String {
    match query {
        "" => path,
        query => format!("{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_have_the_filters() {
        for (path, query, expected) in [
            ("", "", "/events.ics"),
            (
                "/month/2026-12",
                "free=true&page=2&per_page=5&orderby=title",
                "/events.ics?free=true",
            ),
            ("/category/music", "search=a+b", "/category/music.ics?search=a+b"),
            ("/tag/new/featured", "", "/tag/new.ics?featured=true"),
            ("/category/music/tag/new", "", "/category/music.ics?tags=new"),
            ("/category/%e6%96%b0", "", "/category/%e6%96%b0.ics"),
            ("/tag/%e6%96%b0", "", "/tag/%e6%96%b0.ics"),
        ] {
            let (address, _) = CalendarAddress::parse(Frame::Page, path, query).expect("an address");
            assert_eq!(address.feed("ics"), expected);
        }
    }

    #[test]
    fn embeds_have_the_same_addresses() {
        for (path, expected) in [
            ("/list", "/embed/list"),
            ("/month/2026-12", "/embed/month/2026-12"),
            ("/category/music", "/embed/category/music"),
        ] {
            let (address, _) = CalendarAddress::parse(Frame::Embed, path, "").expect("an address");
            assert_eq!(address.path(), expected);
        }
    }
}
