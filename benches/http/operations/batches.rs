//! Batches of writes.

use std::rc::Rc;

use hyper::Method;
use serde_json::{Value, json};

use super::{Class, NewEvent, Operation};
use crate::{dataset::Dataset, request::RequestSpec};

/// The number of requests in a batch.
const REQUESTS: u64 = 100;

/// A batch of creates, compared with one create.
pub(super) fn all(dataset: &Rc<Dataset>) -> Operation {
    let (one, many) = (Rc::clone(dataset), Rc::clone(dataset));
    let single = Operation::new("one create of a batch", Class::Untargeted, move |number| {
        NewEvent::request(&one, number + (1 << 40))
    });
    Operation::new("a batch of 100 creates", Class::Batches, move |number| {
        let requests: Vec<Value> = (0..REQUESTS)
            .map(|index| {
                let body = NewEvent::body(&many, number * REQUESTS + index + (1 << 41));
                json!({"path": "/calendar/events/v1/events", "body": body})
            })
            .collect();
        let batch = json!({"validation": "require-all-validate", "requests": requests});
        RequestSpec::write(Method::POST, "/batch", batch.to_string())
    })
    .with_status(207)
    .compared_with(single.with_status(201))
}
