//! Lists of events.
//!
//! A list that is narrowed to nothing but dates and traits is read from the whole calendar, whose totals are sums
//! that are kept ([`whole`]). Any other starts from the links to what it is narrowed to, or from the events
//! themselves, and tests what is left ([`narrowed`]), but for what may have most of the calendar ([`around`]).

mod event_table;
mod filtered;
mod geo;
mod geo_list;
mod time_buckets;
mod unfiltered;

use std::borrow::Cow;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, Order, SelectStatement},
};

use super::{
    Page, PageRequest,
    entity::event::{self, Column, Entity},
    visibility::Visibility,
};
use crate::calendar::{search::Search, window::Window};

/// Around where a venue has to be.
#[derive(Clone, Copy, Debug)]
pub struct GeoCircle {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    pub radius_in_km: f64,
}

/// What a list of events is narrowed to. Filters combine with AND; the values of one with OR.
#[derive(Clone, Debug)]
pub struct EventFilter {
    pub visibility: Visibility,
    /// Not looked at where `include` is given.
    pub window: Window,
    pub flags: EventFlags,
    pub include: Option<Vec<i64>>,
    /// What the text must and must not contain.
    pub search: Search,
    /// These, and all that lie below them.
    pub categories: Option<Vec<i64>>,
    pub tags: Option<Vec<i64>>,
    pub venues: Option<Vec<i64>>,
    pub organizers: Option<Vec<i64>>,
    /// Whether it has a venue with coordinates that all readers see: as [`EventFlags::located`], which is faster,
    /// but for venues that are planned.
    pub mapped: Option<bool>,
    pub near: Option<GeoCircle>,
    pub post_parent: Option<i64>,
}

/// What an event is or is not.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFlags {
    pub featured: Option<bool>,
    pub ticketed: Option<bool>,
    /// Whether it has a published venue with coordinates, be it that its publication is still to come.
    pub located: Option<bool>,
}

impl EventFilter {
    /// Everything in the window that anybody may see.
    pub fn published(window: Window, now: i64) -> Self {
        Self {
            visibility: Visibility::published(now),
            window,
            flags: EventFlags::default(),
            include: None,
            search: Search::default(),
            categories: None,
            tags: None,
            venues: None,
            organizers: None,
            mapped: None,
            near: None,
            post_parent: None,
        }
    }

    /// The same, with a look at the venues of each event.
    fn by_every_venue(&self) -> Self {
        let mut filter = self.clone();
        filter.mapped = filter.flags.located.take();
        filter
    }
}

/// One page of events by their start, then by ID.
pub async fn list(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    request: PageRequest,
) -> Result<Page<event::Model>, DbErr> {
    let filter = &*answerable(database, filter).await?;
    let (total, ids) = if unfiltered::suffices(filter) {
        unfiltered::page(database, filter, request).await?
    } else if let Some(place) = geo_list::place(filter) {
        geo_list::page(database, filter, place, request).await?
    } else {
        filtered::page(database, filter, request).await?
    };
    let rows = Entity::find()
        .filter(match ids {
            Ids::Of(ids) if ids.is_empty() => return Ok(Page::empty(total, request)),
            Ids::Of(ids) => Column::Id.is_in(ids),
            Ids::SelectedBy(select) => Column::Id.in_subquery(*select),
        })
        .order_by_asc(Column::StartsAt)
        .order_by_asc(Column::Id)
        .all(database)
        .await?;
    Ok(Page { rows, total, request })
}

/// From which end a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

impl Direction {
    fn order(self) -> Order {
        match self {
            Self::Forward => Order::Asc,
            Self::Backward => Order::Desc,
        }
    }
}

/// The IDs of the first events of a list from either end. The others are not counted.
pub async fn first_ids(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    direction: Direction,
    limit: u64,
) -> Result<Vec<i64>, DbErr> {
    let filter = answerable(database, filter).await?;
    filtered::first_ids(database, &filter, direction, limit).await
}

/// The filter as what is kept of events can answer it.
async fn answerable<'filter>(
    database: &impl ConnectionTrait,
    filter: &'filter EventFilter,
) -> Result<Cow<'filter, EventFilter>, DbErr> {
    let is_by_place = filter.flags.located.is_some();
    match is_by_place && geo::are_planned(database, filter.visibility.now).await? {
        true => Ok(Cow::Owned(filter.by_every_venue())),
        false => Ok(Cow::Borrowed(filter)),
    }
}

/// How many events a list of the whole calendar has, as an expression: one that is narrowed to nothing but dates
/// and traits.
pub fn total(filter: &EventFilter) -> Expr {
    unfiltered::total(filter)
}

/// How many events a list has on all pages, and those of the page that is asked for.
type Found = (u64, Ids);

/// The IDs of the events of a page.
enum Ids {
    Of(Vec<i64>),
    SelectedBy(Box<SelectStatement>),
}
