//! Performance targets, and whether they are reached.

use std::time::Duration;

use crate::{
    database::Backend,
    measurement::Row,
    memory::CONNECTIONS,
    operations::Class,
    report::{format_megabytes, format_milliseconds, format_ratio},
    results::Results,
    size,
};

/// The evaluation of one target.
pub(crate) struct Verdict {
    pub target: String,
    pub limit: String,
    /// `None` if not measured in this run.
    pub measured: Option<String>,
    pub is_reached: bool,
}

/// The number of connections of most targets.
const TARGET_CONNECTIONS: usize = 8;
/// The maximum growth of memory between the two halves of a minute, relative to its peak.
const MAX_MEMORY_GROWTH: f64 = 0.1;

/// Evaluates all targets of a backend.
pub(crate) fn evaluate(results: &Results, database: Backend) -> Vec<Verdict> {
    let is_sqlite = database == Backend::Sqlite;
    let either = |sqlite: f64, postgres: f64| if is_sqlite { sqlite } else { postgres };
    let evaluator = Evaluator::new(results, database);
    let mut verdicts = vec![
        evaluator.baseline_ratio(
            "one event, again, 8 connections: ratio to the baseline",
            Class::OneEvent,
            either(0.5, 0.25),
        ),
        evaluator.baseline_ratio(
            "default list of 10, again, 8 connections: ratio to the baseline",
            Class::DefaultList,
            either(0.4, 0.2),
        ),
        evaluator.p99("one filter, new, 1 connection: p99", Class::OneFilter, 25),
        evaluator.p99("several filters, new, 1 connection: p99", Class::SeveralFilters, 100),
        evaluator.p99_under_concurrency("several filters, new: p99 with 8 connections relative to 1", 5.0),
        evaluator.p99(
            "search of up to 10,000 matches, new, 1 connection: p99",
            Class::Search,
            50,
        ),
        evaluator.latency_growth(
            "one event and default list, again: median at the largest size relative to the smallest",
            1.3,
        ),
        evaluator.instruction_growth(
            "one event and default list, again: instructions at the largest size relative to the smallest",
            1.3,
        ),
        evaluator.deep_page("page 30,000 of the default window, new: median relative to page 1", 3.0),
        evaluator.rate_ratio(
            "creates, 8 connections: rate relative to raw inserts of the same rows",
            (Class::Creates, Class::RawInserts),
            0.5,
        ),
        evaluator.rate_ratio(
            "95 % reads and 5 % writes, 8 connections: rate relative to the reads alone",
            (Class::Mix, Class::PureReads),
            either(0.6, 0.5),
        ),
    ];
    if is_sqlite {
        verdicts.extend(evaluator.process_figures());
    }
    verdicts.push(evaluator.load_rate("bulk load without the search index", either(20_000.0, 10_000.0)));
    verdicts
}

struct Evaluator<'a> {
    results: &'a Results,
    database: Backend,
    largest: u64,
}

impl<'a> Evaluator<'a> {
    fn new(results: &'a Results, database: Backend) -> Self {
        let sizes = results.figures(database).map(|figures| figures.events);
        Self {
            results,
            database,
            largest: sizes.max().unwrap_or(0),
        }
    }

    fn rows(&self, class: Class, connections: usize) -> impl Iterator<Item = &'a Row> {
        self.results.rows(self.database, class, connections)
    }

    fn at_largest(&self, class: Class, connections: usize) -> impl Iterator<Item = &'a Row> {
        let largest = self.largest;
        self.rows(class, connections).filter(move |row| row.events == largest)
    }

    /// The lowest ratio to the baseline of the operations of a class.
    fn baseline_ratio(&self, target: &str, class: Class, min: f64) -> Verdict {
        let ratios = self.rows(class, TARGET_CONNECTIONS).filter_map(|row| {
            let ratio = row.ratio?;
            Some((
                ratio,
                format!("{} ({}, {})", format_ratio(ratio), row.name, size::label(row.events)),
            ))
        });
        at_least(target, min, ratios)
    }

    /// The highest p99 of the operations of a class.
    fn p99(&self, target: &str, class: Class, max: u64) -> Verdict {
        let max = Duration::from_millis(max);
        let worst = self.at_largest(class, 1).max_by_key(|row| row.measured.p99);
        Verdict {
            target: self.with_size(target),
            limit: format!("≤ {}", format_milliseconds(max)),
            measured: worst.map(|row| format!("{} ({})", format_milliseconds(row.measured.p99), row.name)),
            is_reached: worst.is_some_and(|row| row.measured.p99 <= max),
        }
    }

    fn p99_under_concurrency(&self, target: &str, max: f64) -> Verdict {
        let alone: Vec<&Row> = self.at_largest(Class::SeveralFilters, 1).collect();
        let ratios = self
            .at_largest(Class::SeveralFilters, TARGET_CONNECTIONS)
            .filter_map(|row| {
                let alone = alone.iter().find(|alone| alone.name == row.name)?;
                let ratio = row.measured.p99.div_duration_f64(alone.measured.p99);
                Some((ratio, format!("{ratio:.1} × ({})", row.name)))
            });
        at_most(&self.with_size(target), max, ratios)
    }

    fn latency_growth(&self, target: &str, max: f64) -> Verdict {
        let classes = [Class::OneEvent, Class::DefaultList];
        let rows = classes.iter().flat_map(|class| self.rows(*class, TARGET_CONNECTIONS));
        let rows: Vec<&Row> = rows.collect();
        let smallest = rows.iter().map(|row| row.events).min();
        let ratios = rows.iter().filter_map(|row| {
            let is_pair = |small: &&&Row| small.name == row.name && Some(small.events) == smallest;
            let small = rows.iter().find(is_pair)?;
            let ratio = row.measured.p50.div_duration_f64(small.measured.p50);
            let is_largest = row.events == self.largest && small.events < row.events;
            is_largest.then(|| (ratio, format!("{ratio:.2} × ({})", row.name)))
        });
        at_most(&self.with_size(target), max, ratios)
    }

    fn instruction_growth(&self, target: &str, max: f64) -> Verdict {
        let counted: Vec<_> = self
            .results
            .figures(self.database)
            .filter(|figures| !figures.instructions.is_empty())
            .collect();
        let pairs = match counted.as_slice() {
            [small, .., large] => small.instructions.iter().zip(&large.instructions).collect(),
            _ => Vec::new(),
        };
        let ratios = pairs.into_iter().map(|((name, small), (_, large))| {
            let ratio = *large as f64 / *small as f64;
            (ratio, format!("{ratio:.2} × ({name})"))
        });
        at_most(target, max, ratios)
    }

    fn deep_page(&self, target: &str, max: f64) -> Verdict {
        let connections = [1, TARGET_CONNECTIONS]
            .into_iter()
            .find(|connections| self.at_largest(Class::DeepPage, *connections).next().is_some());
        let ratio = connections.and_then(|connections| {
            let deep = self.at_largest(Class::DeepPage, connections).next()?;
            let first = self.at_largest(Class::PageOne, connections).next()?;
            let ratio = deep.measured.p50.div_duration_f64(first.measured.p50);
            let text = format!("{ratio:.1} × ({connections} connections)");
            Some((ratio, text))
        });
        at_most(target, max, ratio.into_iter())
    }

    /// The ratio of the rates of two classes at each size.
    fn rate_ratio(&self, target: &str, classes: (Class, Class), min: f64) -> Verdict {
        let ratios = self.rows(classes.0, TARGET_CONNECTIONS).filter_map(|row| {
            let mut others = self.rows(classes.1, TARGET_CONNECTIONS);
            let other = others.find(|other| other.events == row.events)?;
            let ratio = row.measured.rate / other.measured.rate;
            Some((ratio, format!("{ratio:.2} ({})", size::label(row.events))))
        });
        at_least(target, min, ratios)
    }

    /// Start-up time, memory, and size of the program.
    fn process_figures(&self) -> Vec<Verdict> {
        let largest = self.results.figures(self.database).last();
        let start = largest.map(|figures| {
            let seconds = figures.time_to_first_response.as_secs_f64();
            (seconds * 1e3, format_milliseconds(figures.time_to_first_response))
        });
        let idle = largest.map(|figures| (figures.idle as f64 / 1e6, format_megabytes(figures.idle)));
        let program = self.results.program;
        let program = (program as f64 / 1e6, format_megabytes(program));
        let under_load = largest.and_then(|figures| figures.under_load);
        let max = under_load.map(|under_load| (under_load.max as f64 / 1e6, format_megabytes(under_load.max)));
        let growth = under_load.map(|under_load| {
            let ratio = under_load.growth as f64 / under_load.max as f64;
            (ratio, format!("{ratio:.3}"))
        });
        vec![
            at_most_of(&self.with_size("start to first response"), 150.0, "ms", start),
            at_most_of("idle resident memory", 60.0, "MB", idle),
            at_most_of("program, stripped", 30.0, "MB", Some(program)),
            at_most_of(
                &format!("peak resident memory in a minute with {CONNECTIONS} connections"),
                256.0,
                "MB",
                max,
            ),
            at_most(
                "growth of memory from the first half of the minute to the second, relative to the peak",
                MAX_MEMORY_GROWTH,
                growth.into_iter(),
            ),
        ]
    }

    fn load_rate(&self, target: &str, min: f64) -> Verdict {
        let largest = self.results.figures(self.database).last();
        let rate = largest.and_then(super::results::DatabaseFigures::load_rate_without_search);
        Verdict {
            target: self.with_size(target),
            limit: format!("≥ {min} events/s"),
            measured: rate.map(|rate| format!("{rate:.0} events/s")),
            is_reached: rate.is_some_and(|rate| rate >= min),
        }
    }

    fn with_size(&self, target: &str) -> String {
        format!("{target}, {} events", size::label(self.largest))
    }
}

/// The lowest value must reach the limit.
fn at_least(target: &str, min: f64, measured: impl Iterator<Item = (f64, String)>) -> Verdict {
    let worst = measured.min_by(|one, other| one.0.total_cmp(&other.0));
    Verdict {
        target: target.to_owned(),
        limit: format!("≥ {min}"),
        is_reached: worst.as_ref().is_some_and(|(ratio, _)| *ratio >= min),
        measured: worst.map(|(_, text)| text),
    }
}

/// The highest value must not exceed the limit.
fn at_most(target: &str, max: f64, measured: impl Iterator<Item = (f64, String)>) -> Verdict {
    let worst = measured.max_by(|one, other| one.0.total_cmp(&other.0));
    Verdict {
        target: target.to_owned(),
        limit: format!("≤ {max}"),
        is_reached: worst.as_ref().is_some_and(|(ratio, _)| *ratio <= max),
        measured: worst.map(|(_, text)| text),
    }
}

fn at_most_of(target: &str, max: f64, unit: &str, measured: Option<(f64, String)>) -> Verdict {
    Verdict {
        limit: format!("≤ {max} {unit}"),
        ..at_most(target, max, measured.into_iter())
    }
}
