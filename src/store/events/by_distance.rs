//! Lists of the events around a place, sorted by distance.
//!
//! An area may have most of the events, which would be expensive to sort. So the page is looked for in a small circle, and
//! then in larger ones, until one has enough events: all others are farther away. If the farthest events are first, it is
//! looked for outside of a large circle, and then of smaller ones. The size of the first circle is known if the numbers of
//! events at each venue are in memory, and estimated otherwise.

use sea_orm::{
    DbErr,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::{
    Direction, EventIds, GeoCircle, IdPage, Total,
    event_table::EventTable,
    filtered::FilteredList,
    geo::nearest_cosine,
    geo_list,
    plan::{Plan, ResolvedQuery},
    sorted::{events_of, is_counted, total},
    venue_counts,
};
use crate::store::{PageRequest, count, entity::event::Column, pagination, read_connection::ReadConnection};

/// The first part of the area is this much smaller than the one that would have enough events if they were spread evenly.
/// They are denser around most places that people search at.
const FIRST_PART: f64 = 1.0 / 16.0;
/// The growth from one part of the area to the next.
const GROWTH: f64 = 9.0;
/// The least radius of a circle, in kilometres.
const LEAST_RADIUS: f64 = 0.1;
/// More than the error of a distance, in kilometres.
const TOLERANCE: f64 = 0.02;

/// Reads the IDs of a page.
pub(super) async fn page(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    circle: GeoCircle,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = FilteredList::new(database, query).await?;
    if !is_counted(query) {
        let (total, ids) = sort(database, query, &list, circle, direction, request).await?;
        return Ok((Total::Known(total), EventIds::List(ids)));
    }
    let total = total(database, query, &list).await?;
    if request.offset() >= total {
        return Ok((Total::Known(total), EventIds::List(Vec::new())));
    }
    let end = std::cmp::min(request.offset().saturating_add(request.per_page), total);
    let radius = circle.radius_in_km;
    let links = match query.plan() {
        Plan::GeoList(window, area) => Some(geo_list::links_to_venues(query, window, area)),
        Plan::Unfiltered(_) | Plan::Filtered => list.links_to_venues().map(|(_, links)| links),
    };
    let boundary = links.and_then(|links| venue_counts::distance_of(database, &links, circle, direction, end));
    let estimated = share(end, total) * FIRST_PART;
    let mut part = match (boundary, direction) {
        (Some(boundary), Direction::Forward) => ((boundary + TOLERANCE) / radius).powi(2),
        // Events with several venues were counted at the farthest one, but are sorted by the nearest one.
        (Some(boundary), Direction::Backward) => {
            f64::max(1.0 - (f64::max(boundary - TOLERANCE, 0.0) / radius).powi(2), estimated)
        }
        (None, _) => estimated,
    };
    loop {
        let boundary = match direction {
            Direction::Forward => f64::max(radius * part.sqrt(), LEAST_RADIUS),
            Direction::Backward => radius * f64::max(1.0 - part, 0.0).sqrt(),
        };
        let is_whole = match direction {
            Direction::Forward => boundary >= radius,
            Direction::Backward => part >= 1.0,
        };
        let some = match direction {
            _ if is_whole => query.clone(),
            Direction::Forward => query.within(circle, boundary),
            Direction::Backward => query.beyond(circle, boundary),
        };
        let list = FilteredList::new(database, &some).await?;
        let (found, ids) = sort(database, &some, &list, circle, direction, request).await?;
        if found >= end || is_whole {
            return Ok((Total::Known(total), EventIds::List(ids)));
        }
        part *= GROWTH;
    }
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn share(part: u64, total: u64) -> f64 {
    part as f64 / total as f64
}

/// Reads the total and the IDs of a page by finding and sorting all events of the list.
async fn sort(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    list: &FilteredList,
    circle: GeoCircle,
    direction: Direction,
    request: PageRequest,
) -> Result<(u64, Vec<i64>), DbErr> {
    let order = ["distance", "starts_at", "id"].map(|column| (column, direction.order()));
    let rows = with_distances(list, circle, query.visibility.now);
    pagination::page_with_total(database, rows, &order, request).await
}

/// Selects ID, start and distance of the events of a list. The distance is the negative cosine of the central angle.
fn with_distances(list: &FilteredList, circle: GeoCircle, now: i64) -> SelectStatement {
    let events = EventTable::events();
    let cosine = count::subquery(nearest_cosine(&events, circle, now));
    events_of(list)
        .expr_as(events.id(), "id")
        .expr_as(events.column(Column::StartsAt), "starts_at")
        .expr_as(Expr::val(0.0).sub(cosine), "distance")
        .to_owned()
}
