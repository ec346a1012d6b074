//! Lists of events with the filters and orders beyond the specification.

use std::rc::Rc;

use chrono::Days;

use super::{
    Class, Operation, hash,
    lists::{Filter, day, geo_query, head, one_filter, place},
    pick,
};
use crate::dataset::Dataset;

/// One list for each filter and order.
pub(super) fn lists(dataset: &Rc<Dataset>) -> Vec<Operation> {
    let mut lists = filters(dataset);
    lists.extend(orders(dataset));
    lists
}

fn filters(dataset: &Rc<Dataset>) -> Vec<Operation> {
    let one = |name: &str, filter: Filter| one_filter(name, Class::Untargeted, dataset, filter);
    vec![
        one("author", |_, _| "author=1".to_owned()),
        one("author, without events", |_, number| {
            format!("author={}", 1_000_000 + hash(number) % 1_000)
        }),
        one("event_status, common", |_, _| "event_status=scheduled".to_owned()),
        one("event_status, rare", |_, _| {
            "event_status=canceled,postponed".to_owned()
        }),
        one("free", |_, _| "free=true".to_owned()),
        one("not free", |_, _| "free=false".to_owned()),
        one("free, category", |dataset, number| {
            format!("free=true&categories={}", head(&dataset.categories, number))
        }),
        one("cost_min", |_, number| format!("cost_min={}", amount(number))),
        one("cost_max", |_, number| format!("cost_max={}", amount(number))),
        one("cost_min and cost_max", |_, number| {
            let from = amount(number);
            format!("cost_min={from}&cost_max={}", from + 10)
        }),
        one("title", |dataset, number| {
            let title = pick::<String>(&dataset.titles, number);
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("title", title).finish()
        }),
        one("modified_after, a day", |_, number| modified("after", 1, number)),
        one("modified_after, a year", |_, number| modified("after", 365, number)),
        one("modified_before, a day", |_, number| modified("before", 1, number)),
        one("modified_before, a year", |_, number| modified("before", 365, number)),
        one("geoloc_radius, 5 km", |dataset, number| {
            format!("{}&geoloc_radius=5", geo_query(dataset, number))
        }),
        one("geoloc_radius, 500 km", |dataset, number| {
            format!("{}&geoloc_radius=500", geo_query(dataset, number))
        }),
        one("geoloc_box", |dataset, number| {
            let (latitude, longitude) = place(dataset, number);
            let (west, east) = (longitude - 0.2, longitude + 0.2);
            let (south, north) = (latitude - 0.1, latitude + 0.1);
            format!("geoloc_box={west:.4},{south:.4},{east:.4},{north:.4}")
        }),
        one("fields", |_, _| "fields=id,title,start_date".to_owned()),
    ]
}

fn orders(dataset: &Rc<Dataset>) -> Vec<Operation> {
    let one = |name: &str, filter: Filter| one_filter(name, Class::Untargeted, dataset, filter);
    vec![
        one("latest first", |_, _| "orderby=date&order=desc".to_owned()),
        one("by title", |_, _| "orderby=title".to_owned()),
        one("by title, backwards", |_, _| "orderby=title&order=desc".to_owned()),
        one("by title, a week", |_, number| {
            let from = day(number);
            format!("orderby=title&start_date={from}&end_date={}", from + Days::new(7))
        }),
        one("by title, category, head", |dataset, number| {
            format!("orderby=title&categories={}", head(&dataset.categories, number))
        }),
        one("by title, venue, head", |dataset, number| {
            format!("orderby=title&venue={}", head(&dataset.venues, number))
        }),
        one("by last change", |_, _| "orderby=modified".to_owned()),
        one("by last change, latest first", |_, _| {
            "orderby=modified&order=desc".to_owned()
        }),
        one("by distance", |dataset, number| {
            format!("orderby=distance&{}", geo_query(dataset, number))
        }),
        one("by distance, farthest first", |dataset, number| {
            format!("orderby=distance&order=desc&{}", geo_query(dataset, number))
        }),
        one("by distance, 500 km", |dataset, number| {
            format!("orderby=distance&geoloc_radius=500&{}", geo_query(dataset, number))
        }),
        one("by distance, category", |dataset, number| {
            let category = head(&dataset.categories, number);
            format!("orderby=distance&categories={category}&{}", geo_query(dataset, number))
        }),
    ]
}

/// A price below 50.
fn amount(number: u64) -> u64 {
    hash(number) % 50
}

/// The query of events that were changed after or before a time this many days ago.
fn modified(direction: &str, days: u64, number: u64) -> String {
    let seconds = days * 86_400 + hash(number) % 1_000;
    format!("modified_{direction}=-{seconds}%20seconds")
}
