//! Parses the paths of views below `/events` or `/embed`. The Events Calendar has the feeds of views at the same paths.

use chrono::{Datelike, NaiveDate};

use super::address::View;
use crate::calendar::slug::decoded;

/// The words that may follow the slug of a category.
const AFTER_CATEGORY: [&str; 7] = ["list", "month", "day", "today", "featured", "page", "tag"];

/// The filters, the view and the page number in the path of a calendar view.
#[derive(Debug, Default)]
pub(crate) struct ViewPath {
    /// The slug of a category.
    pub category: Option<String>,
    /// The slug of a tag.
    pub tag: Option<String>,
    pub is_featured: bool,
    /// None if the path does not name a view.
    pub view: Option<View>,
    /// The day, or the first day of the month.
    pub date: Option<NaiveDate>,
    /// The number of the page, as it was sent.
    pub page: Option<String>,
}

impl ViewPath {
    /// Parses the segments below the root. None if they are not the path of a view.
    pub(crate) fn parse<'a>(segments: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut path = Self::default();
        let mut segments = segments.peekable();
        while let Some(segment) = segments.next() {
            match segment {
                "category" if path.category.is_none() => {
                    let mut slug = segments.next()?;
                    // Parents come before the category.
                    while let Some(next) = segments.next_if(|segment| !is_view(segment)) {
                        slug = next;
                    }
                    path.category = Some(decoded(slug));
                }
                "tag" if path.tag.is_none() => path.tag = Some(decoded(segments.next()?)),
                "featured" if !path.is_featured => path.is_featured = true,
                "page" if path.page.is_none() => path.page = Some(segments.next()?.to_owned()),
                _ if path.view.is_some() => return None,
                "list" => path.view = Some(View::List),
                "today" => path.view = Some(View::Day),
                "month" | "day" => {
                    let view = if segment == "month" { View::Month } else { View::Day };
                    path.view = Some(view);
                    if let Some(segment) = segments.next() {
                        let (_, date) = dated_view(segment).filter(|(of_date, _)| *of_date == view)?;
                        path.date = Some(date);
                    }
                }
                _ => {
                    let (view, date) = dated_view(segment)?;
                    (path.view, path.date) = (Some(view), Some(date));
                }
            }
        }
        Some(path)
    }
}

/// Returns true if a path segment names a view or a filter, and not a child of the category before it.
fn is_view(segment: &str) -> bool {
    AFTER_CATEGORY.contains(&segment) || dated_view(segment).is_some()
}

/// The view that a date selects: a day, or a month.
fn dated_view(segment: &str) -> Option<(View, NaiveDate)> {
    let day = parse_day(segment).map(|date| (View::Day, date));
    day.or_else(|| parse_month(segment).map(|date| (View::Month, date)))
}

/// Parses a date such as `2026-12-24`, or a month such as `2026-12` to its first day.
pub(crate) fn parse_date(text: &str) -> Option<NaiveDate> {
    dated_view(text).map(|(_, date)| date)
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
