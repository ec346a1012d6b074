//! Lists of the events around a place, narrowed to dates and traits beside it.
//!
//! A radius may hold most of the calendar, and to sort that out would cost most. So the links to the venues are
//! counted, without those that lead to an event once more, and where much of the calendar is around the place, the page
//! is read from the calendar in its order, which meets the events soon.

use sea_orm::{
    Condition, ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use super::{Found, Ids, event_table::Source, geo, plan::ResolvedQuery, unfiltered};
use crate::{
    calendar::window::Window,
    store::{
        PageRequest, count,
        entity::{event::Column, event_venue},
    },
};

/// Of so many events of the calendar, one has to be around the place for a page to be read from the calendar.
const DENSITY: u64 = 16;

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    window: Window,
    venues: SelectStatement,
    request: PageRequest,
) -> Result<Found, DbErr> {
    let around = GeoList {
        query,
        venues,
        links: Source::links::<event_venue::Entity>(),
    };
    let anywhere = unfiltered::total(query, window);
    let (total, calendar) = count::ask_both(database, around.total(), anywhere).await?;
    let ids = if request.offset() >= total {
        Ids::Of(Vec::new())
    } else if total.saturating_mul(DENSITY) >= calendar {
        Ids::SelectedBy(Box::new(around.in_order(request)))
    } else {
        Ids::SelectedBy(Box::new(around.sorted(request)))
    };
    Ok((total, ids))
}

struct GeoList<'query> {
    query: &'query ResolvedQuery<'query>,
    /// Selects the IDs of the venues.
    venues: SelectStatement,
    /// The links to all venues.
    links: Source,
}

impl GeoList<'_> {
    fn listed(&self, source: &Source) -> Condition {
        Condition::all()
            .add(source.shown(self.query))
            .add(source.in_scope(self.query.scope))
    }

    fn linked(&self) -> Condition {
        let target = self.links.column("target_id");
        self.listed(&self.links).add(target.in_subquery(self.venues.clone()))
    }

    /// How many events are around the place: the links, without those that lead to an event once more.
    fn total(&self) -> Expr {
        let further = self
            .listed(&self.links)
            // As the index has it, which serves no placeholder.
            .add(Expr::cust("position > 0"))
            .add(geo::leads_to(&self.links, &self.venues))
            .add(geo::is_further(&self.links, &self.venues));
        let linked = count::of(self.links.count(self.linked()));
        linked.sub(count::of(self.links.count(further)))
    }

    /// The page, by the calendar.
    fn in_order(&self, request: PageRequest) -> SelectStatement {
        let events = Source::events();
        let there = self.listed(&events).add(geo::happens_at(&events, &self.venues));
        events.ids(there, request.per_page, request.offset())
    }

    /// The page, by the links.
    fn sorted(&self, request: PageRequest) -> SelectStatement {
        let events = self
            .links
            .rows(self.linked())
            .distinct()
            .expr_as(self.links.id(), "id")
            .expr_as(self.links.column(Column::StartsAt), "starts_at")
            .to_owned();
        Query::select()
            .column("id")
            .from_subquery(events, "around")
            .order_by("starts_at", Order::Asc)
            .order_by("id", Order::Asc)
            .limit(request.per_page)
            .offset(request.offset())
            .to_owned()
    }
}
