//! Performance targets, and whether they are reached.

use std::time::Duration;

use crate::{
    database::Backend,
    measurement::Row,
    memory::CONNECTIONS,
    operations::Class,
    report::{format_megabytes, format_milliseconds, format_ratio},
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

/// A target for operations.
struct Target {
    text: &'static str,
    classes: &'static [Class],
    sizes: Sizes,
    connections: &'static [usize],
    figure: Figure,
    /// On SQLite and on PostgreSQL. None if the figure is only reported.
    limits: (Option<f64>, Option<f64>),
}

/// The numbers of events for which a target holds.
#[derive(Clone, Copy)]
enum Sizes {
    All,
    Smallest,
    Largest,
    Only(u64),
}

/// The measured figure. The worst of all operations must reach the limit.
#[derive(Clone, Copy)]
enum Figure {
    /// Requests per second relative to the baseline.
    RateToBaseline,
    /// Requests per second relative to the trial of this class in the same rounds.
    RateTo(Class),
    /// In milliseconds.
    P99,
    /// Relative to the same operation with one connection.
    P99ToOneConnection,
    /// Relative to an operation of this class.
    MedianTo(Class),
    /// Relative to the same operation at the smallest size.
    MedianToSmallest,
}

const REPORTED_ONLY: (Option<f64>, Option<f64>) = (None, None);

const fn limits(sqlite: f64, postgres: f64) -> (Option<f64>, Option<f64>) {
    (Some(sqlite), Some(postgres))
}

/// The targets for operations, in the order of the report.
const TARGETS: [Target; 19] = [
    Target {
        text: "one event by ID or slug, new, 8 connections: ratio to the baseline",
        classes: &[Class::OneEventNew],
        sizes: Sizes::Largest,
        connections: &[8],
        figure: Figure::RateToBaseline,
        limits: limits(0.12, 0.05),
    },
    Target {
        text: "default list of 10, new, 8 connections: ratio to the baseline",
        classes: &[Class::DefaultListNew],
        sizes: Sizes::Smallest,
        connections: &[8],
        figure: Figure::RateToBaseline,
        limits: limits(0.10, 0.04),
    },
    Target {
        text: "default list of 10, new, 8 connections: ratio to the baseline",
        classes: &[Class::DefaultListNew],
        sizes: Sizes::Largest,
        connections: &[8],
        figure: Figure::RateToBaseline,
        limits: limits(0.06, 0.025),
    },
    Target {
        text: "default list of 10, new, 1 connection: median relative to the smallest size",
        classes: &[Class::DefaultListNew],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::MedianToSmallest,
        limits: limits(1.5, 1.5),
    },
    Target {
        text: "one filter, new, 1 connection: p99",
        classes: &[Class::OneFilter],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(10.0, 15.0),
    },
    Target {
        text: "geo radius, new, 1 connection: p99",
        classes: &[Class::GeoRadius],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(25.0, 40.0),
    },
    Target {
        text: "search for one and for two words, up to 10,000 matches, new, 1 connection: p99",
        classes: &[Class::Search],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(25.0, 50.0),
    },
    Target {
        text: "category with a search, several filters, new, 1 connection: p99",
        classes: &[Class::SeveralFilters],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(40.0, 100.0),
    },
    Target {
        text: "several filters, new, 8 connections: p99 relative to 1 connection",
        classes: &[Class::SeveralFilters],
        sizes: Sizes::Largest,
        connections: &[8],
        figure: Figure::P99ToOneConnection,
        limits: REPORTED_ONLY,
    },
    Target {
        text: "venues and organizers, has_events and only_with_upcoming, new, 1 connection: p99",
        classes: &[Class::LinkedResources],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(10.0, 15.0),
    },
    Target {
        text: "page 30,000 of the default window, new, 1 connection: median relative to page 1,000",
        classes: &[Class::DeepPage],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::MedianTo(Class::MiddlePage),
        limits: limits(3.0, 3.0),
    },
    Target {
        text: "default list right after a write, 1 connection: p99",
        classes: &[Class::AfterWrite],
        sizes: Sizes::Largest,
        connections: &[1],
        figure: Figure::P99,
        limits: limits(10.0, 20.0),
    },
    Target {
        text: "creates with venue and organizer, 8 and 64 connections: rate relative to the older program",
        classes: &[Class::Creates],
        sizes: Sizes::Largest,
        connections: &[8, 64],
        figure: Figure::RateTo(Class::OlderCreates),
        limits: limits(2.5, 2.0),
    },
    Target {
        text: "creates with venue and organizer, 8 connections: rate relative to raw inserts of the same rows",
        classes: &[Class::Creates],
        sizes: Sizes::All,
        connections: &[8],
        figure: Figure::RateTo(Class::RawInserts),
        limits: REPORTED_ONLY,
    },
    Target {
        text: "95 % reads and 5 % writes, 8 connections: rate relative to the reads alone",
        classes: &[Class::Mix],
        sizes: Sizes::Only(1_000),
        connections: &[8],
        figure: Figure::RateTo(Class::PureReads),
        limits: limits(0.5, 0.7),
    },
    Target {
        text: "95 % reads and 5 % writes, 8 connections: rate relative to the reads alone",
        classes: &[Class::Mix],
        sizes: Sizes::Only(100_000),
        connections: &[8],
        figure: Figure::RateTo(Class::PureReads),
        limits: limits(0.75, 0.7),
    },
    Target {
        text: "one event, again, 8 connections: ratio to the baseline",
        classes: &[Class::OneEvent],
        sizes: Sizes::All,
        connections: &[8],
        figure: Figure::RateToBaseline,
        limits: limits(0.5, 0.25),
    },
    Target {
        text: "default list of 10, again, 8 connections: ratio to the baseline",
        classes: &[Class::DefaultList],
        sizes: Sizes::All,
        connections: &[8],
        figure: Figure::RateToBaseline,
        limits: limits(0.4, 0.2),
    },
    Target {
        text: "one event and default list, again, 8 connections: median relative to the smallest size",
        classes: &[Class::OneEvent, Class::DefaultList],
        sizes: Sizes::Largest,
        connections: &[8],
        figure: Figure::MedianToSmallest,
        limits: limits(1.3, 1.3),
    },
];
/// The maximum growth of memory between the two halves of a minute, relative to its peak.
const MAX_MEMORY_GROWTH: f64 = 0.1;
/// The maximum of the instructions per request at the largest size, relative to the smallest one.
const MAX_INSTRUCTION_GROWTH: f64 = 1.3;
/// The minimum rates of the bulk load in events per second, on SQLite and on PostgreSQL.
const MIN_LOAD_RATES: (f64, f64) = (25_000.0, 15_000.0);

/// Whether the operations of a class have a target at this size, with this number of connections. `sizes` are all
/// measured sizes, in ascending order.
pub(crate) fn is_targeted(class: Class, events: u64, connections: usize, sizes: &[u64]) -> bool {
    TARGETS.iter().any(|target| {
        let is_compared = matches!(target.figure, Figure::MedianTo(other) if other == class);
        let is_smallest = matches!(target.figure, Figure::MedianToSmallest) && sizes.first() == Some(&events);
        target.limits != REPORTED_ONLY
            && (is_compared || target.classes.contains(&class))
            && target.connections.contains(&connections)
            && (is_smallest || target.sizes.include(events, sizes))
    })
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

impl Figure {
    /// Whether larger figures are better.
    fn is_minimum(self) -> bool {
        matches!(self, Self::RateToBaseline | Self::RateTo(_))
    }

    fn format(self, value: f64) -> String {
        match self {
            Self::RateToBaseline => format_ratio(value),
            Self::P99 => format_milliseconds(Duration::from_secs_f64(value / 1e3)),
            _ => format!("{value:.2} ×"),
        }
    }

    /// None if it was not measured. `rows` are all rows of the database.
    fn of(self, row: &Row, rows: &[&Row]) -> Option<f64> {
        let find = |is_wanted: &dyn Fn(&Row) -> bool| rows.iter().copied().find(|other| is_wanted(other));
        let median_ratio = |other: &Row| row.measured.p50.div_duration_f64(other.measured.p50);
        match self {
            Self::RateToBaseline => row.ratio,
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

/// Evaluates all targets of a backend.
pub(crate) fn evaluate(results: &Results, database: Backend) -> Vec<Verdict> {
    let rows = results.rows.iter().filter(|row| row.database == database);
    let rows: Vec<&Row> = rows.collect();
    let sizes: Vec<u64> = results.figures(database).map(|figures| figures.events).collect();
    let mut verdicts: Vec<Verdict> = TARGETS
        .iter()
        .map(|target| target.evaluate(database, &rows, &sizes))
        .collect();
    verdicts.push(instruction_growth(results, database));
    let largest = results.figures(database).last();
    if database == Backend::Sqlite {
        verdicts.extend(process_figures(results, largest));
    }
    let min = either(database, MIN_LOAD_RATES);
    let rate = largest.and_then(DatabaseFigures::load_rate_without_search);
    verdicts.push(Verdict {
        target: with_size(
            "bulk load without the search index",
            largest.map(|figures| figures.events),
        ),
        required: format!("≥ {min} events/s"),
        measured: rate.map(|rate| format!("{rate:.0} events/s")),
        is_reached: Some(rate.is_some_and(|rate| rate >= min)),
    });
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

impl Target {
    fn evaluate(&self, database: Backend, rows: &[&Row], sizes: &[u64]) -> Verdict {
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
        let unit = if matches!(figure, Figure::P99) { " ms" } else { "" };
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

fn instruction_growth(results: &Results, database: Backend) -> Verdict {
    let counted = results
        .figures(database)
        .filter(|figures| !figures.instructions.is_empty());
    let counted: Vec<_> = counted.collect();
    let pairs = match counted.as_slice() {
        [small, .., large] => small.instructions.iter().zip(&large.instructions).collect(),
        _ => Vec::new(),
    };
    let ratios = pairs.into_iter().map(|((name, small), (_, large))| {
        let ratio = *large as f64 / *small as f64;
        (ratio, format!("{ratio:.2} × ({name})"))
    });
    at_most(
        "one event and default list, again: instructions at the largest size relative to the smallest",
        MAX_INSTRUCTION_GROWTH,
        "",
        ratios.max_by(|one, other| one.0.total_cmp(&other.0)),
    )
}

/// Start-up time, memory, and size of the program.
fn process_figures(results: &Results, largest: Option<&DatabaseFigures>) -> Vec<Verdict> {
    let start = largest.map(|figures| {
        let seconds = figures.time_to_first_response.as_secs_f64();
        (seconds * 1e3, format_milliseconds(figures.time_to_first_response))
    });
    let idle = largest.map(|figures| (figures.idle as f64 / 1e6, format_megabytes(figures.idle)));
    let program = (results.program as f64 / 1e6, format_megabytes(results.program));
    let under_load = largest.and_then(|figures| figures.under_load);
    let max = under_load.map(|under_load| (under_load.max as f64 / 1e6, format_megabytes(under_load.max)));
    let growth = under_load.map(|under_load| {
        let ratio = under_load.growth as f64 / under_load.max as f64;
        (ratio, format!("{ratio:.3}"))
    });
    let start_title = with_size("start to first response", largest.map(|figures| figures.events));
    vec![
        at_most(&start_title, 150.0, " ms", start),
        at_most("idle resident memory", 60.0, " MB", idle),
        at_most("program, stripped", 30.0, " MB", Some(program)),
        at_most(
            &format!("peak resident memory in a minute with {CONNECTIONS} connections"),
            256.0,
            " MB",
            max,
        ),
        at_most(
            "growth of memory from the first half of the minute to the second, relative to the peak",
            MAX_MEMORY_GROWTH,
            "",
            growth,
        ),
    ]
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
