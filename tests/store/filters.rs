//! A brute-force oracle for lists of events, and random queries.

use std::collections::{HashMap, HashSet};

use almanac::testing::{
    calendar::{
        event_status::EventStatus,
        search::Search,
        status::Status,
        window::{Span, Window},
    },
    store::{
        entity::{category, event, event_category, event_organizer, event_tag, event_venue, venue},
        events::{Direction, EventFilter, EventOrder, EventQuery, GeoBox, GeoCircle, Scope, SortKey},
        links::Link,
        visibility::Visibility,
    },
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use sea_orm::{DatabaseConnection, EntityTrait, ModelTrait, QuerySelect};

use crate::event_rules::{amounts, distance_in_km, is_in, sort_title};

const DAY: i64 = 86_400;

/// All events, with their venues and the IDs of their links.
pub(crate) struct Events {
    rows: Vec<event::Model>,
    venues: HashMap<i64, venue::Model>,
    venue_ids: HashMap<i64, HashSet<i64>>,
    organizer_ids: HashMap<i64, HashSet<i64>>,
    category_ids: HashMap<i64, HashSet<i64>>,
    tag_ids: HashMap<i64, HashSet<i64>>,
}

impl Events {
    pub(crate) async fn load(database: &DatabaseConnection) -> Self {
        let mut rows = event::Entity::find().all(database).await.expect("events");
        rows.sort_by_key(|row| (row.starts_at, row.id));
        let venues = venue::Entity::find().all(database).await.expect("venues");
        Self {
            rows,
            venues: venues.into_iter().map(|row| (row.id, row)).collect(),
            venue_ids: links::<event_venue::Entity>(database).await,
            organizer_ids: links::<event_organizer::Entity>(database).await,
            category_ids: with_ancestors(database, links::<event_category::Entity>(database).await).await,
            tag_ids: links::<event_tag::Entity>(database).await,
        }
    }

    /// The IDs of all events that match the query, by start.
    pub(crate) fn ids_by_start(&self, query: &EventQuery) -> Vec<i64> {
        self.matching(query).into_iter().map(|row| row.id).collect()
    }

    /// The IDs of all events that match the query, in its order.
    pub(crate) fn ids(&self, query: &EventQuery) -> Vec<i64> {
        let EventOrder { key, direction } = query.order;
        let mut rows = self.matching(query);
        match key {
            SortKey::Start => {}
            SortKey::Title => rows.sort_by_cached_key(|row| sort_title(&row.title)),
            SortKey::Modified => rows.sort_by_key(|row| (row.modified_at, row.id)),
            SortKey::Distance(circle) => {
                let distance = |row: &event::Model| self.distance(row.id, circle, query.visibility.now);
                rows.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
            }
        }
        if direction == Direction::Backward {
            rows.reverse();
        }
        rows.into_iter().map(|row| row.id).collect()
    }

    fn matching(&self, query: &EventQuery) -> Vec<&event::Model> {
        self.rows.iter().filter(|row| self.matches(query, row)).collect()
    }

    fn matches(&self, query: &EventQuery, row: &event::Model) -> bool {
        let visibility = &query.visibility;
        is_visible(visibility, &row.status, row.published_at, row.author_id)
            && match &query.scope {
                Scope::Ids(ids) => ids.contains(&row.id),
                Scope::Listed(window) => {
                    !row.hide_from_listings
                        && window.starts.contains(row.starts_at)
                        && window.ends.contains(row.ends_at)
                }
            }
            && query
                .filters
                .iter()
                .all(|filter| self.matches_filter(filter, row, visibility.now))
    }

    fn matches_filter(&self, filter: &EventFilter, row: &event::Model, now: i64) -> bool {
        let links_to = |links: &HashMap<i64, HashSet<i64>>, ids: &[i64]| {
            let links = links.get(&row.id);
            links.is_some_and(|links| ids.iter().any(|id| links.contains(id)))
        };
        match filter {
            EventFilter::Featured(expected) => row.featured == *expected,
            EventFilter::Ticketed(expected) => row.ticketed == *expected,
            EventFilter::Located(expected) => self.is_located(row.id, now) == *expected,
            EventFilter::Search(search) => {
                search.included.iter().all(|term| row.search_text.contains(term))
                    && !search.excluded.iter().any(|term| row.search_text.contains(term))
            }
            EventFilter::Categories(ids) => links_to(&self.category_ids, ids),
            EventFilter::Tags(ids) => links_to(&self.tag_ids, ids),
            EventFilter::Venues(ids) => links_to(&self.venue_ids, ids),
            EventFilter::Organizers(ids) => links_to(&self.organizer_ids, ids),
            EventFilter::Near(circle) => self.distance(row.id, *circle, now) <= circle.radius_in_km,
            EventFilter::InBox(area) => self.coordinates(row.id, now).any(|venue| is_in(*area, venue)),
            EventFilter::Authors(ids) => row.author_id.is_some_and(|author| ids.contains(&author)),
            EventFilter::EventStatuses(statuses) => {
                let mut names = statuses.iter().map(|status| status.as_str());
                names.any(|name| name == row.event_status)
            }
            EventFilter::Series(ids) => row.series_id.is_some_and(|series| ids.contains(&series)),
            EventFilter::External { source, id } => {
                row.external_source.as_ref() == Some(source)
                    && id.as_ref().is_none_or(|id| row.external_id.as_ref() == Some(id))
            }
            EventFilter::NextOfSeries(visibility, scope) => {
                let query = EventQuery {
                    visibility: visibility.clone(),
                    scope: scope.clone(),
                    filters: Vec::new(),
                    order: EventOrder::default(),
                };
                let is_earlier = |other: &&event::Model| {
                    other.series_id == row.series_id
                        && (other.starts_at, other.id) < (row.starts_at, row.id)
                        && self.matches(&query, other)
                };
                row.series_id.is_none() || !self.rows.iter().any(|other| is_earlier(&other))
            }
            EventFilter::Free(true) => amounts(&row.cost).is_some_and(|(_, most)| most == 0),
            EventFilter::Free(false) => amounts(&row.cost).is_some_and(|(_, most)| most > 0),
            EventFilter::CostFrom(from) => amounts(&row.cost).is_some_and(|(_, most)| most >= *from),
            EventFilter::CostTo(to) => amounts(&row.cost).is_some_and(|(least, _)| least <= *to),
            EventFilter::Modified(span) => span.contains(row.modified_at),
            EventFilter::Equals(column, value) => row.get(*column) == *value,
        }
    }

    fn is_located(&self, event: i64, now: i64) -> bool {
        self.coordinates(event, now).next().is_some()
    }

    /// The kilometres from the centre of the circle to the nearest venue, infinite without one.
    fn distance(&self, event: i64, circle: GeoCircle, now: i64) -> f64 {
        let center = (circle.latitude, circle.longitude);
        self.coordinates(event, now)
            .map(|venue| distance_in_km(center, venue))
            .fold(f64::INFINITY, f64::min)
    }

    /// The coordinates of the published venues of an event.
    fn coordinates(&self, event: i64, now: i64) -> impl Iterator<Item = (f64, f64)> {
        let venues = self.venue_ids.get(&event).into_iter().flatten();
        venues
            .map(|id| &self.venues[id])
            .filter(move |venue| venue.status == "publish" && venue.published_at <= now)
            .filter_map(|venue| venue.geo_lat.zip(venue.geo_lng))
    }

    pub(crate) fn random_query(&self, rng: &mut StdRng, now: i64) -> EventQuery {
        let mut query = EventQuery::published(random_window(rng, now), now);
        query.visibility = random_visibility(rng, now);
        let mut flag = || [None, Some(true), Some(false)][rng.random_range(0..3) * rng.random_range(0..2)];
        let flags = [
            flag().map(EventFilter::Featured),
            flag().map(EventFilter::Ticketed),
            flag().map(EventFilter::Located),
        ];
        query.filters.extend(flags.into_iter().flatten());
        // Half of the queries have no other filter.
        for _ in 0..rng.random_range(0..2) * rng.random_range(1..3) {
            let filter = match rng.random_range(0..21) {
                0 => Some(EventFilter::Venues(random_targets(rng, &self.venue_ids))),
                1 => Some(EventFilter::Organizers(random_targets(rng, &self.organizer_ids))),
                2 | 3 => Some(EventFilter::Categories(random_targets(rng, &self.category_ids))),
                4 => Some(EventFilter::Tags(random_targets(rng, &self.tag_ids))),
                5 => Some(EventFilter::Search(self.random_search(rng))),
                6 => {
                    query.scope = Scope::Ids((0..50).map(|_| rng.random_range(1..4000)).collect());
                    None
                }
                7 | 8 => self.random_circle(rng).map(EventFilter::Near),
                9 => self.random_box(rng).map(EventFilter::InBox),
                10 => Some(EventFilter::Authors(vec![rng.random_range(1..4), 2])),
                11 => Some(EventFilter::EventStatuses(random_statuses(rng))),
                12 => Some(EventFilter::Free(rng.random_bool(0.5))),
                13 => Some(EventFilter::CostFrom(rng.random_range(0..4_000))),
                14 => Some(EventFilter::CostTo(rng.random_range(0..4_000))),
                15 => Some(EventFilter::Modified(self.random_modification(rng))),
                18 => Some(EventFilter::Series(vec![rng.random_range(1..8), 3])),
                19 => {
                    let (visibility, scope) = (query.visibility.clone(), query.scope.clone());
                    Some(EventFilter::NextOfSeries(visibility, scope))
                }
                20 => Some(EventFilter::External {
                    source: "league".to_owned(),
                    id: rng.random_bool(0.5).then(|| rng.random_range(1..3000).to_string()),
                }),
                16 => {
                    let key = self.rows.choose(rng).and_then(|row| row.title_key.clone());
                    key.map(|key| EventFilter::Equals(event::Column::TitleKey, key.into()))
                }
                _ => {
                    let row = self.rows.choose(rng);
                    let parent = row.and_then(|row| row.post_parent);
                    parent.map(|id| EventFilter::Equals(event::Column::PostParent, id.into()))
                }
            };
            query.filters.extend(filter);
        }
        query.order = self.random_order(rng, &mut query.filters);
        query
    }

    /// An order. Half of the queries are ordered by start.
    fn random_order(&self, rng: &mut StdRng, filters: &mut Vec<EventFilter>) -> EventOrder {
        let key = match rng.random_range(0..6) {
            0 => SortKey::Title,
            1 => SortKey::Modified,
            2 => match self.random_circle(rng) {
                Some(circle) => {
                    filters.push(EventFilter::Near(circle));
                    SortKey::Distance(circle)
                }
                None => SortKey::Start,
            },
            _ => SortKey::Start,
        };
        let direction = [Direction::Forward, Direction::Backward][rng.random_range(0..2)];
        EventOrder { key, direction }
    }

    fn random_modification(&self, rng: &mut StdRng) -> Span {
        let mut bound = || {
            let row = self.rows.choose(rng).expect("an event");
            rng.random_bool(0.7).then_some(row.modified_at)
        };
        Span {
            from: bound(),
            before: bound(),
        }
    }

    /// A circle or a box, unless a venue without coordinates was chosen.
    pub(crate) fn random_area(&self, rng: &mut StdRng) -> Option<EventFilter> {
        match rng.random_bool(0.5) {
            true => self.random_circle(rng).map(EventFilter::Near),
            false => self.random_box(rng).map(EventFilter::InBox),
        }
    }

    /// A box with opposite corners at two venues. It may cross the 180th meridian.
    fn random_box(&self, rng: &mut StdRng) -> Option<GeoBox> {
        let (one, other) = (self.random_circle(rng)?, self.random_circle(rng)?);
        Some(GeoBox {
            west: one.longitude,
            south: one.latitude.min(other.latitude),
            east: other.longitude,
            north: one.latitude.max(other.latitude),
        })
    }

    /// A circle around a venue. It contains few to most of the events.
    fn random_circle(&self, rng: &mut StdRng) -> Option<GeoCircle> {
        let mut ids: Vec<&i64> = self.venues.keys().collect();
        ids.sort_unstable();
        let venue = &self.venues[*ids.choose(rng)?];
        let (latitude, longitude) = venue.geo_lat.zip(venue.geo_lng)?;
        Some(GeoCircle {
            latitude,
            longitude,
            radius_in_km: [0.5, 3.0, 25.0][rng.random_range(0..3)],
        })
    }

    fn random_search(&self, rng: &mut StdRng) -> Search {
        let mut terms = |max: usize| -> Vec<String> {
            let text = &self.rows.choose(rng).expect("an event").search_text;
            let words: Vec<&str> = text.split(' ').collect();
            let length = rng.random_range(1..3);
            let phrases: Vec<&[&str]> = words.windows(length).collect();
            (0..rng.random_range(0..=max))
                .map(|_| phrases.choose(rng).expect("a phrase").join(" "))
                .collect()
        };
        Search {
            included: terms(2),
            excluded: terms(2),
        }
    }
}

fn random_statuses(rng: &mut StdRng) -> Vec<EventStatus> {
    let number = rng.random_range(1..3);
    (0..number)
        .filter_map(|_| EventStatus::ALL.choose(rng).copied())
        .collect()
}

/// Adds the ancestors of the categories of each event.
async fn with_ancestors(
    database: &DatabaseConnection,
    mut links: HashMap<i64, HashSet<i64>>,
) -> HashMap<i64, HashSet<i64>> {
    let rows = category::Entity::find().all(database).await;
    let rows = rows.expect("categories").into_iter();
    let parents: HashMap<i64, i64> = rows.map(|row| (row.id, row.parent)).collect();
    for categories in links.values_mut() {
        for mut category in categories.clone() {
            while let Some(parent) = parents.get(&category).filter(|parent| **parent != 0) {
                category = *parent;
                categories.insert(category);
            }
        }
    }
    links
}

async fn links<L: Link>(database: &DatabaseConnection) -> HashMap<i64, HashSet<i64>> {
    let pairs: Vec<(i64, i64)> = L::find()
        .select_only()
        .column(L::EVENT_ID)
        .column(L::TARGET_ID)
        .into_tuple()
        .all(database)
        .await
        .expect("links");
    let mut links: HashMap<i64, HashSet<i64>> = HashMap::new();
    for (event, target) in pairs {
        links.entry(event).or_default().insert(target);
    }
    links
}

fn is_visible(visibility: &Visibility, stored: &str, published_at: i64, author: Option<i64>) -> bool {
    let status = match stored {
        "publish" if published_at > visibility.now => Status::Future,
        other => other.parse().expect("a status"),
    };
    let is_public = status == Status::Publish;
    let is_own = |own: i64| author == Some(own);
    visibility.statuses.contains(&status) && (is_public || visibility.unpublished_of.is_none_or(is_own))
}

fn random_visibility(rng: &mut StdRng, now: i64) -> Visibility {
    let all = [
        Status::Draft,
        Status::Pending,
        Status::Private,
        Status::Future,
        Status::Trash,
    ];
    let mut visibility = Visibility::published(now);
    match rng.random_range(0..10) {
        0 => visibility.statuses = all.to_vec(),
        1 => visibility.statuses.extend(all),
        2 => visibility.statuses = vec![*all.choose(rng).expect("a status")],
        3 => {
            visibility.statuses.extend(all);
            visibility.unpublished_of = Some(rng.random_range(1..3));
        }
        _ => {}
    }
    visibility
}

fn random_window(rng: &mut StdRng, now: i64) -> Window {
    let mut random_instant = |open: u32| {
        let days = [2000, 400, 20, 1][rng.random_range(0..4)];
        let instant = now + rng.random_range(-days * DAY..days * DAY);
        (rng.random_range(0..10) >= open).then_some(instant)
    };
    Window {
        starts: Span {
            from: random_instant(4),
            before: random_instant(6),
        },
        ends: Span {
            from: random_instant(7),
            before: random_instant(4),
        },
    }
}

fn random_targets(rng: &mut StdRng, links: &HashMap<i64, HashSet<i64>>) -> Vec<i64> {
    let mut all: Vec<i64> = links.values().flatten().copied().collect();
    all.sort_unstable();
    let mut some: Vec<i64> = (0..rng.random_range(1..4))
        .filter_map(|_| all.choose(rng).copied())
        .collect();
    some.dedup();
    some
}
