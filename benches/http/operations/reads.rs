//! Reads of single events and of the OpenAPI document.

use std::rc::Rc;

use anyhow::{Context, Result};

use super::{Class, Operation, pick};
use crate::{dataset::Dataset, generator::FetchedResponse, request::RequestSpec, server_process::default_list};

/// Reads of one event by ID and by slug, and conditional requests.
pub(super) fn events(
    dataset: &Rc<Dataset>,
    fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>,
) -> Result<Vec<Operation>> {
    let middle = dataset.events.len() / 2;
    let (id, slug) = dataset.events.get(middle).context("the database has no events")?;
    let by_slug = Rc::clone(dataset);
    Ok(vec![
        Operation::repeated("event by id", Class::OneEvent, event_by_id(*id)),
        Operation::repeated("event by slug", Class::OneEvent, event_by_slug(slug)),
        another_event(dataset),
        Operation::unique("event by slug", Class::OneEventNew, move |number| {
            let (_, slug) = pick(&by_slug.events, number);
            event_by_slug(slug)
        }),
        unchanged("event by id, unchanged (304)", event_by_id(*id), fetch)?,
        unchanged("events, unchanged (304)", default_list(), fetch)?,
    ])
}

/// A different event with each request.
pub(super) fn another_event(dataset: &Rc<Dataset>) -> Operation {
    let dataset = Rc::clone(dataset);
    Operation::unique("event by id", Class::OneEventNew, move |number| {
        let (id, _) = pick(&dataset.events, number);
        event_by_id(*id)
    })
}

fn event_by_id(id: i64) -> RequestSpec {
    RequestSpec::get(&format!("/events/{id}"))
}

fn event_by_slug(slug: &str) -> RequestSpec {
    RequestSpec::get(&format!("/events/by-slug/{slug}"))
}

fn unchanged(
    name: &str,
    request: RequestSpec,
    fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>,
) -> Result<Operation> {
    let etag = fetch(&request)?.etag.context("the response has no ETag")?;
    let request = RequestSpec {
        if_none_match: Some(etag),
        ..request
    };
    let operation = Operation::new(name, Class::Untargeted, move |_| request.clone());
    Ok(operation.with_status(304))
}

/// The OpenAPI document.
pub(super) fn document() -> Vec<Operation> {
    vec![Operation::repeated(
        "document",
        Class::Untargeted,
        RequestSpec::get("/doc"),
    )]
}
