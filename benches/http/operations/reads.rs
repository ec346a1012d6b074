//! Reading one event, and the document.

use std::rc::Rc;

use anyhow::{Context, Result};

use super::{Class, Operation, pick};
use crate::{ask::Ask, calendar::Calendar, generator::Answer, process::default_list};

/// One event, by ID and by slug, and what changes nothing for a reader that has it.
pub fn events(calendar: &Rc<Calendar>, fetch: &dyn Fn(&Ask) -> Result<Answer>) -> Result<Vec<Operation>> {
    let middle = calendar.events.len() / 2;
    let (id, slug) = calendar.events.get(middle).context("there are events")?;
    let by_slug = Rc::clone(calendar);
    Ok(vec![
        Operation::again("event by id", Class::OneEvent, &format!("/events/{id}")),
        Operation::again("event by slug", Class::OneEvent, &format!("/events/by-slug/{slug}")),
        another_event(calendar),
        Operation::unasked("event by slug", Class::Told, move |number| {
            let (_, slug) = pick(&by_slug.events, number);
            format!("/events/by-slug/{slug}")
        }),
        unchanged(
            "event by id, unchanged (304)",
            Ask::get(&format!("/events/{id}")),
            fetch,
        )?,
        unchanged("events, unchanged (304)", default_list(), fetch)?,
    ])
}

/// Always another event.
pub fn another_event(calendar: &Rc<Calendar>) -> Operation {
    let calendar = Rc::clone(calendar);
    Operation::unasked("event by id", Class::Told, move |number| {
        let (id, _) = pick(&calendar.events, number);
        format!("/events/{id}")
    })
}

fn unchanged(name: &str, ask: Ask, fetch: &dyn Fn(&Ask) -> Result<Answer>) -> Result<Operation> {
    let etag = fetch(&ask)?.etag.context("the answer has an ETag")?;
    let ask = Ask {
        if_none_match: Some(etag),
        ..ask
    };
    let operation = Operation::new(name, Class::Told, move |_| ask.clone());
    Ok(operation.with_status(304))
}

/// The description of the interface.
pub fn document() -> Vec<Operation> {
    vec![Operation::again("document", Class::Told, "/doc")]
}
