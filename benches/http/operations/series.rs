//! Writes of series.

use std::rc::Rc;

use chrono::{Days, Utc};
use hyper::Method;
use serde_json::{Value, json};

use super::{Class, Operation, hash, pick};
use crate::{dataset::Dataset, request::RequestSpec};

/// The number of events of a series that is created.
const EVENTS: u64 = 52;
/// The number of events of a series that is updated.
const UPDATED_EVENTS: u64 = 100;

/// A new series whose events may be updated.
pub(crate) struct NewSeries;

impl NewSeries {
    /// Builds the request with this number.
    pub(crate) fn request(dataset: &Dataset, number: u64) -> RequestSpec {
        create(dataset, number, Some(UPDATED_EVENTS))
    }
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
            create(&many, number, Some(EVENTS))
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

/// An event at a known venue, with as many weekly events.
fn create(dataset: &Dataset, number: u64, events: Option<u64>) -> RequestSpec {
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
    if let Some(events) = events {
        body["recurrence"] = Value::String(format!("RRULE:FREQ=WEEKLY;COUNT={events}"));
    }
    RequestSpec::write(Method::POST, "/events", body.to_string())
}
