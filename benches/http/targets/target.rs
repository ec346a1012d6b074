//! A target for operations, and its evaluation.

use super::{Verdict, either, figure::Figure, with_size};
use crate::{database::Backend, measurement::Row, operations::Class, size};

/// The limits on SQLite and on PostgreSQL. None if the figure is only reported.
pub(super) type Limits = (Option<f64>, Option<f64>);

pub(super) const REPORTED_ONLY: Limits = (None, None);

/// A target for operations. The worst of them must reach the limit.
pub(super) struct Target {
    pub text: &'static str,
    pub classes: &'static [Class],
    pub sizes: Sizes,
    pub connections: &'static [usize],
    pub figure: Figure,
    pub limits: Limits,
}

/// The numbers of events for which a target holds.
#[derive(Clone, Copy)]
pub(super) enum Sizes {
    All,
    Smallest,
    Largest,
    Only(u64),
}

impl Sizes {
    fn include(self, events: u64, sizes: &[u64]) -> bool {
        match self {
            Self::All => true,
            Self::Smallest => sizes.first() == Some(&events),
            Self::Largest => sizes.last() == Some(&events),
            Self::Only(only) => only == events,
        }
    }
}

impl Target {
    /// Whether the target limits a figure of the operations of a class at this size, with this number of connections.
    /// `sizes` are all measured sizes, in ascending order.
    pub(super) fn concerns(&self, class: Class, events: u64, connections: usize, sizes: &[u64]) -> bool {
        let is_compared = matches!(self.figure, Figure::MedianTo(other) if other == class);
        let is_smallest = matches!(self.figure, Figure::MedianToSmallest) && sizes.first() == Some(&events);
        self.limits != REPORTED_ONLY
            && (is_compared || self.classes.contains(&class))
            && self.connections.contains(&connections)
            && (is_smallest || self.sizes.include(events, sizes))
    }

    /// Evaluates the target. `rows` are all rows of the database.
    pub(super) fn evaluate(&self, database: Backend, rows: &[&Row], sizes: &[u64]) -> Verdict {
        let figure = self.figure;
        let is_wanted = |row: &&&Row| {
            self.classes.contains(&row.class)
                && self.connections.contains(&row.connections)
                && self.sizes.include(row.events, sizes)
        };
        let values = rows
            .iter()
            .filter(is_wanted)
            .filter_map(|row| Some((figure.of(row, rows)?, *row)));
        let worst = match figure.is_minimum() {
            true => values.min_by(|one, other| one.0.total_cmp(&other.0)),
            false => values.max_by(|one, other| one.0.total_cmp(&other.0)),
        };
        let limit = either(database, self.limits);
        let sign = if figure.is_minimum() { "≥" } else { "≤" };
        let unit = figure.unit();
        let events = match self.sizes {
            Sizes::All => None,
            Sizes::Smallest => sizes.first().copied(),
            Sizes::Largest => sizes.last().copied(),
            Sizes::Only(events) => Some(events),
        };
        Verdict {
            target: with_size(self.text, events),
            required: limit.map_or_else(|| "reported only".to_owned(), |limit| format!("{sign} {limit}{unit}")),
            is_reached: limit.map(|limit| {
                worst.is_some_and(|(value, _)| match figure.is_minimum() {
                    true => value >= limit,
                    false => value <= limit,
                })
            }),
            measured: worst.map(|(value, row)| {
                let (name, events) = (&row.name, size::label(row.events));
                format!(
                    "{} ({name}, {events}, {})",
                    figure.format(value),
                    connections(row.connections)
                )
            }),
        }
    }
}

fn connections(number: usize) -> String {
    match number {
        1 => "1 connection".to_owned(),
        _ => format!("{number} connections"),
    }
}
