//! Inserts events without recurrence, all events of a bulk create with one statement for each table.

use std::{collections::HashSet, iter::once, mem};

use super::{
    Validated, Writable, WriteContext,
    event::{EventLinks, link_new},
    event_references::{EventReferences, PayloadReferences, ReferringPayload, TakenTerms},
    publication, term_references,
};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::{Problem, ValidationErrors},
    store::{
        Transaction,
        entity::{category, event, tag},
        links::{LinkedEvent, LinkedRows},
        locks::{self, AdvisoryLock},
        publishable::PublishableRow,
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

/// An event that is about to be inserted, with the errors so far.
struct Draft {
    row: event::Model,
    links: EventLinks,
    terms: TakenTerms,
    errors: ValidationErrors,
    forbidden: Option<Problem>,
}

/// Inserts events with their nested objects, in the order of the payloads. The result is that of one insertion after the
/// other, except for the order of IDs and of the numbers in slugs if slugs are taken.
pub(super) async fn insert(
    caller: &Caller,
    transaction: &Transaction,
    payloads: Vec<Validated<<event::Entity as Writable>::Payload>>,
) -> Result<NewEvents, Problem> {
    let given = payloads.iter().map(|(payload, _)| event::Entity::references(payload));
    let given: Vec<PayloadReferences<'_>> = given.collect();
    lock(transaction, &given).await?;
    // A caller who reuses names updates the stored objects that have them.
    let mut references = match caller.leniency.reuse_names {
        true => None,
        false => Some(EventReferences::read(caller, transaction, &given).await?),
    };
    let mut drafts = Vec::with_capacity(payloads.len());
    for (mut payload, errors) in payloads {
        let terms = event::Entity::take_terms(&mut payload);
        let mut context = WriteContext::new(caller, transaction, errors);
        context.references = references.as_mut();
        let mut row = event::Entity::blank(caller);
        let links = event::Entity::apply(&mut context, &mut row, payload).await?;
        drafts.push(Draft {
            row,
            links,
            terms,
            errors: context.errors,
            forbidden: context.forbidden,
        });
    }
    reject_repeated_external_ids(&drafts)?;
    let linked = match &mut references {
        Some(references) => {
            let links = drafts.iter_mut().map(|draft| &mut draft.links);
            references.insert_new(transaction, links).await?
        }
        None => LinkedRows::default(),
    };
    // Terms follow venues and organizers (see `locks`).
    for draft in &mut drafts {
        let mut context = WriteContext::new(caller, transaction, mem::take(&mut draft.errors));
        context.forbidden = draft.forbidden.take();
        context.references = references.as_mut();
        let TakenTerms { categories, tags } = mem::take(&mut draft.terms);
        draft.links.categories = term_references::resolve::<category::Entity>(&mut context, categories).await?;
        draft.links.tags = term_references::resolve::<tag::Entity>(&mut context, tags).await?;
        context.check()?;
    }
    let (rows, links): (Vec<_>, Vec<_>) = drafts.into_iter().map(|draft| (draft.row, draft.links)).unzip();
    let rows = publication::insert_all::<event::Entity>(transaction, rows).await?;
    let events = link_new(transaction, rows.into_iter().zip(links).collect()).await?;
    Ok(NewEvents { events, linked })
}

/// Takes the locks for the insertion of events.
pub(super) async fn lock(transaction: &Transaction, payloads: &[PayloadReferences<'_>]) -> Result<(), Problem> {
    let names = payloads.iter().flat_map(PayloadReferences::name_locks);
    locks::take(transaction, once(AdvisoryLock::CategoryTreeShared).chain(names)).await?;
    Ok(())
}

/// Stored events have other external IDs, as each payload has been checked, but two payloads may have the same.
fn reject_repeated_external_ids(drafts: &[Draft]) -> Result<(), Problem> {
    let mut ids = HashSet::new();
    for id in drafts.iter().filter_map(|draft| draft.row.common_columns().external) {
        if let Some(id) = ids.replace(id) {
            return Err(Problem::external_id_conflict(Kind::Event, &id.source, &id.id));
        }
    }
    Ok(())
}
