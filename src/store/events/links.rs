//! Links of events to what a list is filtered by.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait, IntoIden, SelectStatement},
};

use super::{event_table::Source, geo};
use crate::store::entity::event_venue;

/// Links of one kind to certain targets. A list can be read from them.
#[derive(Clone)]
pub struct Links {
    pub source: Source,
    targets: Targets,
}

#[derive(Clone)]
enum Targets {
    /// Their IDs.
    Ids(Vec<i64>),
    /// Selects the IDs of venues.
    Venues(Box<SelectStatement>),
}

impl Links {
    pub fn to(source: Source, ids: &[i64]) -> Self {
        Self {
            source,
            targets: Targets::Ids(ids.to_vec()),
        }
    }

    pub fn to_venues(venues: SelectStatement) -> Self {
        Self {
            source: Source::links::<event_venue::Entity>(),
            targets: Targets::Venues(Box::new(venues)),
        }
    }

    /// The statement that selects the venues, if the targets are venues selected by their place.
    pub fn venues(&self) -> Option<&SelectStatement> {
        match &self.targets {
            Targets::Ids(_) => None,
            Targets::Venues(venues) => Some(venues),
        }
    }

    /// Whether an event has at most one of these links.
    pub fn is_single(&self) -> bool {
        match &self.targets {
            Targets::Ids(ids) => ids.len() <= 1,
            Targets::Venues(_) => false,
        }
    }

    /// Whether a row of the source, which is of this kind, is one of them.
    pub fn lead_to(&self, source: &Source) -> Condition {
        let target = source.column("target_id".into_iden());
        Condition::all().add(match &self.targets {
            Targets::Ids(ids) => match ids[..] {
                [id] => target.eq(id),
                _ => target.is_in(ids.iter().copied()),
            },
            Targets::Venues(select) => target.in_subquery((**select).clone()),
        })
    }

    /// Whether the event of a row of the source has one of them.
    pub fn exist_for(&self, source: &Source) -> Condition {
        if let Targets::Venues(venues) = &self.targets {
            return Condition::all().add(geo::happens_at(source, venues));
        }
        let other = self.source.named("other");
        let mut links = other.rows(self.lead_to(&other));
        Condition::all().add(if source.is_events() {
            source.id().in_subquery(links.expr(other.id()).to_owned())
        } else {
            let same = other.id().eq(source.id());
            Expr::exists(links.expr(Expr::val(1)).and_where(same).to_owned())
        })
    }
}
