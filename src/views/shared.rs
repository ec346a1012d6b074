//! Representations that many events contain: they are made once for each version of the data, with their JSON.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::{Deref, Range},
    sync::Arc,
};

use poem_openapi::{
    registry::{MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{
    Detail, Represented,
    event::EventView,
    image::ImageView,
    organizer,
    publishable::Images,
    series::SeriesSummary,
    term::{self, RepresentedTerm},
    venue,
};
use crate::{
    auth::Caller,
    calendar::status::Status,
    error::Problem,
    store::{
        Snapshot,
        entity::{category, organizer as organizers, tag, venue as venues},
        links::{Link, LinkedIds},
        publishable::{CommonColumns, PublishableRow},
        term::TermRow,
        term_list,
        versioned_cache::VersionedCache,
    },
};

/// The shared representations of a server, in memory.
pub(crate) struct SharedViews {
    /// As in lists.
    pub(super) events: ViewCache<SharedEvent>,
    venues: ViewCache<SharedResource<venues::Entity>>,
    organizers: ViewCache<SharedResource<organizers::Entity>>,
    categories: ViewCache<SharedTerm<category::Entity>>,
    tags: ViewCache<SharedTerm<tag::Entity>>,
    pub(super) images: VersionedCache<i64, ImageView>,
    pub(super) series: VersionedCache<i64, SeriesSummary>,
}

/// The keys are the base URL of the representation, with the language if it contains words, and the ID.
pub(super) type ViewCache<V> = VersionedCache<(Arc<str>, i64), V>;

impl Default for SharedViews {
    fn default() -> Self {
        const MEBIBYTE: u64 = 1024 * 1024;
        Self {
            events: VersionedCache::with_bytes(8 * MEBIBYTE),
            venues: VersionedCache::with_bytes(4 * MEBIBYTE),
            organizers: VersionedCache::with_bytes(2 * MEBIBYTE),
            categories: VersionedCache::with_bytes(2 * MEBIBYTE),
            tags: VersionedCache::with_bytes(4 * MEBIBYTE),
            images: VersionedCache::with_bytes(2 * MEBIBYTE),
            series: VersionedCache::with_bytes(MEBIBYTE),
        }
    }
}

/// An event of lists, as everybody may see it.
#[derive(Clone)]
pub(super) struct SharedEvent {
    /// The version of the event: the cache knows when other data have changed, but not when the texts of events have.
    pub version: i64,
    /// When it is up to date: until the next scheduled publication, as Unix timestamps.
    pub valid: Range<i64>,
    pub view: Shared<EventView>,
}

/// A venue or organizer that events link to.
pub(crate) struct SharedResource<E: Represented> {
    pub row: Arc<E::Model>,
    pub view: Shared<E::View>,
    /// Whether everybody may see it.
    is_published: bool,
}

impl<E: Represented> Clone for SharedResource<E> {
    fn clone(&self) -> Self {
        Self {
            row: self.row.clone(),
            view: self.view.clone(),
            is_published: self.is_published,
        }
    }
}

/// A table of venues or organizers.
pub(crate) trait ShareableResource: Represented {
    fn cache(views: &SharedViews) -> &ViewCache<SharedResource<Self>>;
    fn represent_one(caller: &Caller, row: Self::Model, images: &Images) -> Self::View;
}

impl ShareableResource for venues::Entity {
    fn cache(views: &SharedViews) -> &ViewCache<SharedResource<Self>> {
        &views.venues
    }

    fn represent_one(caller: &Caller, row: Self::Model, images: &Images) -> Self::View {
        venue::represent(caller, row, images, Detail::Item)
    }
}

impl ShareableResource for organizers::Entity {
    fn cache(views: &SharedViews) -> &ViewCache<SharedResource<Self>> {
        &views.organizers
    }

    fn represent_one(caller: &Caller, row: Self::Model, images: &Images) -> Self::View {
        organizer::represent(caller, row, images, Detail::Item)
    }
}

/// The venues or organizers of several events: some are known, and others have been loaded.
pub(super) struct LinkedResources<E: ShareableResource> {
    known: HashMap<i64, SharedResource<E>>,
    loaded: Vec<Arc<E::Model>>,
    /// Rows of a write, which may be older than the snapshot. Their representations are not kept in memory.
    written: Vec<Arc<E::Model>>,
}

impl<E: ShareableResource> LinkedResources<E> {
    /// Finds those that are in memory. Returns the IDs of those to be loaded, too: not of the rows that a write has returned.
    pub(super) fn known<L: Link<Target = E>>(
        caller: &Caller,
        snapshot: &Snapshot,
        links: &LinkedIds,
        mut written: Vec<Arc<E::Model>>,
    ) -> (Self, Vec<i64>) {
        let cache = E::cache(&caller.almanac.shared_views);
        let (known, missing) = split_known(caller, snapshot, cache, &links.targets::<L>());
        let mut missing: HashSet<i64> = missing.into_iter().collect();
        written.retain(|row| missing.remove(&row.id()));
        let found = Self {
            known,
            loaded: Vec::new(),
            written,
        };
        (found, missing.into_iter().collect())
    }

    /// Adds the rows that have been loaded.
    pub(super) fn with_loaded(self, loaded: Vec<Arc<E::Model>>) -> Self {
        Self { loaded, ..self }
    }

    /// The images that the rows need.
    pub(super) fn image_ids(&self) -> impl Iterator<Item = Option<i64>> {
        self.loaded.iter().chain(&self.written).map(|row| row.image_id())
    }

    /// Those that the caller may see, by ID.
    pub(super) fn represent(
        self,
        caller: &Caller,
        snapshot: &Snapshot,
        images: &Images,
    ) -> Result<HashMap<i64, SharedResource<E>>, Problem> {
        let Self {
            mut known,
            loaded,
            written,
        } = self;
        let now = caller.timestamp();
        let share = |columns: &CommonColumns, row: Arc<E::Model>| {
            Ok::<_, Problem>(SharedResource::<E> {
                view: Shared::new(E::represent_one(caller, E::Model::clone(&row), images))?,
                row,
                is_published: columns.status == Status::Publish && columns.published_at <= now,
            })
        };
        for row in written {
            let columns = row.common_columns();
            known.insert(columns.id, share(&columns, row)?);
        }
        for row in loaded {
            let columns = row.common_columns();
            let shared = share(&columns, row)?;
            // The status of a scheduled object changes without a write.
            if columns.published_at <= now {
                let cache = E::cache(&caller.almanac.shared_views);
                // `KnownRows` counts the memory of the row.
                let bytes = shared.view.bytes();
                cache.insert(snapshot.list_version(), key(caller, columns.id), shared.clone(), bytes);
            }
            known.insert(columns.id, shared);
        }
        let may_see = |row: &E::Model| caller.identity.may_see(&row.common_columns(), now);
        known.retain(|_, shared| shared.is_published || may_see(&shared.row));
        Ok(known)
    }
}

/// A term of events.
pub(crate) struct SharedTerm<E: RepresentedTerm> {
    pub view: Shared<E::View>,
    /// The folded name and the ID, by which the terms of an event are sorted.
    pub sort_key: Arc<(String, i64)>,
    /// When its count is known: until the next scheduled publication, as Unix timestamps.
    valid: Range<i64>,
}

impl<E: RepresentedTerm> Clone for SharedTerm<E> {
    fn clone(&self) -> Self {
        Self {
            view: self.view.clone(),
            sort_key: self.sort_key.clone(),
            valid: self.valid.clone(),
        }
    }
}

/// A table of terms.
pub(crate) trait ShareableTerm: RepresentedTerm {
    fn cache(views: &SharedViews) -> &ViewCache<SharedTerm<Self>>;
}

impl ShareableTerm for category::Entity {
    fn cache(views: &SharedViews) -> &ViewCache<SharedTerm<Self>> {
        &views.categories
    }
}

impl ShareableTerm for tag::Entity {
    fn cache(views: &SharedViews) -> &ViewCache<SharedTerm<Self>> {
        &views.tags
    }
}

/// The terms of events, by ID.
pub(super) async fn terms<E: ShareableTerm>(
    caller: &Caller,
    snapshot: &Snapshot,
    links: &LinkedIds,
) -> Result<HashMap<i64, SharedTerm<E>>, Problem> {
    let now = caller.timestamp();
    let cache = E::cache(&caller.almanac.shared_views);
    let (mut known, mut missing) = split_known(caller, snapshot, cache, &links.targets::<E::Links>());
    known.retain(|id, term: &mut SharedTerm<E>| {
        let is_valid = term.valid.contains(&now);
        missing.extend((!is_valid).then_some(*id));
        is_valid
    });
    let loaded = term_list::with_counts::<E>(snapshot, &missing, now).await?;
    if loaded.is_empty() {
        return Ok(known);
    }
    let until = snapshot.next_publication(now).await;
    for term in loaded {
        let columns = term.row.common_columns();
        let shared = SharedTerm::<E> {
            view: Shared::new(term::represent::<E>(caller, &term))?,
            sort_key: Arc::new((columns.name_key, columns.id)),
            valid: now..until.unwrap_or(now),
        };
        let bytes = shared.view.bytes();
        cache.insert(snapshot.list_version(), key(caller, columns.id), shared.clone(), bytes);
        known.insert(columns.id, shared);
    }
    Ok(known)
}

/// The values that the cache has, and the IDs of the others.
fn split_known<V: Clone>(
    caller: &Caller,
    snapshot: &Snapshot,
    cache: &ViewCache<V>,
    ids: &[i64],
) -> (HashMap<i64, V>, Vec<i64>) {
    let (base, _) = key(caller, 0);
    let keys = ids.iter().map(|id| (base.clone(), *id));
    let (known, missing) = cache.split(snapshot.list_version(), keys);
    let known = known.into_iter().map(|((_, id), value)| (id, value)).collect();
    (known, missing.into_iter().map(|(_, id)| id).collect())
}

pub(super) fn key(caller: &Caller, id: i64) -> (Arc<str>, i64) {
    (caller.address.base.as_str().into(), id)
}

/// The key of a representation that contains words.
pub(super) fn key_in_language(caller: &Caller, id: i64) -> (Arc<str>, i64) {
    (format!("{} {}", caller.address.base, caller.language.tag()).into(), id)
}

/// A representation with its JSON.
#[derive(Debug)]
pub(crate) struct Shared<V>(Arc<WithJson<V>>);

impl<V> Clone for Shared<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
struct WithJson<V> {
    view: V,
    json: Box<RawValue>,
}

impl<V: Serialize> Shared<V> {
    pub(crate) fn new(view: V) -> Result<Self, Problem> {
        let json = serde_json::value::to_raw_value(&view).map_err(Problem::internal)?;
        Ok(Self(Arc::new(WithJson { view, json })))
    }
}

impl<V> Shared<V> {
    /// The approximate size in bytes: the JSON, and the texts of the representation.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<WithJson<V>>() + 2 * self.0.json.get().len()
    }
}

impl<V> Deref for Shared<V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.0.view
    }
}

impl<V> Serialize for Shared<V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(serializer)
    }
}

impl<V: Type> Type for Shared<V> {
    const IS_REQUIRED: bool = V::IS_REQUIRED;
    type RawValueType = V::RawValueType;
    type RawElementValueType = V::RawElementValueType;

    fn name() -> Cow<'static, str> {
        V::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        V::schema_ref()
    }

    fn register(registry: &mut Registry) {
        V::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.deref().as_raw_value()
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        self.deref().raw_element_iter()
    }
}

impl<V: ParseFromJSON + Serialize> ParseFromJSON for Shared<V> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let view = V::parse_from_json(value).map_err(ParseError::propagate)?;
        Self::new(view).map_err(ParseError::custom)
    }
}

impl<V: ToJSON> ToJSON for Shared<V> {
    fn to_json(&self) -> Option<Value> {
        self.deref().to_json()
    }
}
