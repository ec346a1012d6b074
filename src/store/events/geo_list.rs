//! Lists of the events around a place, narrowed to dates and traits beside it.
//!
//! A radius may hold most of the calendar, and to sort that out would cost most. So the links to the venues are
//! counted, without those that lead to an event once more, and where much of the calendar is around the place, the page
//! is read from the calendar in its order, which meets the events soon.

use sea_orm::{
    Condition, ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use super::{EventIds, IdPage, event_table::EventTable, geo, plan::ResolvedQuery, unfiltered};
use crate::{
    calendar::window::Window,
    store::{
        PageRequest, count,
        entity::{event::Column, event_venue},
    },
};

/// Of so many events of the calendar, one has to be around the place for a page to be read from the calendar.
const EVENTS_PER_MATCH: u64 = 16;

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
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
    /// The links to all venues.
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

    /// How many events are around the place: the links, without those that lead to an event once more.
    fn total(&self) -> Expr {
        let repeated = self
            .condition(&self.links)
            // As the index has it, which serves no placeholder.
            .add(Expr::cust("position > 0"))
            .add(geo::links_to(&self.links, &self.venues))
            .add(geo::has_earlier_link(&self.links, &self.venues));
        let linked = count::subquery(self.links.count(self.link_condition()));
        linked.sub(count::subquery(self.links.count(repeated)))
    }

    /// The page, by the calendar.
    fn page_from_events(&self, request: PageRequest) -> SelectStatement {
        let events = EventTable::events();
        let condition = self.condition(&events).add(geo::has_venue(&events, &self.venues));
        events.select_ids(condition, request.per_page, request.offset())
    }

    /// The page, by the links.
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
