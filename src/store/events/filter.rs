//! The filters of lists of events, and their predicates.

use sea_orm::{ColumnTrait, Condition, Value, sea_query::Expr};

use super::{
    Scope,
    event_table::EventTable,
    geo::{GeoArea, VenueArea},
    link_filter::LinkFilter,
    next_of_series::next_of_series,
};
use crate::{
    calendar::{event_status::EventStatus, search::Search, window::Span},
    store::{
        entity::{event::Column, event_organizer, event_tag, event_venue},
        visibility::Visibility,
    },
};

/// A filter of a list of events. The IDs of one filter combine with OR.
#[derive(Clone, Debug)]
pub enum EventFilter {
    /// Whether the event is featured.
    Featured(bool),
    /// Whether the event has tickets.
    Ticketed(bool),
    /// Whether the event has a published venue with coordinates.
    Located(bool),
    /// Substrings that the text must and must not contain.
    Search(Search),
    /// IDs of categories. The event is in one of them or of their descendants.
    Categories(Vec<i64>),
    /// IDs of tags. The event has one of them.
    Tags(Vec<i64>),
    /// IDs of venues. The event takes place at one of them.
    Venues(Vec<i64>),
    /// IDs of organizers. The event is organized by one of them.
    Organizers(Vec<i64>),
    /// The event has a published venue in the circle.
    Near(GeoCircle),
    /// The event has a published venue in the box.
    InBox(GeoBox),
    /// IDs of users. One of them is the author of the event.
    Authors(Vec<i64>),
    /// The event has one of these statuses.
    EventStatuses(Vec<EventStatus>),
    /// Whether all amounts of the cost are 0. Matches no event whose cost has no amount.
    Free(bool),
    /// The highest amount of the cost is this many hundredths or more.
    CostFrom(i64),
    /// The lowest amount of the cost is this many hundredths or less.
    CostTo(i64),
    /// IDs of series. The event is in one of them.
    Series(Vec<i64>),
    /// The event is the first one of its series that a list with this visibility and scope contains, or is in no series.
    NextOfSeries(Visibility, Scope),
    /// The range of the last write.
    Modified(Span),
    /// The event has an ID in another system: any, or this one.
    External {
        /// The name of the other system.
        source: String,
        /// The ID there. None for any.
        id: Option<String>,
    },
    /// The column equals the value.
    Equals(Column, Value),
}

/// The points within a distance of a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoCircle {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// The radius, along the surface.
    pub radius_in_km: f64,
}

/// The points between two meridians and two parallels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoBox {
    /// Degrees east.
    pub west: f64,
    /// Degrees north.
    pub south: f64,
    /// Degrees east. Less than `west` if the box crosses the 180th meridian.
    pub east: f64,
    /// Degrees north.
    pub north: f64,
}

/// What a filter requires of an event. The variants differ in the tables that can evaluate them.
pub(super) enum Predicate {
    /// The value of a column that the events, all links and the time buckets have.
    Flag(Column, bool),
    /// Whether the event has a published venue with coordinates.
    Located(bool),
    /// A search of the event's text.
    Search(Search),
    /// A condition on a column that only the events table has. The column determines what invalidates the list.
    Event(Column, Condition),
    /// The event has one of these links. The list can be read from them.
    Linked(LinkFilter),
}

impl EventFilter {
    /// Returns what the filter requires. A new filter only needs an arm here.
    ///
    /// `now` is in seconds since 1970 UTC.
    pub(super) fn predicate(&self, now: i64) -> Predicate {
        match self {
            Self::Featured(expected) => Predicate::Flag(Column::Featured, *expected),
            Self::Ticketed(expected) => Predicate::Flag(Column::Ticketed, *expected),
            Self::Located(expected) => Predicate::Located(*expected),
            Self::Search(search) => Predicate::Search(search.clone()),
            Self::Categories(ids) => linked(EventTable::category_closure(), ids),
            Self::Tags(ids) => linked(EventTable::links::<event_tag::Entity>(), ids),
            Self::Venues(ids) => linked(EventTable::links::<event_venue::Entity>(), ids),
            Self::Organizers(ids) => linked(EventTable::links::<event_organizer::Entity>(), ids),
            Self::Near(circle) => in_area(GeoArea::Circle(*circle), now),
            Self::InBox(area) => in_area(GeoArea::Box(*area), now),
            Self::Authors(ids) => on(Column::AuthorId, |column| column.is_in(ids.iter().copied())),
            Self::EventStatuses(statuses) => on(Column::EventStatus, |column| {
                column.is_in(statuses.iter().map(|status| status.as_str()))
            }),
            Self::Free(true) => on(Column::CostMax, |column| column.eq(0_i64)),
            Self::Free(false) => on(Column::CostMax, |column| column.gt(0_i64)),
            Self::CostFrom(least) => on(Column::CostMax, |column| column.gte(*least)),
            Self::CostTo(most) => on(Column::CostMin, |column| column.lte(*most)),
            Self::Series(ids) => on(Column::SeriesId, |column| column.is_in(ids.iter().copied())),
            Self::NextOfSeries(visibility, scope) => {
                let visibility = Visibility {
                    now,
                    ..visibility.clone()
                };
                Predicate::Event(Column::StartsAt, next_of_series(&visibility, scope))
            }
            Self::Modified(Span { from, before }) => Predicate::Event(
                Column::ModifiedAt,
                Condition::all()
                    .add_option(from.map(|from| Column::ModifiedAt.gte(from)))
                    .add_option(before.map(|before| Column::ModifiedAt.lt(before))),
            ),
            Self::External { source, id: None } => on(Column::ExternalSource, |column| column.eq(source.as_str())),
            Self::External { source, id: Some(id) } => Predicate::Event(
                Column::ExternalId,
                Condition::all()
                    .add(Column::ExternalSource.eq(source.as_str()))
                    .add(Column::ExternalId.eq(id.as_str())),
            ),
            Self::Equals(column, value) => on(*column, |column| column.eq(value.clone())),
        }
    }
}

fn on(column: Column, compare: impl FnOnce(Column) -> Expr) -> Predicate {
    Predicate::Event(column, Condition::all().add(compare(column)))
}

fn in_area(area: GeoArea, now: i64) -> Predicate {
    Predicate::Linked(LinkFilter::by_area(VenueArea::new(area, now)))
}

fn linked(table: EventTable, ids: &[i64]) -> Predicate {
    Predicate::Linked(LinkFilter::by_ids(table, ids))
}

impl Predicate {
    /// Returns true if the predicate reads a text column of events. A change to the texts of any event invalidates a list
    /// with such a predicate.
    pub(super) fn depends_on_texts(&self) -> bool {
        match self {
            Self::Flag(..) | Self::Located(_) | Self::Linked(_) => false,
            Self::Search(search) => !search.is_empty(),
            Self::Event(column, _) => !invalidates_all_lists(*column),
        }
    }
}

/// Whether the change log records a change of this column as a change of all lists. Otherwise it records it as a change
/// of the event's texts.
pub fn invalidates_all_lists(column: Column) -> bool {
    matches!(
        column,
        Column::Status
            | Column::Slug
            | Column::PublishedAt
            | Column::AuthorId
            | Column::StartsAt
            | Column::EndsAt
            | Column::PostParent
            | Column::HideFromListings
            | Column::Sticky
            | Column::Featured
            | Column::Ticketed
            | Column::Located
            | Column::EventStatus
            | Column::CostMin
            | Column::CostMax
            | Column::SeriesId
            | Column::ExternalSource
            | Column::ExternalId
    )
}
