//! Inserts events without recurrence, all events of a bulk create with one statement for each table.

use std::iter::once;

use super::{
    Validated, Writable, WriteContext,
    event::link_new,
    event_references::{EventReferences, PayloadReferences, ReferringPayload},
    publication,
};
use crate::{
    auth::Caller,
    error::Problem,
    store::{
        Transaction,
        entity::event,
        locks::{self, AdvisoryLock},
    },
};

/// Inserts events with their nested objects. The result is that of one insertion after the other. Returns the events in
/// the order of the payloads.
pub(super) async fn insert(
    caller: &Caller,
    transaction: &Transaction,
    payloads: Vec<Validated<<event::Entity as Writable>::Payload>>,
) -> Result<Vec<event::Model>, Problem> {
    if payloads.is_empty() {
        return Ok(Vec::new());
    }
    let given = payloads.iter().map(|(payload, _)| event::Entity::references(payload));
    let given: Vec<PayloadReferences<'_>> = given.collect();
    let names = given.iter().flat_map(PayloadReferences::name_locks);
    locks::take(transaction, once(AdvisoryLock::CategoryTreeShared).chain(names)).await?;
    let mut references = EventReferences::read(caller, transaction, &given).await?;
    let mut rows = Vec::with_capacity(payloads.len());
    let mut links = Vec::with_capacity(payloads.len());
    for (payload, errors) in payloads {
        let mut context = WriteContext::new(caller, transaction, errors);
        // A caller who reuses names updates stored objects.
        context.references = (!caller.leniency.reuse_names).then_some(&mut references);
        let mut row = event::Entity::blank(caller);
        links.push(event::Entity::apply(&mut context, &mut row, payload).await?);
        context.check()?;
        rows.push(row);
    }
    references.insert_new(transaction, &mut links).await?;
    let rows = publication::insert_all::<event::Entity>(transaction, rows).await?;
    link_new(transaction, &rows, &links).await?;
    Ok(rows)
}
