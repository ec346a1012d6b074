//! Filters by linked venues, organizers, categories and tags.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait, IntoIden, SelectStatement},
};

use super::{
    GeoCircle,
    event_table::EventTable,
    geo::{self, GeoArea, VenueArea},
};
use crate::store::entity::event_venue;

/// Requires a link to one of several targets of one kind.
#[derive(Clone)]
pub(super) struct LinkFilter {
    /// The table of the links.
    pub table: EventTable,
    targets: Targets,
}

#[derive(Clone)]
enum Targets {
    Ids(Vec<i64>),
    Area(VenueArea),
}

impl LinkFilter {
    pub(super) fn by_ids(table: EventTable, ids: &[i64]) -> Self {
        Self {
            table,
            targets: Targets::Ids(ids.to_vec()),
        }
    }

    pub(super) fn by_area(area: VenueArea) -> Self {
        Self {
            table: EventTable::links::<event_venue::Entity>(),
            targets: Targets::Area(area),
        }
    }

    /// Reduces the area to a part of it, if the targets are the venues in this circle.
    pub(super) fn narrow(&mut self, circle: GeoCircle, part: GeoArea) {
        if let Targets::Area(area) = &mut self.targets {
            area.narrow(circle, part);
        }
    }

    /// The area, if the targets are not given by their IDs.
    pub(super) fn area(&self) -> Option<VenueArea> {
        match &self.targets {
            Targets::Ids(_) => None,
            Targets::Area(area) => Some(*area),
        }
    }

    /// Whether an event can have at most one matching link.
    pub(super) fn is_unique_per_event(&self) -> bool {
        match &self.targets {
            Targets::Ids(ids) => ids.len() <= 1,
            Targets::Area(_) => false,
        }
    }

    /// Whether a row of the link table, which may be aliased, matches.
    pub(super) fn condition(&self, table: &EventTable) -> Condition {
        let target = table.column("target_id".into_iden());
        Condition::all().add(match &self.targets {
            Targets::Ids(ids) => match ids[..] {
                [id] => target.eq(id),
                _ => target.is_in(ids.iter().copied()),
            },
            Targets::Area(area) => target.in_subquery(area.inside()),
        })
    }

    /// Selects all links of the selected events, without columns.
    pub(super) fn of_events(&self, events: SelectStatement) -> SelectStatement {
        self.table
            .select(Condition::all().add(self.table.id().in_subquery(events)))
    }

    /// Counts those of the selected events that have a matching link.
    pub(super) fn count_events(&self, events: SelectStatement) -> SelectStatement {
        let id = self.table.id();
        let condition = self.condition(&self.table).add(id.clone().in_subquery(events));
        self.table.select(condition).expr(id.count_distinct()).to_owned()
    }

    /// The same as [`Self::exists_for`], evaluated per row of the table.
    pub(super) fn exists_for_each(&self, table: &EventTable) -> Expr {
        if let Targets::Area(area) = &self.targets {
            return geo::has_venue(table, &area.inside());
        }
        let other = self.table.aliased("other");
        let links = self.condition(&other).add(other.id().eq(table.id()));
        geo::exists_unjoined(other.select(links).expr(Expr::val(1)).to_owned())
    }

    /// Whether the event of a row of any table has a matching link.
    pub(super) fn exists_for(&self, table: &EventTable) -> Condition {
        if let Targets::Area(area) = &self.targets {
            return Condition::all().add(geo::has_venue(table, &area.inside()));
        }
        let other = self.table.aliased("other");
        let mut links = other.select(self.condition(&other));
        Condition::all().add(if table.is_events() {
            table.id().in_subquery(links.expr(other.id()).to_owned())
        } else {
            let same = other.id().eq(table.id());
            Expr::exists(links.expr(Expr::val(1)).and_where(same).to_owned())
        })
    }
}
