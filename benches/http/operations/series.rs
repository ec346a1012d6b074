//! Writes of series, and the list of a calendar that consists of them.

use std::rc::Rc;

use chrono::{Days, Utc};
use hyper::Method;
use serde_json::{Value, json};

use super::{Class, Operation, hash, pick};
use crate::{dataset::Dataset, request::RequestSpec, server_process::default_list};

/// The number of events of a series that is created.
const EVENTS: u64 = 52;
/// The number of events of a series that is updated.
const UPDATED_EVENTS: u64 = 100;

/// The name by which the comparison of lists is selected, and that of the list of occurrences.
pub(crate) const LIST_OF_OCCURRENCES: &str = "list of occurrences";
/// The name of the list that it is compared with.
const LIST_OF_EVENTS: &str = "list of events without series";

/// A new series.
pub(crate) struct NewSeries;

impl NewSeries {
    /// The number of events of a long series.
    pub(crate) const LONG: u64 = 700;

    /// Builds the request with this number, of a series whose events may be updated.
    pub(crate) fn request(dataset: &Dataset, number: u64) -> RequestSpec {
        create(dataset, number, Some(&format!("WEEKLY;COUNT={UPDATED_EVENTS}")))
    }

    /// Builds the request with this number, of a long series.
    pub(crate) fn long(dataset: &Dataset, number: u64) -> RequestSpec {
        create(dataset, number, Some(&format!("DAILY;COUNT={}", Self::LONG)))
    }
}

/// The default list, which is measured on two databases.
pub(crate) fn list_of_events() -> Operation {
    Operation::unique(LIST_OF_EVENTS, Class::ListOfEvents, |_| default_list())
}

/// Creates and updates. `series` are the IDs of an event of each series that may be updated.
pub(super) fn all(dataset: &Rc<Dataset>, series: &[i64]) -> Vec<Operation> {
    let (one, many) = (Rc::clone(dataset), Rc::clone(dataset));
    let series = series.to_vec();
    let single = Operation::new("create one event of a series", Class::Untargeted, move |number| {
        create(&one, number, None)
    });
    vec![
        Operation::new("create a series of 52 events", Class::SeriesCreates, move |number| {
            create(&many, number, Some(&format!("WEEKLY;COUNT={EVENTS}")))
        })
        .with_status(201)
        .compared_with(single.with_status(201)),
        Operation::new(
            "change the title of a series of 100 events",
            Class::SeriesUpdates,
            move |number| {
                let body = json!({"title": format!("Class {}", hash(number))});
                let path = format!("/events/{}?scope=all", pick(&series, number));
                RequestSpec::write(Method::PATCH, &path, body.to_string())
            },
        ),
    ]
}

/// An event at a known venue, repeated with this frequency.
fn create(dataset: &Dataset, number: u64, frequency: Option<&str>) -> RequestSpec {
    let day = Utc::now().date_naive() + Days::new(1 + hash(number) % 300);
    let description = "A class for beginners and for those who come back, with mats for everybody. ".repeat(6);
    let mut body = json!({
        "title": format!("Class {}", hash(number)),
        "description": format!("<p>{description}</p>"),
        "start_date": format!("{day} 19:00:00"),
        "end_date": format!("{day} 20:30:00"),
        "timezone": "Europe/Dublin",
        "cost": "€12",
        "categories": [pick(&dataset.categories, number)],
        "tags": [pick(&dataset.tags, number)],
        "venue": {"venue": "The Loft", "city": "Saltmarsh", "geo_lat": 51.9, "geo_lng": -8.2},
    });
    if let Some(frequency) = frequency {
        body["recurrence"] = Value::String(format!("RRULE:FREQ={frequency}"));
    }
    RequestSpec::write(Method::POST, "/events", body.to_string())
}
