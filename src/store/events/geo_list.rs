//! Lists of the events at venues in an area, filtered by window and flags at most.
//!
//! The area may contain most events, which would be expensive to deduplicate and sort. So the total is the number of links
//! to the venues minus the repeated links of the same event. If most venues are in the area, the events that are at other
//! venues only are counted in this way and subtracted from all located events, which the time buckets count. If a large
//! share of the events is in the area, the page is read from the events in list order, which soon finds enough of them.
//! After some areas with the same filters, the numbers of events at each venue are kept in memory.

use sea_orm::{
    Condition, DbErr,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use super::{
    Direction, EventIds, IdPage, Total,
    event_table::EventTable,
    geo::{self, VenueArea},
    plan::ResolvedQuery,
    unfiltered, venue_counts,
};
use crate::{
    calendar::window::Window,
    store::{
        PageRequest, count,
        entity::{event::Column, event_venue},
        read_connection::ReadConnection,
    },
};

/// Testing whether an event is in the area costs as much as reading and sorting this many links.
const LINKS_PER_TEST: u64 = 4;

/// Reads the IDs of a page of the events at venues in the area.
pub(super) async fn page(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    window: Window,
    area: VenueArea,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = GeoList::new(query, window, area);
    let (total, events_in_window) = list.totals(database).await?;
    if request.offset() >= total {
        return Ok((Total::Known(total), EventIds::List(Vec::new())));
    }
    // The number of events in list order until the page is complete, if the area's events are spread evenly.
    let end = request.offset().saturating_add(request.per_page);
    let tests = end.saturating_mul(events_in_window) / total;
    let ids = match tests.saturating_mul(LINKS_PER_TEST) <= total {
        true => list.page_from_events(direction, request),
        false => list.page_from_links(direction, request),
    };
    Ok((Total::Known(total), EventIds::Subquery(Box::new(ids))))
}

/// Reads the number of events at venues in the area.
pub(super) async fn total(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    window: Window,
    area: VenueArea,
) -> Result<u64, DbErr> {
    let (total, _) = GeoList::new(query, window, area).totals(database).await?;
    Ok(total)
}

/// Selects, without columns, the links of the events in the window to venues in this area and others.
pub(super) fn links_to_venues(query: &ResolvedQuery<'_>, window: Window, area: VenueArea) -> SelectStatement {
    GeoList::new(query, window, area).links_to_venues()
}

struct GeoList<'query> {
    query: &'query ResolvedQuery<'query>,
    window: Window,
    area: VenueArea,
    /// Selects the IDs of the venues in the area.
    venues: SelectStatement,
    /// The links of events to all venues.
    links: EventTable,
}

impl<'query> GeoList<'query> {
    fn new(query: &'query ResolvedQuery<'query>, window: Window, area: VenueArea) -> Self {
        Self {
            query,
            window,
            area,
            venues: area.inside(),
            links: EventTable::links::<event_venue::Entity>(),
        }
    }

    /// Reads the number of events in the list, and that of all events in the window.
    async fn totals(&self, database: &impl ReadConnection) -> Result<(u64, u64), DbErr> {
        let in_window = unfiltered::total(self.query, self.window);
        if let Some(total) = venue_counts::total(database, &self.links_to_venues(), self.area).await? {
            let in_window = Query::select().expr(in_window).to_owned();
            return Ok((total, count::fetch_one(database, &in_window).await?.unsigned_abs()));
        }
        let total = match self.is_counted_by_complement(database).await? {
            true => self.total_by_complement(),
            false => self.count_at(&self.venues),
        };
        let totals = count::fetch_both(database, &count::both(total, in_window)).await?;
        Ok(totals.map(i64::unsigned_abs).into())
    }

    fn links_to_venues(&self) -> SelectStatement {
        let venues = geo::mapped_venues(self.query.visibility.now);
        self.links.select(self.link_condition(&venues))
    }

    fn condition(&self, table: &EventTable) -> Condition {
        Condition::all()
            .add(table.base_condition(self.query))
            .add(table.in_scope(self.query.scope))
    }

    fn link_condition(&self, venues: &SelectStatement) -> Condition {
        let target = self.links.column("target_id");
        self.condition(&self.links).add(target.in_subquery(venues.clone()))
    }

    /// The second and further venues of the events in the list.
    fn further_links(&self) -> Condition {
        // Must be a literal to match the partial index's predicate.
        self.condition(&self.links).add(Expr::cust("position > 0"))
    }

    /// Returns true if the area has most venues and none of them is scheduled. The flag `located` of events ignores the
    /// publication dates of venues, so that scheduled ones would be counted.
    async fn is_counted_by_complement(&self, database: &impl ReadConnection) -> Result<bool, DbErr> {
        let has_most_venues = database.row(&self.area.has_most_venues()).await?;
        Ok(has_most_venues.unwrap_or(false) && !geo::has_scheduled_venues(database, self.query.visibility.now).await?)
    }

    /// The number of events at these venues: all links to the venues, minus those that repeat an event.
    fn count_at(&self, venues: &SelectStatement) -> Expr {
        let repeated = self
            .further_links()
            .add(geo::links_to(&self.links, venues))
            .add(geo::has_earlier_link(&self.links, venues));
        let linked = count::subquery(self.links.count(self.link_condition(venues)));
        linked.sub(count::subquery(self.links.count(repeated)))
    }

    /// The same number for the venues in the area: all located events, minus those at other venues only.
    fn total_by_complement(&self) -> Expr {
        let outside = self.area.outside();
        // Of an event at both, the first link to either the one or the other comes after a link to the other.
        let is_second_kind = |one: &SelectStatement, other: &SelectStatement| {
            Condition::all()
                .add(geo::links_to(&self.links, one))
                .add(geo::has_earlier_link(&self.links, other))
                .add(geo::has_earlier_link(&self.links, one).not())
        };
        let at_both = self.further_links().add(
            Condition::any()
                .add(is_second_kind(&self.venues, &outside))
                .add(is_second_kind(&outside, &self.venues)),
        );
        unfiltered::located_total(self.query, self.window)
            .sub(self.count_at(&outside))
            .add(count::subquery(self.links.count(at_both)))
    }

    /// Selects the page by reading the events in list order.
    fn page_from_events(&self, direction: Direction, request: PageRequest) -> SelectStatement {
        let events = EventTable::events();
        let condition = self.condition(&events).add(geo::has_venue(&events, &self.venues));
        let mut ids = events.select_ids(direction, condition);
        ids.limit(request.per_page).offset(request.offset()).to_owned()
    }

    /// Selects the page by sorting the linked events.
    fn page_from_links(&self, direction: Direction, request: PageRequest) -> SelectStatement {
        let events = self
            .links
            .select(self.link_condition(&self.venues))
            .distinct()
            .expr_as(self.links.id(), "id")
            .expr_as(self.links.column(Column::StartsAt), "starts_at")
            .to_owned();
        Query::select()
            .column("id")
            .from_subquery(events, "linked_events")
            .order_by("starts_at", direction.order())
            .order_by("id", direction.order())
            .limit(request.per_page)
            .offset(request.offset())
            .to_owned()
    }
}
