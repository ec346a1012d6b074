//! Lists of the events at venues in an area, filtered by window and flags at most.
//!
//! The area may contain most events, which would be expensive to deduplicate and sort. So the total is the number of links
//! to the venues minus the repeated links of the same event. If a large share of the events is in the area, the page is
//! read from the events in list order, which soon finds enough of them.

use sea_orm::{
    Condition, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use super::{EventIds, IdPage, event_table::EventTable, geo, plan::ResolvedQuery, unfiltered};
use crate::{
    calendar::window::Window,
    store::{
        PageRequest,
        count::{self, CountingConnection},
        entity::{event::Column, event_venue},
    },
};

/// A page is read from the events if at least one in this many is in the area.
const EVENTS_PER_MATCH: u64 = 16;

/// Reads the IDs of a page of the events at the selected venues.
pub(super) async fn page(
    database: &impl CountingConnection,
    query: &ResolvedQuery<'_>,
    window: Window,
    venues: SelectStatement,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = GeoList {
        query,
        venues,
        links: EventTable::links::<event_venue::Entity>(),
    };
    let in_window = unfiltered::total(query, window);
    let (total, events_in_window) = count::fetch_both(database, list.total(), in_window).await?;
    let ids = if request.offset() >= total {
        EventIds::List(Vec::new())
    } else if total.saturating_mul(EVENTS_PER_MATCH) >= events_in_window {
        EventIds::Subquery(Box::new(list.page_from_events(request)))
    } else {
        EventIds::Subquery(Box::new(list.page_from_links(request)))
    };
    Ok((total, ids))
}

struct GeoList<'query> {
    query: &'query ResolvedQuery<'query>,
    /// Selects the IDs of the venues.
    venues: SelectStatement,
    /// The links of events to all venues.
    links: EventTable,
}

impl GeoList<'_> {
    fn condition(&self, table: &EventTable) -> Condition {
        Condition::all()
            .add(table.base_condition(self.query))
            .add(table.in_scope(self.query.scope))
    }

    fn link_condition(&self) -> Condition {
        let target = self.links.column("target_id");
        self.condition(&self.links).add(target.in_subquery(self.venues.clone()))
    }

    /// The number of events: all links to the venues, minus those that repeat an event.
    fn total(&self) -> Expr {
        let repeated = self
            .condition(&self.links)
            // Must be a literal to match the partial index's predicate.
            .add(Expr::cust("position > 0"))
            .add(geo::links_to(&self.links, &self.venues))
            .add(geo::has_earlier_link(&self.links, &self.venues));
        let linked = count::subquery(self.links.count(self.link_condition()));
        linked.sub(count::subquery(self.links.count(repeated)))
    }

    /// Selects the page by reading the events in list order.
    fn page_from_events(&self, request: PageRequest) -> SelectStatement {
        let events = EventTable::events();
        let condition = self.condition(&events).add(geo::has_venue(&events, &self.venues));
        events.select_ids(condition, request.per_page, request.offset())
    }

    /// Selects the page by sorting the linked events.
    fn page_from_links(&self, request: PageRequest) -> SelectStatement {
        let events = self
            .links
            .select(self.link_condition())
            .distinct()
            .expr_as(self.links.id(), "id")
            .expr_as(self.links.column(Column::StartsAt), "starts_at")
            .to_owned();
        Query::select()
            .column("id")
            .from_subquery(events, "linked_events")
            .order_by("starts_at", Order::Asc)
            .order_by("id", Order::Asc)
            .limit(request.per_page)
            .offset(request.offset())
            .to_owned()
    }
}
