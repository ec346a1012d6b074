//! Filters by linked venues, organizers, categories and tags.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait, IntoIden, SelectStatement},
};

use super::{
    event_table::EventTable,
    geo::{self, VenueArea},
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

    /// Counts those of the selected events that have a matching link.
    pub(super) fn count_events(&self, events: SelectStatement) -> SelectStatement {
        let id = self.table.id();
        let condition = self.condition(&self.table).add(id.clone().in_subquery(events));
        self.table.select(condition).expr(id.count_distinct()).to_owned()
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
