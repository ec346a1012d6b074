//! Lists of events.
//!
//! The module `filter` defines what each filter means, and `plan` chooses how to read a list:
//! - `unfiltered`: with flags at most, counted by the time buckets;
//! - `geo_list`: the same at venues in an area;
//! - `filtered`: otherwise, from the most selective link table or from the events.
//!
//! They list events by start. `sorted` and `by_distance` list them in other orders.

mod by_distance;
mod event_table;
mod filter;
mod filtered;
mod geo;
mod geo_list;
mod link_filter;
mod mapped_venues;
mod next_of_series;
mod order;
mod outline;
mod plan;
mod position;
mod selectivity;
mod sorted;
mod time_buckets;
mod unfiltered;
mod venue_counts;

use std::collections::HashMap;

use futures_util::future::try_join;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, SelectStatement},
};

pub(crate) use self::outline::{Outline, newest, outline};
use self::plan::{Plan, ResolvedQuery};
pub(super) use self::{event_table::in_span, venue_counts::KnownVenueCounts};
pub use self::{
    filter::{EventFilter, GeoBox, GeoCircle, invalidates_all_lists},
    order::{Direction, EventOrder, SortKey},
};
use super::{
    EventDependencies, Page, PageRequest,
    entity::event::{Column, Entity},
    id_lists::padded,
    literal_limits,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    visibility::Visibility,
};
use crate::calendar::window::Window;

/// Selects the events of a list.
#[derive(Clone, Debug)]
pub struct EventQuery {
    /// Which events the reader may see.
    pub visibility: Visibility,
    /// The events that `filters` apply to.
    pub scope: Scope,
    /// Combined with AND.
    pub filters: Vec<EventFilter>,
    /// The order of pages.
    pub order: EventOrder,
}

/// The events that filters apply to.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Listed events that start and end in the window.
    Listed(Window),
    /// Events with these IDs, listed or not.
    Ids(Vec<i64>),
}

impl EventQuery {
    /// Published, listed events in the window. `now` is in seconds since 1970 UTC.
    pub fn published(window: Window, now: i64) -> Self {
        Self {
            visibility: Visibility::published(now),
            scope: Scope::Listed(window),
            filters: Vec::new(),
            order: EventOrder::default(),
        }
    }

    /// Adds a filter.
    #[must_use]
    pub fn with(mut self, filter: EventFilter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Returns the events on whose texts a page of the list depends: those of its rows, or all if a filter or the order
    /// reads the texts of events.
    pub fn dependencies(&self, rows: &[ListedEvent]) -> EventDependencies {
        let now = self.visibility.now;
        let mut predicates = self.filters.iter().map(|filter| filter.predicate(now));
        match self.order.depends_on_texts() || predicates.any(|predicate| predicate.depends_on_texts()) {
            true => EventDependencies::All,
            false => EventDependencies::Of(rows.iter().map(|row| row.id).collect()),
        }
    }
}

/// An event of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedEvent {
    /// The ID of the event.
    pub id: i64,
    /// Incremented by each write.
    pub version: i64,
    /// The first second, in seconds since 1970 UTC.
    pub starts_at: i64,
    /// The last second, in seconds since 1970 UTC.
    pub ends_at: i64,
}

impl FromRow for ListedEvent {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let [id, version, starts_at, ends_at] = <[i64; 4]>::from_row(row)?;
        Ok(Self {
            id,
            version,
            starts_at,
            ends_at,
        })
    }
}

/// Reads one page of events.
pub async fn list(
    database: &impl ReadConnection,
    query: &EventQuery,
    request: PageRequest,
) -> Result<Page<ListedEvent>, DbErr> {
    let EventOrder { key, direction } = query.order;
    let mut query = query.clone();
    query.visibility.now = database.same_publications_since(query.visibility.now);
    let query = &ResolvedQuery::new(database, &query).await?;
    let (total, ids) = match key {
        SortKey::Start => by_start(database, query, direction, request).await?,
        SortKey::Title => sorted::page(database, query, sorted::BY_TITLE, direction, request).await?,
        SortKey::Modified => sorted::page(database, query, sorted::BY_MODIFICATION, direction, request).await?,
        SortKey::Distance(circle) => by_distance::page(database, query, circle, direction, request).await?,
    };
    // PostgreSQL runs both at the same time, on connections of their own.
    let (total, rows) = try_join(total.read(database), rows(database, query, ids, direction)).await?;
    Ok(Page { rows, total, request })
}

/// Reads the events of a page.
async fn rows(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    ids: EventIds,
    direction: Direction,
) -> Result<Vec<ListedEvent>, DbErr> {
    match ids {
        EventIds::List(ids) => listed(database, &ids).await,
        EventIds::Subquery(select) => {
            let events = select_listed()
                .filter(Column::Id.in_subquery(*select))
                .order_by(Column::StartsAt, direction.order())
                .order_by(Column::Id, direction.order())
                .into_query();
            let backend = database.backend();
            let statement = match query.plan() {
                Plan::Unfiltered(_) => literal_limits::build(backend, &events),
                Plan::GeoList(..) | Plan::Filtered => backend.build(&events),
            };
            database.rows_of(statement).await
        }
    }
}

/// Reads the events with these IDs, in the order of the IDs. Those that do not exist are missing.
pub(crate) async fn listed(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<ListedEvent>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let events = select_listed().filter(Column::Id.is_in(padded(ids)));
    let mut rows: Vec<ListedEvent> = database.rows(&events.into_query()).await?;
    let positions: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
    rows.sort_by_key(|row| positions.get(&row.id));
    Ok(rows)
}

fn select_listed() -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::Version, Column::StartsAt, Column::EndsAt])
}

async fn by_start(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    match query.plan() {
        Plan::Unfiltered(window) => unfiltered::page(database, query, window, direction, request).await,
        Plan::GeoList(window, area) => geo_list::page(database, query, window, area, direction, request).await,
        Plan::Filtered => filtered::page(database, query, direction, request).await,
    }
}

/// Reads the IDs of the first events of a list by start from either end, without the total.
pub async fn first_ids(
    database: &impl ReadConnection,
    query: &EventQuery,
    direction: Direction,
    limit: u64,
) -> Result<Vec<i64>, DbErr> {
    let query = ResolvedQuery::new(database, query).await?;
    filtered::first_ids(database, &query, direction, limit).await
}

/// Returns an expression for the number of published, listed events. `now` is in seconds since 1970 UTC.
pub(crate) fn published_total(now: i64) -> Expr {
    let window = Window::default();
    let (visibility, scope) = (Visibility::published(now), Scope::Listed(window));
    unfiltered::total(&ResolvedQuery::unfiltered(&visibility, &scope), window)
}

/// The total number of events in the list, and the IDs of the page.
type IdPage = (Total, EventIds);

/// The total number of events in a list.
enum Total {
    Known(u64),
    /// The page does not depend on it.
    Unread(Box<unfiltered::Counts>),
}

impl Total {
    async fn read(self, database: &impl ReadConnection) -> Result<u64, DbErr> {
        match self {
            Self::Known(total) => Ok(total),
            Self::Unread(counts) => counts
                .read(database)
                .await
                .map(|(ongoing, starting)| ongoing + starting),
        }
    }
}

/// The IDs of a page.
enum EventIds {
    /// In the order of the list.
    List(Vec<i64>),
    /// Of a list by start, in no particular order.
    Subquery(Box<SelectStatement>),
}
