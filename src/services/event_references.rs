//! The venues, organizers, categories and tags in the payloads of new events.
//!
//! One statement finds those of all payloads, and one per table inserts the new venues and organizers. Each new term, image
//! and external ID needs further statements, but few events have any.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::Arc,
};

use sea_orm::DbErr;

use super::{
    Writable, WritableLinkedResource, WriteContext, event::EventLinks, linked_references::name_key, publication,
};
use crate::{
    auth::Caller,
    calendar::{Kind, TermReference, status::Status},
    error::Problem,
    extract::{
        MaybeUndefined,
        linked_references::{LinkedReference, LinkedReferences},
        references::TermReferences,
    },
    store::{
        Publishable, Term, Transaction,
        entity::{event, organizer, venue},
        linked_rows::LinkedRows,
        locks::AdvisoryLock,
        lookup::{self, Named},
        publishable::{self, ExternalId, PublishableRow},
        term,
    },
};

/// Names, or terms, of one kind per statement.
const NAMES: usize = 100;

/// The references to venues or organizers in the payload of an event.
type ResourceReferences<E> = MaybeUndefined<LinkedReferences<<E as Writable>::Payload>>;

/// The references in the payload of an event.
pub(crate) struct PayloadReferences<'a> {
    pub venues: &'a ResourceReferences<venue::Entity>,
    pub organizers: &'a ResourceReferences<organizer::Entity>,
    pub categories: &'a MaybeUndefined<TermReferences>,
    pub tags: &'a MaybeUndefined<TermReferences>,
}

impl<'a> PayloadReferences<'a> {
    /// The locks of the names of nested venues and organizers.
    pub(crate) fn name_locks(&self) -> impl Iterator<Item = AdvisoryLock> + use<'a> {
        name_locks::<venue::Entity>(self.venues).chain(name_locks::<organizer::Entity>(self.organizers))
    }
}

/// The payload of an event, whose struct the services do not know.
pub(crate) trait ReferringPayload: Writable<Model = event::Model, Links = EventLinks> {
    fn references(payload: &Self::Payload) -> PayloadReferences<'_>;

    /// Takes the references to terms from the payload.
    fn take_terms(payload: &mut Self::Payload) -> TakenTerms;
}

/// The references to terms that were taken from a payload.
#[derive(Default)]
pub(crate) struct TakenTerms {
    pub categories: MaybeUndefined<TermReferences>,
    pub tags: MaybeUndefined<TermReferences>,
}

/// The venues, organizers, categories and tags in the payloads of new events.
pub(crate) struct EventReferences {
    pub venues: ReferencedRows<venue::Entity>,
    pub organizers: ReferencedRows<organizer::Entity>,
    terms: HashMap<(Kind, TermReference), i64>,
}

impl EventReferences {
    /// Reads the stored objects to which the payloads refer.
    pub(crate) async fn read(
        caller: &Caller,
        transaction: &Transaction,
        payloads: &[PayloadReferences<'_>],
    ) -> Result<Self, DbErr> {
        let (venue_ids, venues) = ids_and_names::<venue::Entity>(payloads.iter().map(|payload| payload.venues));
        let (organizer_ids, organizers) =
            ids_and_names::<organizer::Entity>(payloads.iter().map(|payload| payload.organizers));
        let categories = distinct_terms(payloads.iter().map(|payload| payload.categories));
        let tags = distinct_terms(payloads.iter().map(|payload| payload.tags));
        let lengths = [venues.len(), organizers.len(), categories.len(), tags.len()];
        let longest = lengths.into_iter().max().unwrap_or_default();
        let author = caller.identity.user().unwrap_or_default();
        let mut found_venues = Vec::new();
        let mut found_organizers = Vec::new();
        let mut terms = HashMap::new();
        for index in 0..longest.div_ceil(NAMES) {
            let named = Named {
                venues: chunk(&venues, index),
                organizers: chunk(&organizers, index),
                categories: chunk(&categories, index),
                tags: chunk(&tags, index),
            };
            let found = lookup::find(transaction, named, author, caller.timestamp()).await?;
            found_venues.extend(found.venues);
            found_organizers.extend(found.organizers);
            terms.extend(known_terms(Kind::Category, named.categories, found.categories));
            terms.extend(known_terms(Kind::Tag, named.tags, found.tags));
        }
        Ok(Self {
            venues: ReferencedRows::read(transaction, venue_ids, &found_venues).await?,
            organizers: ReferencedRows::read(transaction, organizer_ids, &found_organizers).await?,
            terms,
        })
    }

    /// The IDs of the terms, if all of them are known.
    fn terms<E: Term>(&self, references: &[TermReference]) -> Option<Vec<Option<i64>>> {
        let known = |reference: &TermReference| self.terms.get(&(E::KIND, reference.clone())).copied();
        references.iter().map(|reference| known(reference).map(Some)).collect()
    }

    /// Forgets the terms: a new one may match a reference better than the one that was found.
    pub(super) fn forget_terms(&mut self) {
        self.terms.clear();
    }

    /// Inserts the new venues and organizers, and replaces their preliminary IDs in the links. Returns their rows and those
    /// that were found.
    pub(crate) async fn insert_new(
        &mut self,
        transaction: &Transaction,
        links: impl Iterator<Item = &mut EventLinks>,
    ) -> Result<LinkedRows, Problem> {
        let (venues, new_venues) = self.venues.insert_new(transaction).await?;
        let (organizers, new_organizers) = self.organizers.insert_new(transaction).await?;
        for links in links {
            if let Some(resources) = &mut links.venues {
                resources.replace_preliminary_ids(&new_venues);
            }
            if let Some(resources) = &mut links.organizers {
                resources.replace_preliminary_ids(&new_organizers);
            }
        }
        Ok(LinkedRows { venues, organizers })
    }
}

/// Resolves references to terms.
pub(crate) async fn resolve_terms<E: Term>(
    context: &WriteContext<'_>,
    references: &[TermReference],
) -> Result<Vec<Option<i64>>, DbErr> {
    let known = context
        .references
        .as_ref()
        .and_then(|known| known.terms::<E>(references));
    match known {
        Some(ids) => Ok(ids),
        None => term::resolve::<E>(context.transaction, references).await,
    }
}

/// The venues or organizers to which the payloads of new events refer.
pub(crate) struct ReferencedRows<E: Publishable> {
    by_id: HashMap<i64, E::Model>,
    /// Those that the caller may link to, by their folded names, sorted by ID, and then the new ones.
    by_name: HashMap<String, Vec<E::Model>>,
    /// Nested objects that are not stored yet, with their [`preliminary_id`].
    new: Vec<E::Model>,
    /// The indexes of those that have an ID in another system.
    new_by_external_id: HashMap<ExternalId, usize>,
}

impl<E: WritableLinkedResource> ReferencedRows<E> {
    /// Reads the rows with these IDs, and those that were found by their names.
    async fn read(transaction: &Transaction, mut ids: HashSet<i64>, named: &[i64]) -> Result<Self, DbErr> {
        ids.extend(named);
        let ids: Vec<i64> = ids.into_iter().collect();
        let rows = publishable::find_all::<E>(transaction, &ids).await?;
        let by_id: HashMap<i64, E::Model> = rows.into_iter().map(|row| (row.id(), row)).collect();
        let mut by_name: HashMap<String, Vec<E::Model>> = HashMap::new();
        let mut named = named.to_vec();
        named.sort_unstable();
        for row in named.iter().filter_map(|id| by_id.get(id)) {
            by_name
                .entry(E::name_key(row).to_owned())
                .or_default()
                .push(row.clone());
        }
        Ok(Self {
            by_id,
            by_name,
            new: Vec::new(),
            new_by_external_id: HashMap::new(),
        })
    }

    /// The stored row with this ID.
    pub(super) fn with_id(&self, id: i64) -> Option<&E::Model> {
        self.by_id.get(&id)
    }

    /// The rows with this folded name that the caller may link to.
    pub(super) fn with_name(&self, name_key: &str) -> &[E::Model] {
        self.by_name.get(name_key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The new row with this ID in another system.
    pub(super) fn new_with_external_id(&self, id: &ExternalId) -> Option<&E::Model> {
        let index = self.new_by_external_id.get(id)?;
        self.new.get(*index)
    }

    /// Adds a row that will be inserted with the others. Returns it with its preliminary ID.
    pub(super) fn add(&mut self, caller: &Caller, mut row: E::Model) -> E::Model {
        let mut columns = row.common_columns();
        columns.id = preliminary_id(self.new.len());
        let is_published = columns.status == Status::Publish && columns.published_at <= caller.timestamp();
        if let Some(id) = &columns.external {
            self.new_by_external_id.insert(id.clone(), self.new.len());
        }
        let may_be_linked = is_published || columns.author_id == caller.identity.user();
        row.set_common_columns(columns);
        if may_be_linked {
            let same_name = self.by_name.entry(E::name_key(&row).to_owned()).or_default();
            same_name.push(row.clone());
        }
        self.new.push(row.clone());
        row
    }

    /// Inserts the new rows. Returns all rows, and the IDs of the new ones.
    async fn insert_new(&mut self, transaction: &Transaction) -> Result<(Vec<Arc<E::Model>>, Vec<i64>), Problem> {
        let new = publication::insert_all::<E>(transaction, mem::take(&mut self.new)).await?;
        let ids = new.iter().map(PublishableRow::id).collect();
        let found = mem::take(&mut self.by_id);
        Ok((found.into_values().chain(new).map(Arc::new).collect(), ids))
    }
}

/// The IDs of the venues or organizers in payloads, and the folded names of nested ones, without duplicates.
fn ids_and_names<'a, E: WritableLinkedResource>(
    references: impl Iterator<Item = &'a ResourceReferences<E>>,
) -> (HashSet<i64>, Vec<String>) {
    let mut ids = HashSet::new();
    let mut names = HashSet::new();
    for reference in references.filter_map(MaybeUndefined::value).flat_map(|given| &given.0) {
        match reference {
            LinkedReference::Id(id) => _ = ids.insert(*id),
            LinkedReference::New(payload) => _ = names.insert(name_key(&**payload)),
        }
    }
    (ids, names.into_iter().collect())
}

fn distinct_terms<'a>(references: impl Iterator<Item = &'a MaybeUndefined<TermReferences>>) -> Vec<TermReference> {
    let given = references.filter_map(MaybeUndefined::value);
    let distinct: HashSet<&TermReference> = given.flat_map(|references| &references.0).collect();
    distinct.into_iter().cloned().collect()
}

/// The references that were found, with the IDs of their terms.
fn known_terms(
    kind: Kind,
    references: &[TermReference],
    ids: Vec<Option<i64>>,
) -> impl Iterator<Item = ((Kind, TermReference), i64)> {
    let found = references.iter().cloned().zip(ids);
    found.filter_map(move |(reference, id)| Some(((kind, reference), id?)))
}

/// The part of a list for one statement.
fn chunk<T>(list: &[T], index: usize) -> &[T] {
    list.chunks(NAMES).nth(index).unwrap_or_default()
}

/// The ID of a new row until it is inserted: negative, unlike those of stored rows.
fn preliminary_id(index: usize) -> i64 {
    -1 - i64::try_from(index).unwrap_or(i64::MAX - 1)
}

/// Replaces a preliminary ID by that of the stored row.
pub(super) fn replace_preliminary_id(id: &mut i64, stored: &[i64]) {
    let index = usize::try_from(-1 - *id).ok();
    if let Some(stored) = index.and_then(|index| stored.get(index)) {
        *id = *stored;
    }
}

/// The locks of the names of nested objects, so that no other writer creates the same ones at the same time.
fn name_locks<'a, E: WritableLinkedResource>(
    references: &'a ResourceReferences<E>,
) -> impl Iterator<Item = AdvisoryLock> + use<'a, E> {
    let references = references.value().into_iter().flat_map(|references| &references.0);
    references.filter_map(|reference| match reference {
        LinkedReference::Id(_) => None,
        LinkedReference::New(payload) => Some(AdvisoryLock::of_name(E::KIND, &name_key(&**payload))),
    })
}
