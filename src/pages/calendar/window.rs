//! The events that a view shows, if its query has no dates.

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

use super::address::{CalendarAddress, View};
use crate::calendar::{
    date::CacheLifetime,
    window::{DefaultWindow, Span, Window, start_of_today},
    zone::Zone,
};

impl CalendarAddress {
    /// The first day that the view shows, in the site's zone.
    pub(super) fn first_day(&self, today: NaiveDate) -> NaiveDate {
        let date = self.date.unwrap_or(today);
        match self.view {
            View::Month => date.with_day(1).unwrap_or(date),
            View::List | View::Day => date,
        }
    }

    /// The default window: a list contains the events that have not ended, or with `is_past` those that have. A month
    /// or day contains the events that overlap it.
    pub(super) fn default_window(&self, site: &Zone, now: DateTime<Utc>) -> DefaultWindow {
        DefaultWindow::Other(self.window(site, now), CacheLifetime::UntilMidnight)
    }

    /// The events that the view shows of those that a query selects. A month, a day and the past have their own events
    /// only. A list whose query bounds only the end of the dates, and not in the past, begins with the events that have
    /// not ended.
    pub(super) fn limit(&self, selected: Window, site: &Zone, now: DateTime<Utc>) -> Window {
        let Window { starts, ends } = selected;
        let is_bounded_below = starts.from.is_some() || ends.from.is_some();
        let until = starts.before.into_iter().chain(ends.before).min();
        let is_over = until.is_some_and(|until| until <= start_of_today(site, now));
        if self.view == View::List && !self.is_past && (is_bounded_below || is_over) {
            return selected;
        }
        let own = self.window(site, now);
        Window {
            starts: starts.intersect(own.starts),
            ends: ends.intersect(own.ends),
        }
    }

    /// The events that the view can show, whatever the query.
    pub(super) fn window(&self, site: &Zone, now: DateTime<Utc>) -> Window {
        let first_day = self.first_day(site.to_local(now).date());
        let start_of = |date: NaiveDate| site.day_start(date).timestamp();
        let begins = match (self.view, self.date) {
            (View::List, None) => now.timestamp(),
            _ => start_of(first_day),
        };
        let from = |from| Span {
            from: Some(from),
            before: None,
        };
        let before = |before| Span {
            from: None,
            before: Some(before),
        };
        match self.view {
            View::List if self.is_past => Window {
                starts: Span::default(),
                ends: before(begins),
            },
            View::List => Window {
                starts: Span::default(),
                ends: from(begins),
            },
            View::Month => Window {
                starts: before(start_of(month_after(first_day))),
                ends: from(begins),
            },
            View::Day => Window {
                starts: before(start_of(first_day.succ_opt().unwrap_or(first_day))),
                ends: from(begins),
            },
        }
    }
}

/// The first day of the next month.
pub(super) fn month_after(first_day: NaiveDate) -> NaiveDate {
    first_day.checked_add_months(Months::new(1)).unwrap_or(first_day)
}

/// The first day of the previous month.
pub(super) fn month_before(first_day: NaiveDate) -> NaiveDate {
    first_day.checked_sub_months(Months::new(1)).unwrap_or(first_day)
}

#[cfg(test)]
mod tests {
    use super::{super::address::Frame, *};

    /// A span such as `2027-03-01T00:00:00Z..`.
    fn text_of(span: Span) -> String {
        let text = |second: Option<i64>| {
            let instant = second.and_then(|second| DateTime::<Utc>::from_timestamp(second, 0));
            instant.map_or_else(String::new, |instant| instant.format("%FT%TZ").to_string())
        };
        format!("{}..{}", text(span.from), text(span.before))
    }

    #[test]
    fn windows_of_queries_with_dates() {
        let now: DateTime<Utc> = "2027-03-15T12:00:00Z".parse().expect("an instant");
        let second = |text: &str| text.parse::<DateTime<Utc>>().ok().map(|instant| instant.timestamp());
        let span = |from, before| Span {
            from: second(from),
            before: second(before),
        };
        let selected = |starts, ends| Window { starts, ends };
        let list = CalendarAddress::new(Frame::Page);
        let (march, may) = ("2027-03-01T00:00:00Z", "2027-05-01T00:00:00Z");
        let date = NaiveDate::from_ymd_opt(2027, 4, 10);
        for (address, query, starts, ends) in [
            (
                list.clone(),
                selected(span("", may), Span::default()),
                "..2027-05-01T00:00:00Z",
                "2027-03-15T12:00:00Z..",
            ),
            // Today has not ended.
            (
                list.clone(),
                selected(Span::default(), span("", "2027-03-15T00:00:01Z")),
                "..",
                "2027-03-15T12:00:00Z..2027-03-15T00:00:01Z",
            ),
            (
                list.clone(),
                selected(span("", march), Span::default()),
                "..2027-03-01T00:00:00Z",
                "..",
            ),
            (
                list.clone(),
                selected(span(march, ""), Span::default()),
                "2027-03-01T00:00:00Z..",
                "..",
            ),
            (
                list.with_past(true),
                selected(span(march, may), Span::default()),
                "2027-03-01T00:00:00Z..2027-05-01T00:00:00Z",
                "..2027-03-15T12:00:00Z",
            ),
            (
                list.at(View::Month, date),
                selected(span(march, ""), Span::default()),
                "2027-03-01T00:00:00Z..2027-05-01T00:00:00Z",
                "2027-04-01T00:00:00Z..",
            ),
        ] {
            let window = address.limit(query, &Zone::UTC, now);
            assert_eq!(
                (text_of(window.starts), text_of(window.ends)),
                (starts.to_owned(), ends.to_owned())
            );
        }
    }

    #[test]
    fn windows_of_views() {
        let now: DateTime<Utc> = "2027-03-15T12:00:00Z".parse().expect("an instant");
        let berlin = Zone::parse("Europe/Berlin").expect("a zone");
        let list = CalendarAddress::new(Frame::Page);
        let date = NaiveDate::from_ymd_opt(2027, 3, 28);
        for (address, starts, ends) in [
            (list.clone(), "..", "2027-03-15T12:00:00Z.."),
            (list.at(View::List, date), "..", "2027-03-27T23:00:00Z.."),
            (list.with_past(true), "..", "..2027-03-15T12:00:00Z"),
            (
                list.at(View::Day, None),
                "..2027-03-15T23:00:00Z",
                "2027-03-14T23:00:00Z..",
            ),
            // The day of a clock change has 23 hours.
            (
                list.at(View::Day, date),
                "..2027-03-28T22:00:00Z",
                "2027-03-27T23:00:00Z..",
            ),
            (
                list.at(View::Month, date),
                "..2027-03-31T22:00:00Z",
                "2027-02-28T23:00:00Z..",
            ),
        ] {
            let window = address.window(&berlin, now);
            assert_eq!(
                (text_of(window.starts), text_of(window.ends)),
                (starts.to_owned(), ends.to_owned())
            );
        }
    }
}
