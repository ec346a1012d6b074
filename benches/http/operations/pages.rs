//! Pages of the calendar, compared with the lists of the interface that they show.

use chrono::{Datelike, Days, Months, NaiveDate, Utc};

use super::{Class, Operation};
use crate::request::RequestSpec;

/// The list and the month, cached and not.
pub(super) fn all() -> Vec<Operation> {
    let today = Utc::now().date_naive();
    let pages = [
        Page {
            name: "list page",
            classes: (Class::ListPage, Class::ListPageNew),
            page: RequestSpec::get_site("/events/"),
            list: upcoming(today),
            list_name: "events of the list page",
        },
        Page {
            name: "month page",
            classes: (Class::MonthPage, Class::MonthPageNew),
            page: RequestSpec::get_site("/events/month/"),
            list: month(today),
            list_name: "100 events of the month page",
        },
    ];
    pages.into_iter().flat_map(Page::operations).collect()
}

/// A page, and the list with which it is compared.
struct Page {
    name: &'static str,
    /// Repeated, and unique.
    classes: (Class, Class),
    page: RequestSpec,
    list: RequestSpec,
    list_name: &'static str,
}

impl Page {
    fn operations(self) -> [Operation; 2] {
        let Self {
            name,
            classes,
            page,
            list,
            list_name,
        } = self;
        let repeated = Operation::repeated(name, classes.0, page.clone());
        let repeated_list = Operation::repeated(list_name, Class::Untargeted, list.clone());
        let unique = Operation::unique(name, classes.1, move |_| page.clone());
        let unique_list = Operation::unique(list_name, Class::Untargeted, move |_| list.clone());
        [repeated.compared_with(repeated_list), unique.compared_with(unique_list)]
    }
}

/// The first 20 of the events that end today or later. The page leaves out those that have ended today.
fn upcoming(today: NaiveDate) -> RequestSpec {
    let yesterday = today - Days::new(1);
    RequestSpec::get(&format!("/events?per_page=20&ends_after={yesterday}"))
}

/// The first 100 of the events that overlap the month.
fn month(today: NaiveDate) -> RequestSpec {
    let first = today - Days::new(today.day0().into());
    let (before, last) = (first - Days::new(1), first + Months::new(1) - Days::new(1));
    RequestSpec::get(&format!(
        "/events?per_page=100&ends_after={before}&starts_before={last}"
    ))
}
