//! Writes, and a mix of reads and writes.

use std::rc::Rc;

use chrono::{Days, Utc};
use hyper::Method;
use serde_json::{Value, json};

use super::{Class, Operation, hash, pick};
use crate::{dataset::Dataset, request::RequestSpec, server_process::default_list};

/// Names of the trials with which creates are compared.
pub(crate) const RAW_INSERTS: &str = "raw inserts of the same rows";
pub(crate) const OLDER_CREATES: &str = "creates by the older program";
pub(crate) const CREATES_WITH_WEBHOOKS: &str = "creates with three webhooks";

/// The share of writes in the mix.
const WRITE_PERCENT: u64 = 5;

/// A new event with a new venue and a new organizer.
pub(crate) struct NewEvent;

impl NewEvent {
    /// Builds the request with this number.
    pub(crate) fn request(dataset: &Dataset, number: u64) -> RequestSpec {
        RequestSpec::write(Method::POST, "/events", Self::body(dataset, number).to_string())
    }

    /// The body of the request with this number.
    pub(super) fn body(dataset: &Dataset, number: u64) -> Value {
        let day = Utc::now().date_naive() + Days::new(1 + hash(number) % 700);
        let description = "An evening of music and talk in the old harbour hall, with soup for \
            everybody and a walk along the quay before it gets dark. "
            .repeat(3);
        let terms = |ids: &[i64], count: u64| -> Vec<i64> {
            let mut chosen: Vec<i64> = (0..count).map(|index| *pick(ids, number * count + index)).collect();
            chosen.sort_unstable();
            chosen.dedup();
            chosen
        };
        // Unlike numbers, words do not give similar names.
        let word = word(number);
        json!({
            "title": format!("{word} evening"),
            "description": format!("<p>{description}</p>"),
            "start_date": format!("{day} 19:30:00"),
            "end_date": format!("{day} 22:00:00"),
            "timezone": "Europe/Dublin",
            "cost": "€12",
            "categories": terms(&dataset.categories, 2),
            "tags": terms(&dataset.tags, 3),
            "venue": {
                "venue": format!("{word} Hall"),
                "address": "12 Quay Street",
                "city": "Saltmarsh",
                "country": "Ireland",
                "geo_lat": 51.9,
                "geo_lng": -8.2,
            },
            "organizer": [{
                "organizer": format!("{word} Circle"),
                "email": "circle@example.org",
            }],
        })
    }
}

/// Creates, updates, and the mix. `own` are the IDs of events that may be updated.
pub(super) fn all(dataset: &Rc<Dataset>, own: &[i64]) -> Vec<Operation> {
    let created = Rc::clone(dataset);
    let (mixed, pure) = (Rc::clone(dataset), Rc::clone(dataset));
    let (updated, moved, changed) = (own.to_vec(), own.to_vec(), own.to_vec());
    let pure_reads = Operation::new("the reads of the mix alone", Class::PureReads, move |number| {
        read(&pure, number)
    });
    vec![
        Operation::new(
            "create an event, its venue and its organizer",
            Class::Creates,
            move |number| NewEvent::request(&created, number),
        )
        .with_status(201),
        Operation::new("update an event", Class::Untargeted, move |number| {
            update(&updated, number)
        }),
        Operation::new("95 % reads, 5 % updates", Class::Mix, move |number| {
            if hash(number) % 100 < WRITE_PERCENT {
                update(&changed, number)
            } else {
                read(&mixed, number)
            }
        })
        .compared_with(pure_reads),
        Operation::new("events, right after a write", Class::AfterWrite, |_| default_list())
            .after(move |number| reschedule(&moved, number)),
    ]
}

fn update(own: &[i64], number: u64) -> RequestSpec {
    let body = json!({"title": format!("{} again", word(number)), "cost": "€14"});
    let path = format!("/events/{}", pick(own, number));
    RequestSpec::write(Method::PATCH, &path, body.to_string())
}

/// Moves an event to another day, and publishes it or withdraws it: lists are sorted and filtered by both.
fn reschedule(own: &[i64], number: u64) -> RequestSpec {
    let day = Utc::now().date_naive() + Days::new(1 + hash(number) % 700);
    let status = if number.is_multiple_of(2) { "publish" } else { "draft" };
    let body = json!({
        "start_date": format!("{day} 19:30:00"),
        "end_date": format!("{day} 22:00:00"),
        "status": status,
    });
    let path = format!("/events/{}", pick(own, number / 2));
    RequestSpec::write(Method::PATCH, &path, body.to_string())
}

/// A unique word for each number.
fn word(number: u64) -> String {
    let mut left = hash(number);
    let mut word = String::from("M");
    while left > 0 {
        word.push(char::from(b'a' + (left % 26) as u8));
        left /= 26;
    }
    word
}

/// A plausible mix of reads: half of the requests read a random event; the others read one of the first pages, of all
/// events or of a category. Some requests are repeated soon, most are not.
fn read(dataset: &Dataset, number: u64) -> RequestSpec {
    let chosen = hash(number / 4);
    match number % 4 {
        0 | 1 => RequestSpec::get(&format!("/events/{}", pick(&dataset.events, number).0)),
        2 => RequestSpec::get(&format!("/events?per_page=10&page={}", 1 + chosen % 5)),
        _ => {
            let category = pick(&dataset.categories, number);
            RequestSpec::get(&format!("/events?per_page=10&categories={category}"))
        }
    }
}
