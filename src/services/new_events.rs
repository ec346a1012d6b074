//! Inserts events, all events of a bulk create with one statement for each table.

use std::{
    collections::HashSet,
    iter::{once, zip},
    mem,
};

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
        linked_rows::LinkedRows,
        links::LinkedEvent,
        locks::{self, AdvisoryLock},
        publishable::PublishableRow,
    },
};

type EventPayload = <event::Entity as Writable>::Payload;

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
pub(super) struct Draft {
    pub row: event::Model,
    pub links: EventLinks,
    errors: ValidationErrors,
    forbidden: Option<Problem>,
}

impl Draft {
    /// A context with the errors so far, for further checks.
    pub(super) fn take_context<'a>(&mut self, caller: &'a Caller, transaction: &'a Transaction) -> WriteContext<'a> {
        let mut context = WriteContext::new(caller, transaction, mem::take(&mut self.errors));
        context.forbidden = self.forbidden.take();
        context
    }

    fn return_context(&mut self, context: WriteContext<'_>) {
        self.errors = context.errors;
        self.forbidden = context.forbidden;
    }
}

/// Inserts events with their nested objects, in the order of the payloads. The result is that of one insertion after the
/// other, except for the order of IDs and of the numbers in slugs if slugs are taken. What reads it sees all of them.
pub(super) async fn insert(
    caller: &Caller,
    transaction: &Transaction,
    payloads: Vec<Validated<EventPayload>>,
) -> Result<NewEvents, Problem> {
    let (mut drafts, linked) = prepare(caller, transaction, payloads).await?;
    for draft in &mut drafts {
        draft.take_context(caller, transaction).check()?;
    }
    let (rows, links): (Vec<_>, Vec<_>) = drafts.into_iter().map(|draft| (draft.row, draft.links)).unzip();
    let rows = publication::insert_all::<event::Entity>(transaction, rows).await?;
    let events = link_new(transaction, rows.into_iter().zip(links).collect()).await?;
    Ok(NewEvents { events, linked })
}

/// Makes rows of payloads, and inserts their nested objects. Returns some of the venues and organizers to which the rows
/// will link.
pub(super) async fn prepare(
    caller: &Caller,
    transaction: &Transaction,
    payloads: Vec<Validated<EventPayload>>,
) -> Result<(Vec<Draft>, LinkedRows), Problem> {
    let given = payloads.iter().map(|(payload, _)| event::Entity::references(payload));
    let given: Vec<PayloadReferences<'_>> = given.collect();
    let names = given.iter().flat_map(PayloadReferences::name_locks);
    locks::take(transaction, once(AdvisoryLock::CategoryTreeShared).chain(names)).await?;
    // A caller who reuses names updates the stored objects that have them.
    let mut references = match caller.leniency.reuse_names {
        true => None,
        false => Some(EventReferences::read(caller, transaction, &given).await?),
    };
    let mut drafts = Vec::with_capacity(payloads.len());
    let mut terms = Vec::with_capacity(payloads.len());
    for (mut payload, errors) in payloads {
        terms.push(event::Entity::take_terms(&mut payload));
        let mut context = WriteContext::new(caller, transaction, errors);
        context.references = references.as_mut();
        let mut row = event::Entity::blank(caller);
        let links = event::Entity::apply(&mut context, &mut row, payload).await?;
        drafts.push(Draft {
            row,
            links,
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
    for (draft, TakenTerms { categories, tags }) in zip(&mut drafts, terms) {
        let mut context = draft.take_context(caller, transaction);
        context.references = references.as_mut();
        draft.links.categories = term_references::resolve::<category::Entity>(&mut context, categories).await?;
        draft.links.tags = term_references::resolve::<tag::Entity>(&mut context, tags).await?;
        draft.return_context(context);
    }
    Ok((drafts, linked))
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
