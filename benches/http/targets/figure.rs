//! The figures that targets limit.

use std::time::Duration;

use crate::{
    measurement::Row,
    operations::Class,
    report::{format_milliseconds, format_ratio},
};

/// A figure of an operation.
#[derive(Clone, Copy)]
pub(super) enum Figure {
    /// Requests per second relative to the baseline.
    RateToBaseline,
    /// Requests per second relative to the trial of this class in the same rounds.
    RateTo(Class),
    /// Operations per second relative to the operation with which it is compared in the same rounds. Each request contains
    /// this number of operations.
    OperationsToCompared(u32),
    /// Events of a feed.
    EventsPerSecond,
    /// In milliseconds.
    P99,
    /// Relative to the same operation with one connection.
    P99ToOneConnection,
    /// Relative to an operation of this class.
    MedianTo(Class),
    /// Relative to the operation with which it is compared in the same rounds.
    MedianToCompared,
    /// Relative to the same operation at the smallest size.
    MedianToSmallest,
}

impl Figure {
    /// Whether larger figures are better.
    pub(super) fn is_minimum(self) -> bool {
        matches!(
            self,
            Self::RateToBaseline | Self::RateTo(_) | Self::OperationsToCompared(_) | Self::EventsPerSecond
        )
    }

    /// The unit of limits, after a space.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::EventsPerSecond => " events/s",
            Self::P99 => " ms",
            _ => "",
        }
    }

    pub(super) fn format(self, value: f64) -> String {
        match self {
            Self::RateToBaseline => format_ratio(value),
            Self::EventsPerSecond => format!("{value:.0} events/s"),
            Self::P99 => format_milliseconds(Duration::from_secs_f64(value / 1e3)),
            _ => format!("{value:.2} ×"),
        }
    }

    /// None if it was not measured. `rows` are all rows of the database.
    pub(super) fn of(self, row: &Row, rows: &[&Row]) -> Option<f64> {
        let find = |is_wanted: &dyn Fn(&Row) -> bool| rows.iter().copied().find(|other| is_wanted(other));
        let is_compared = |other: &Row| {
            Some(&other.name) == row.compared_with.as_ref()
                && other.events == row.events
                && other.connections == row.connections
        };
        let median_ratio = |other: &Row| row.measured.p50.div_duration_f64(other.measured.p50);
        match self {
            Self::RateToBaseline => row.ratio,
            Self::EventsPerSecond => row.feed_events.map(|events| events as f64 * row.measured.rate),
            Self::P99 => Some(row.measured.p99.as_secs_f64() * 1e3),
            Self::RateTo(class) => {
                let is_beside = |other: &Row| {
                    other.class == class && other.events == row.events && other.connections == row.connections
                };
                find(&is_beside).map(|other| row.measured.rate / other.measured.rate)
            }
            Self::MedianTo(class) => {
                let is_beside = |other: &Row| {
                    other.class == class && other.events == row.events && other.connections == row.connections
                };
                find(&is_beside).map(median_ratio)
            }
            Self::MedianToCompared => find(&is_compared).map(median_ratio),
            Self::OperationsToCompared(number) => {
                find(&is_compared).map(|other| row.measured.rate * f64::from(number) / other.measured.rate)
            }
            Self::P99ToOneConnection => {
                let is_alone =
                    |other: &Row| other.name == row.name && other.events == row.events && other.connections == 1;
                find(&is_alone).map(|alone| row.measured.p99.div_duration_f64(alone.measured.p99))
            }
            Self::MedianToSmallest => {
                let smallest = rows.iter().map(|row| row.events).min()?;
                let is_small = |other: &Row| {
                    other.name == row.name
                        && other.events == smallest
                        && other.connections == row.connections
                        && smallest < row.events
                };
                find(&is_small).map(median_ratio)
            }
        }
    }
}
