//! Performance targets, and whether they are reached.

mod figure;
mod server;
mod table;
mod target;

use self::table::TARGETS;
use crate::{
    database::Backend,
    measurement::Row,
    operations::Class,
    results::{DatabaseFigures, Results},
    size,
};

/// The evaluation of one target.
pub(crate) struct Verdict {
    pub target: String,
    pub required: String,
    /// None if not measured in this run.
    pub measured: Option<String>,
    /// None if the figure is only reported.
    pub is_reached: Option<bool>,
}

/// Whether the operations of a class have a target at this size, with this number of connections. `sizes` are all
/// measured sizes, in ascending order.
pub(crate) fn is_targeted(class: Class, events: u64, connections: usize, sizes: &[u64]) -> bool {
    TARGETS
        .iter()
        .any(|target| target.concerns(class, events, connections, sizes))
}

/// Evaluates all targets of a backend.
pub(crate) fn evaluate(results: &Results, database: Backend) -> Vec<Verdict> {
    let rows = results.rows.iter().filter(|row| row.database == database);
    let rows: Vec<&Row> = rows.collect();
    let figures: Vec<&DatabaseFigures> = results.figures(database).collect();
    let sizes: Vec<u64> = figures.iter().map(|figures| figures.events).collect();
    let mut verdicts: Vec<Verdict> = TARGETS
        .iter()
        .map(|target| target.evaluate(database, &rows, &sizes))
        .collect();
    verdicts.push(server::instruction_growth(results, database));
    let largest = figures.last().copied();
    if database == Backend::Sqlite {
        verdicts.extend(server::process_figures(results, largest));
    }
    verdicts.extend(server::slow_feed(results, database));
    verdicts.push(server::bulk_load(database, largest));
    verdicts.extend(server::transfer(results, database));
    verdicts.push(server::site_import(results, database, largest));
    verdicts
}

fn either<T>(database: Backend, (sqlite, postgres): (T, T)) -> T {
    match database {
        Backend::Sqlite => sqlite,
        Backend::Postgres => postgres,
    }
}

fn with_size(text: &str, events: Option<u64>) -> String {
    match events {
        Some(events) => format!("{text}, {} events", size::label(events)),
        None => text.to_owned(),
    }
}

/// The measured figure, if any, must not exceed the limit.
fn at_most(target: &str, max: f64, unit: &str, measured: Option<(f64, String)>) -> Verdict {
    Verdict {
        target: target.to_owned(),
        required: format!("≤ {max}{unit}"),
        is_reached: Some(measured.as_ref().is_some_and(|(value, _)| *value <= max)),
        measured: measured.map(|(_, text)| text),
    }
}

/// The measured figure, if any, must not be less than the limit.
fn at_least(target: &str, min: f64, unit: &str, measured: Option<(f64, String)>) -> Verdict {
    Verdict {
        target: target.to_owned(),
        required: format!("≥ {min}{unit}"),
        is_reached: Some(measured.as_ref().is_some_and(|(value, _)| *value >= min)),
        measured: measured.map(|(_, text)| text),
    }
}
