//! The events that a feed contains if its query has no dates.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};

use crate::calendar::{
    date::CacheLifetime,
    window::{Span, Window},
    zone::Zone,
};

/// How long an event stays in subscriptions after its end, in days.
const DAYS_AFTER_END: u64 = 30;

/// The default period of a feed. Days are those of the site's zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Period {
    /// Events that end today, in the 30 days before, or later.
    Subscription,
    /// Events that end on this date or later; by default today.
    From(Option<NaiveDate>),
    /// Events before today.
    Past,
    /// Events that take place on this day; by default today.
    Day(Option<NaiveDate>),
    /// Events that take place in the month of this day; by default this month.
    Month(Option<NaiveDate>),
}

impl Period {
    /// The window of the period, and how long it stays the same.
    pub(super) fn window(self, site: &Zone, now: DateTime<Utc>) -> (Window, CacheLifetime) {
        let today = site.to_local(now).date();
        let start = |date: NaiveDate| Some(site.day_start(date).timestamp());
        let (starts_before, ends_from, ends_before, date) = match self {
            Self::Subscription => {
                let first = today.checked_sub_days(Days::new(DAYS_AFTER_END)).unwrap_or(today);
                (None, start(first), None, None)
            }
            Self::From(date) => (None, start(date.unwrap_or(today)), None, date),
            Self::Past => (None, None, start(today), None),
            Self::Day(date) => {
                let day = date.unwrap_or(today);
                (start(day.succ_opt().unwrap_or(day)), start(day), None, date)
            }
            Self::Month(date) => {
                let day = date.unwrap_or(today);
                let first = day.with_day(1).unwrap_or(day);
                let next = first.checked_add_months(Months::new(1)).unwrap_or(first);
                (start(next), start(first), None, date)
            }
        };
        let window = Window {
            starts: Span {
                from: None,
                before: starts_before,
            },
            ends: Span {
                from: ends_from,
                before: ends_before,
            },
        };
        let lifetime = match date {
            Some(_) => CacheLifetime::Unlimited,
            None => CacheLifetime::UntilMidnight,
        };
        (window, lifetime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(text: &str) -> i64 {
        text.parse::<DateTime<Utc>>().unwrap().timestamp()
    }

    #[test]
    fn windows_in_days_of_the_site() {
        let site = Zone::parse("Europe/Berlin").unwrap();
        // It is already the 8th there.
        let now = "2027-05-07T23:00:00Z".parse().unwrap();
        let date = NaiveDate::from_ymd_opt(2027, 2, 15);
        for (period, starts_before, ends_from, ends_before) in [
            (Period::Subscription, None, Some("2027-04-07T22:00:00Z"), None),
            (Period::From(None), None, Some("2027-05-07T22:00:00Z"), None),
            (Period::From(date), None, Some("2027-02-14T23:00:00Z"), None),
            (Period::Past, None, None, Some("2027-05-07T22:00:00Z")),
            (
                Period::Day(None),
                Some("2027-05-08T22:00:00Z"),
                Some("2027-05-07T22:00:00Z"),
                None,
            ),
            (
                Period::Day(date),
                Some("2027-02-15T23:00:00Z"),
                Some("2027-02-14T23:00:00Z"),
                None,
            ),
            (
                Period::Month(date),
                Some("2027-02-28T23:00:00Z"),
                Some("2027-01-31T23:00:00Z"),
                None,
            ),
            (
                Period::Month(None),
                Some("2027-05-31T22:00:00Z"),
                Some("2027-04-30T22:00:00Z"),
                None,
            ),
        ] {
            let (window, lifetime) = period.window(&site, now);
            assert_eq!(window.starts.before, starts_before.map(second), "{period:?}");
            assert_eq!(window.ends.from, ends_from.map(second), "{period:?}");
            assert_eq!(window.ends.before, ends_before.map(second), "{period:?}");
            let has_date = matches!(
                period,
                Period::From(Some(_)) | Period::Day(Some(_)) | Period::Month(Some(_))
            );
            assert_eq!(lifetime == CacheLifetime::Unlimited, has_date, "{period:?}");
        }
    }
}
