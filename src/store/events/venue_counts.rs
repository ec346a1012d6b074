//! The numbers of the events of a list at each venue, in memory, until the data change. They count the events in any area,
//! and tell how far away the nearest ones are.
//!
//! An area may have most of the events, so that a statement that counts them takes milliseconds. A map that is moved
//! requests one area after the other with the same filters.

use std::sync::Arc;

use sea_orm::{
    DbErr,
    sea_query::{Expr, ExprTrait, Order, SelectStatement},
};

use super::{
    Direction, GeoCircle,
    event_table::EventTable,
    geo::VenueArea,
    mapped_venues::{KnownVenues, MappedVenue},
};
use crate::{
    calendar::geo::distance_km,
    store::{
        ListVersion, count,
        entity::event_venue,
        known_results::{self, KnownResults},
        read_connection::ReadConnection,
        versioned_cache::VersionedCache,
    },
};

/// Reading the numbers at all venues costs as much as counting the events in this many areas.
const AREAS_COUNTED_BEFORE: u32 = 3;
/// The maximum number of links of events that have several venues.
const MAX_SHARED_LINKS: usize = 10_000;

/// The size of the numbers that are in memory, in bytes, with the positions of the venues.
const BYTES: u64 = 16 * 1024 * 1024;
/// The expected size of the numbers of one list.
const BYTES_PER_LIST: u64 = 512 * 1024;

/// The numbers that are in memory.
#[derive(Debug)]
pub(in crate::store) struct KnownVenueCounts {
    /// The state of each list. The key is that of the statement that counts the events of the list at each venue.
    lists: VersionedCache<String, ListState>,
    venues: KnownVenues,
}

/// How the events of a list are counted.
#[derive(Clone)]
enum ListState {
    /// By statements, which have counted the events in this many areas.
    AreasCounted(u32),
    /// By the numbers at each venue.
    Numbers(Arc<VenueCounts>),
    /// By statements, because there are too many venues, or events with several venues.
    TooMany,
}

impl Default for KnownVenueCounts {
    fn default() -> Self {
        Self {
            lists: VersionedCache::for_entries_of(BYTES_PER_LIST, BYTES),
            venues: KnownVenues::default(),
        }
    }
}

/// Counts the events of a list in an area. `links` selects, without columns, the links of these events to venues, in this
/// area and others. It must not depend on the texts of events.
///
/// Returns `None` if a statement must count them, because the numbers at each venue are not in memory. They are read after
/// some areas of the list, since each write invalidates them.
pub(super) async fn total(
    database: &impl ReadConnection,
    links: &SelectStatement,
    area: VenueArea,
) -> Result<Option<u64>, DbErr> {
    let Some((known, version)) = database.known_results() else {
        return Ok(None);
    };
    let numbers = numbers(links);
    let key = known_results::key(&database.backend().build(&numbers));
    let found = known.at_venues.lists.get(Some(version), &key);
    let found = match found.unwrap_or(ListState::AreasCounted(0)) {
        ListState::AreasCounted(areas) if areas < AREAS_COUNTED_BEFORE => ListState::AreasCounted(areas + 1),
        ListState::AreasCounted(_) => match VenueCounts::read(database, known, version, links, &numbers, area).await? {
            Some(counts) => ListState::Numbers(Arc::new(counts)),
            None => ListState::TooMany,
        },
        ListState::Numbers(counts) => return Ok(Some(counts.total(area))),
        ListState::TooMany => return Ok(None),
    };
    let total = match &found {
        ListState::Numbers(counts) => Some(counts.total(area)),
        ListState::AreasCounted(_) | ListState::TooMany => None,
    };
    let bytes = key.len() + found.bytes();
    known.at_venues.lists.insert(Some(version), key, found, bytes);
    Ok(total)
}

/// The distance in kilometres of the last of the first `events` of a list in a circle, sorted by distance. None if the
/// numbers at each venue are not in memory. `links` is the same as for [`total`].
pub(super) fn distance_of(
    database: &impl ReadConnection,
    links: &SelectStatement,
    circle: GeoCircle,
    direction: Direction,
    events: u64,
) -> Option<f64> {
    let (known, version) = database.known_results()?;
    let key = known_results::key(&database.backend().build(&numbers(links)));
    match known.at_venues.lists.get(Some(version), &key)? {
        ListState::Numbers(counts) => counts.distance_of(circle, direction, events),
        ListState::AreasCounted(_) | ListState::TooMany => None,
    }
}

/// Selects the IDs of venues and the numbers of the links to them.
fn numbers(links: &SelectStatement) -> SelectStatement {
    let mut links = links.clone();
    links.column("target_id").expr(count::rows()).group_by_col("target_id");
    links
}

impl ListState {
    fn bytes(&self) -> usize {
        match self {
            Self::Numbers(counts) => {
                size_of_val(&counts.numbers[..]) + size_of_val(&counts.shared[..]) + size_of_val(&counts.venues[..])
            }
            Self::AreasCounted(_) | Self::TooMany => 0,
        }
    }
}

/// The numbers of the events of a list at each venue with coordinates.
#[derive(Debug)]
struct VenueCounts {
    venues: Arc<[MappedVenue]>,
    /// The indexes of venues, and the numbers of their events.
    numbers: Vec<(usize, u32)>,
    /// The links of the events that have several, as pairs of the event's ID and the index of the venue, by event.
    shared: Vec<(i64, usize)>,
}

impl VenueCounts {
    /// Reads the numbers. None if there are too many.
    async fn read(
        database: &impl ReadConnection,
        known: &KnownResults,
        version: ListVersion,
        links: &SelectStatement,
        numbers: &SelectStatement,
        area: VenueArea,
    ) -> Result<Option<Self>, DbErr> {
        let venues = known.at_venues.venues.read(database, version, area.now).await?;
        let Some(venues) = venues else {
            return Ok(None);
        };
        let shared: Vec<[i64; 2]> = database.rows(&shared_links(links)).await?;
        if shared.len() > MAX_SHARED_LINKS {
            return Ok(None);
        }
        let numbers: Vec<[i64; 2]> = database.rows(numbers).await?;
        // Venues without coordinates are in no area.
        let index = |id: i64| venues.binary_search_by_key(&id, |venue| venue.id).ok();
        let numbers = numbers
            .into_iter()
            .filter_map(|[venue, number]| Some((index(venue)?, u32::try_from(number).ok()?)))
            .collect();
        let shared = shared
            .into_iter()
            .filter_map(|[event, venue]| Some((event, index(venue)?)))
            .collect();
        Ok(Some(Self {
            venues,
            numbers,
            shared,
        }))
    }

    /// The number of events in an area: the links to its venues, minus those that repeat an event.
    fn total(&self, area: VenueArea) -> u64 {
        let is_in_area = area.area.test();
        let is_inside: Vec<bool> = self.venues.iter().map(|venue| is_in_area(&venue.position)).collect();
        let linked: u64 = self
            .numbers
            .iter()
            .filter(|(venue, _)| is_inside[*venue])
            .map(|(_, number)| u64::from(*number))
            .sum();
        let links_of_each = self.shared.chunk_by(|(one, _), (other, _)| one == other);
        let repeated: usize = links_of_each
            .map(|links| links.iter().filter(|(_, venue)| is_inside[*venue]).count())
            .map(|inside| inside.saturating_sub(1))
            .sum();
        // If the data change between the two statements, the read is repeated.
        linked.saturating_sub(repeated as u64)
    }

    /// The distance of the venue of the last of the first `events` in the circle. Events with several venues may be
    /// counted at each of them, so that there may be fewer.
    fn distance_of(&self, circle: GeoCircle, direction: Direction, events: u64) -> Option<f64> {
        let (is_in_circle, cosine) = (circle.test(), circle.cosine());
        let inside = self.numbers.iter().filter_map(|(venue, number)| {
            let position = &self.venues[*venue].position;
            is_in_circle(position).then(|| (cosine(position), u64::from(*number)))
        });
        let mut inside: Vec<(f64, u64)> = inside.collect();
        inside.sort_unstable_by(|(one, _), (other, _)| match direction {
            Direction::Forward => other.total_cmp(one),
            Direction::Backward => one.total_cmp(other),
        });
        let mut found = 0;
        let last = inside.iter().find(|(_, number)| {
            found += number;
            found >= events
        });
        last.map(|(cosine, _)| distance_km(*cosine))
    }
}

/// Selects the links of those events that have several as pairs of the event's and the venue's ID, by event.
fn shared_links(links: &SelectStatement) -> SelectStatement {
    let all = EventTable::links::<event_venue::Entity>().aliased("other");
    // Must be a literal to match the partial index's predicate.
    let further = links
        .clone()
        .column("event_id")
        .and_where(Expr::cust("position > 0"))
        .to_owned();
    all.select(all.id().in_subquery(further).into())
        .expr(all.id())
        .expr(all.column("target_id"))
        .order_by_expr(all.id(), Order::Asc)
        .limit(MAX_SHARED_LINKS as u64 + 1)
        .to_owned()
}
