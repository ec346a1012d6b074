//! What events link to, as feeds name it. The representations of the API take ten times the memory: those of a large
//! calendar do not fit in their caches, and would be made again for each batch.

use std::{collections::HashMap, marker::PhantomData, sync::Arc};

use super::place::Place;
use crate::{
    auth::Caller,
    calendar::status::Status,
    error::Problem,
    store::{
        ListVersion, Publishable, Snapshot,
        entity::{category, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue},
        links::{Link, LinkedEvent},
        publishable::{self, PublishableRow},
        term::{self, TermColumns, TermRow},
        versioned_cache::VersionedCache,
    },
    views::{image::ImageView, publishable::images},
};

/// What an event links to.
pub(super) struct Linked {
    pub image: Option<ImageView>,
    /// The venues that the caller may see.
    pub places: Vec<Arc<Place>>,
    /// The organizers that the caller may see.
    pub organizers: Vec<Arc<Contact>>,
    /// Ordered by name.
    pub categories: Vec<Arc<TermName>>,
    /// Ordered by name.
    pub tags: Vec<Arc<TermName>>,
}

/// An organizer.
#[derive(Debug)]
pub(super) struct Contact {
    pub name: String,
    /// The name, and how to reach them.
    pub contact: String,
}

/// A category or a tag.
#[derive(Debug)]
pub(super) struct TermName {
    id: i64,
    pub name: String,
    pub slug: String,
    /// The folded name, by which the terms of an event are sorted.
    key: String,
}

/// What the events of feeds link to, in memory. Only what everybody may see.
pub(crate) struct LinkedCaches {
    places: Cache<Place>,
    organizers: Cache<Contact>,
    categories: Cache<TermName>,
    tags: Cache<TermName>,
}

type Cache<V> = VersionedCache<i64, Arc<V>>;

impl Default for LinkedCaches {
    fn default() -> Self {
        const MEBIBYTE: u64 = 1024 * 1024;
        Self {
            places: Cache::with_bytes(4 * MEBIBYTE),
            organizers: Cache::with_bytes(2 * MEBIBYTE),
            categories: Cache::with_bytes(MEBIBYTE),
            tags: Cache::with_bytes(MEBIBYTE),
        }
    }
}

/// Reads what events link to, in the order of the events.
pub(super) async fn of_events(
    caller: &Caller,
    snapshot: &Snapshot,
    events: &[LinkedEvent],
) -> Result<Vec<Linked>, Problem> {
    let LinkedCaches {
        places,
        organizers,
        categories,
        tags,
    } = &caller.almanac.linked;
    let mut places = Targets::<event_venue::Entity, _>::known(places, snapshot, events);
    for row in resources::<venue::Entity>(caller, snapshot, &places.missing).await? {
        let (id, is_public) = (row.id, is_public(caller, &row));
        places.add(id, Place::new(caller, row), is_public);
    }
    let mut organizers = Targets::<event_organizer::Entity, _>::known(organizers, snapshot, events);
    for row in resources::<organizer::Entity>(caller, snapshot, &organizers.missing).await? {
        organizers.add(row.id, Contact::new(&row), is_public(caller, &row));
    }
    let mut categories = Targets::<event_category::Entity, _>::known(categories, snapshot, events);
    for row in term::find_all::<category::Entity>(snapshot, &categories.missing).await? {
        categories.add(row.id, TermName::new(row.common_columns()), true);
    }
    let mut tags = Targets::<event_tag::Entity, _>::known(tags, snapshot, events);
    for row in term::find_all::<tag::Entity>(snapshot, &tags.missing).await? {
        tags.add(row.id, TermName::new(row.common_columns()), true);
    }
    let images = images(caller, snapshot, events.iter().map(|event| event.image_id)).await?;
    let of_event = |event: &LinkedEvent| Linked {
        image: event.image_id.and_then(|id| images.get(&id).cloned()),
        places: places.of(event),
        organizers: organizers.of(event),
        categories: sorted(categories.of(event)),
        tags: sorted(tags.of(event)),
    };
    Ok(events.iter().map(of_event).collect())
}

/// The objects to which the links of one kind lead.
struct Targets<'a, L, V> {
    cache: &'a Cache<V>,
    version: Option<ListVersion>,
    found: HashMap<i64, Arc<V>>,
    /// The IDs of those that are not in memory.
    missing: Vec<i64>,
    links: PhantomData<L>,
}

impl<'a, L: Link, V: TextLength> Targets<'a, L, V> {
    /// Those that are in memory.
    fn known(cache: &'a Cache<V>, snapshot: &Snapshot, events: &[LinkedEvent]) -> Self {
        let version = snapshot.list_version();
        let mut ids: Vec<i64> = events.iter().flat_map(LinkedEvent::targets::<L>).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let (known, missing) = cache.split(version, ids);
        Self {
            cache,
            version,
            found: known.into_iter().collect(),
            missing,
            links: PhantomData,
        }
    }

    /// Adds one, and keeps it in memory if everybody may see it.
    fn add(&mut self, id: i64, value: V, is_public: bool) {
        let value = Arc::new(value);
        if is_public {
            let bytes = size_of::<V>() + value.text_length();
            self.cache.insert(self.version, id, value.clone(), bytes);
        }
        self.found.insert(id, value);
    }

    /// Those to which an event links, in the order of its links.
    fn of(&self, event: &LinkedEvent) -> Vec<Arc<V>> {
        let targets = event.targets::<L>().iter();
        targets.filter_map(|id| self.found.get(id).cloned()).collect()
    }
}

/// Reads the venues or organizers that the caller may see.
async fn resources<E: Publishable>(
    caller: &Caller,
    snapshot: &Snapshot,
    ids: &[i64],
) -> Result<Vec<E::Model>, Problem> {
    let mut rows = publishable::find_all::<E>(snapshot, ids).await?;
    rows.retain(|row| caller.identity.may_see(&row.common_columns(), caller.timestamp()));
    Ok(rows)
}

/// Whether everybody may see the object, until it changes.
fn is_public(caller: &Caller, row: &impl PublishableRow) -> bool {
    let columns = row.common_columns();
    columns.status == Status::Publish && columns.published_at <= caller.timestamp()
}

fn sorted(mut terms: Vec<Arc<TermName>>) -> Vec<Arc<TermName>> {
    terms.sort_by(|one, other| (&one.key, one.id).cmp(&(&other.key, other.id)));
    terms
}

impl Contact {
    fn new(row: &organizer::Model) -> Self {
        let parts = [&row.title, &row.phone, &row.email, &row.website];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        Self {
            name: row.title.clone(),
            contact: parts.map(String::as_str).collect::<Vec<_>>().join(", "),
        }
    }
}

impl TermName {
    fn new(columns: TermColumns) -> Self {
        Self {
            id: columns.id,
            name: columns.name,
            slug: columns.slug,
            key: columns.name_key,
        }
    }
}

/// The length of the texts of a value, in bytes.
trait TextLength {
    fn text_length(&self) -> usize;
}

impl TextLength for Place {
    fn text_length(&self) -> usize {
        self.text.len()
    }
}

impl TextLength for Contact {
    fn text_length(&self) -> usize {
        self.name.len() + self.contact.len()
    }
}

impl TextLength for TermName {
    fn text_length(&self) -> usize {
        self.name.len() + self.slug.len() + self.key.len()
    }
}
