//! Inserts events without recurrence, all events of a bulk create with one statement for each table.

use std::iter::{once, zip};

use super::{
    Validated, Writable, WriteContext,
    event::{EventLinks, link_new},
    event_references::{EventReferences, PayloadReferences, ReferringPayload},
    publication,
};
use crate::{
    auth::Caller,
    error::Problem,
    store::{
        Transaction,
        entity::event,
        links::{LinkedEvent, LinkedRows},
        locks::{self, AdvisoryLock},
    },
};

/// Events that were inserted.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewEvents {
    pub events: Vec<LinkedEvent>,
    /// Some of the venues and organizers to which they link: those that the insertion has read or inserted.
    pub linked: LinkedRows,
}

impl NewEvents {
    /// Adds events after these.
    pub(super) fn append(&mut self, other: Self) {
        let LinkedRows { venues, organizers } = other.linked;
        self.events.extend(other.events);
        self.linked.venues.extend(venues);
        self.linked.organizers.extend(organizers);
    }
}

/// Inserts events with their nested objects, in the order of the payloads. The result is that of one insertion after the
/// other.
pub(super) async fn insert(
    caller: &Caller,
    transaction: &Transaction,
    payloads: Vec<Validated<<event::Entity as Writable>::Payload>>,
) -> Result<NewEvents, Problem> {
    if payloads.is_empty() {
        return Ok(NewEvents::default());
    }
    let given = payloads.iter().map(|(payload, _)| event::Entity::references(payload));
    let given: Vec<PayloadReferences<'_>> = given.collect();
    let names = given.iter().flat_map(PayloadReferences::name_locks);
    locks::take(transaction, once(AdvisoryLock::CategoryTreeShared).chain(names)).await?;
    // A caller who reuses names updates stored objects, one after the other.
    let mut references = match caller.leniency.reuse_names {
        true => None,
        false => Some(EventReferences::read(caller, transaction, &given).await?),
    };
    let mut rows = Vec::with_capacity(payloads.len());
    let mut links = Vec::with_capacity(payloads.len());
    for (payload, errors) in payloads {
        let mut context = WriteContext::new(caller, transaction, errors);
        context.references = references.as_mut();
        let mut row = event::Entity::blank(caller);
        links.push(event::Entity::apply(&mut context, &mut row, payload).await?);
        context.check()?;
        rows.push(row);
    }
    let linked = match references {
        Some(references) => references.insert_new(transaction, &mut links).await?,
        None => LinkedRows::default(),
    };
    let rows = publication::insert_all::<event::Entity>(transaction, rows).await?;
    link_new(transaction, &rows, &links).await?;
    let with_links = |(row, links): (_, EventLinks)| LinkedEvent::new(row, links.into_targets());
    let events = zip(rows, links).map(with_links).collect();
    Ok(NewEvents { events, linked })
}
