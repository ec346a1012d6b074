//! What the server is to reach, and whether it does.

use std::time::Duration;

use crate::{
    database::Kind,
    measure::Row,
    memory::CONNECTIONS,
    operations::Class,
    report::{megabytes, milliseconds, rounded},
    results::Results,
    size,
};

/// One target.
pub struct Verdict {
    pub target: String,
    pub limit: String,
    /// What was measured; none where this run did not.
    pub measured: Option<String>,
    pub is_reached: bool,
}

/// Connections with which most targets are judged.
const EIGHT: usize = 8;
/// Memory is flat that grows by less than this part of it between the two halves of a minute.
const FLAT: f64 = 0.1;

/// All targets of a database.
pub fn judge(results: &Results, database: Kind) -> Vec<Verdict> {
    let is_sqlite = database == Kind::Sqlite;
    let either = |sqlite: f64, postgres: f64| if is_sqlite { sqlite } else { postgres };
    let judge = Judge::new(results, database);
    let mut verdicts = vec![
        judge.limit(
            "one event, again, 8 connections: part of the limit",
            Class::OneEvent,
            either(0.5, 0.25),
        ),
        judge.limit(
            "default list of 10, again, 8 connections: part of the limit",
            Class::DefaultList,
            either(0.4, 0.2),
        ),
        judge.p99("one filter, new, 1 connection: p99", Class::OneFilter, 25),
        judge.p99("several filters, new, 1 connection: p99", Class::SeveralFilters, 100),
        judge.crowd("several filters, new: p99 with 8 connections against 1", 5.0),
        judge.p99(
            "search of up to 10,000 matches, new, 1 connection: p99",
            Class::Search,
            50,
        ),
        judge.flat(
            "one event and default list, again: median at the largest size against the smallest",
            1.3,
        ),
        judge.flat_instructions("the same by instructions", 1.3),
        judge.deep("page 30,000 of the default window against page 1, new: median", 3.0),
        judge.beside(
            "creates with 8 connections against raw inserts of the same rows",
            (Class::Creates, Class::RawInserts),
            0.5,
        ),
        judge.beside(
            "95 % reads and 5 % writes against the same reads alone, 8 connections",
            (Class::Mix, Class::PureReads),
            either(0.6, 0.5),
        ),
    ];
    if is_sqlite {
        verdicts.extend(judge.process());
    }
    verdicts.push(judge.load("bulk load without the index of words", either(20_000.0, 10_000.0)));
    verdicts
}

struct Judge<'a> {
    results: &'a Results,
    database: Kind,
    largest: u64,
}

impl<'a> Judge<'a> {
    fn new(results: &'a Results, database: Kind) -> Self {
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

    /// The least part of the limit that operations of the class reach.
    fn limit(&self, target: &str, class: Class, least: f64) -> Verdict {
        let ratios = self.rows(class, EIGHT).filter_map(|row| {
            let ratio = row.ratio?;
            Some((
                ratio,
                format!("{} ({}, {})", rounded(ratio), row.name, size::label(row.events)),
            ))
        });
        at_least(target, least, ratios)
    }

    /// The greatest p99 of operations of the class.
    fn p99(&self, target: &str, class: Class, most: u64) -> Verdict {
        let most = Duration::from_millis(most);
        let worst = self.at_largest(class, 1).max_by_key(|row| row.measured.p99);
        Verdict {
            target: self.sized(target),
            limit: format!("≤ {}", milliseconds(most)),
            measured: worst.map(|row| format!("{} ({})", milliseconds(row.measured.p99), row.name)),
            is_reached: worst.is_some_and(|row| row.measured.p99 <= most),
        }
    }

    fn crowd(&self, target: &str, most: f64) -> Verdict {
        let alone: Vec<&Row> = self.at_largest(Class::SeveralFilters, 1).collect();
        let ratios = self.at_largest(Class::SeveralFilters, EIGHT).filter_map(|row| {
            let alone = alone.iter().find(|alone| alone.name == row.name)?;
            let ratio = row.measured.p99.div_duration_f64(alone.measured.p99);
            Some((ratio, format!("{ratio:.1} × ({})", row.name)))
        });
        at_most(&self.sized(target), most, ratios)
    }

    fn flat(&self, target: &str, most: f64) -> Verdict {
        let classes = [Class::OneEvent, Class::DefaultList];
        let rows = classes.iter().flat_map(|class| self.rows(*class, EIGHT));
        let rows: Vec<&Row> = rows.collect();
        let smallest = rows.iter().map(|row| row.events).min();
        let ratios = rows.iter().filter_map(|row| {
            let is_pair = |small: &&&Row| small.name == row.name && Some(small.events) == smallest;
            let small = rows.iter().find(is_pair)?;
            let ratio = row.measured.p50.div_duration_f64(small.measured.p50);
            let is_largest = row.events == self.largest && small.events < row.events;
            is_largest.then(|| (ratio, format!("{ratio:.2} × ({})", row.name)))
        });
        at_most(&self.sized(target), most, ratios)
    }

    fn flat_instructions(&self, target: &str, most: f64) -> Verdict {
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
        at_most(target, most, ratios)
    }

    fn deep(&self, target: &str, most: f64) -> Verdict {
        let connections = [1, EIGHT]
            .into_iter()
            .find(|connections| self.at_largest(Class::DeepPage, *connections).next().is_some());
        let ratio = connections.and_then(|connections| {
            let deep = self.at_largest(Class::DeepPage, connections).next()?;
            let first = self.at_largest(Class::PageOne, connections).next()?;
            let ratio = deep.measured.p50.div_duration_f64(first.measured.p50);
            let said = format!("{ratio:.1} × ({connections} connections)");
            Some((ratio, said))
        });
        at_most(target, most, ratio.into_iter())
    }

    /// The rate of the one as a part of the other's, at each size.
    fn beside(&self, target: &str, classes: (Class, Class), least: f64) -> Verdict {
        let ratios = self.rows(classes.0, EIGHT).filter_map(|row| {
            let mut others = self.rows(classes.1, EIGHT);
            let other = others.find(|other| other.events == row.events)?;
            let ratio = row.measured.rate / other.measured.rate;
            Some((ratio, format!("{ratio:.2} ({})", size::label(row.events))))
        });
        at_least(target, least, ratios)
    }

    /// Start, memory and size of the program.
    fn process(&self) -> Vec<Verdict> {
        let largest = self.results.figures(self.database).last();
        let start = largest.map(|figures| {
            let seconds = figures.first_answer.as_secs_f64();
            (seconds * 1e3, milliseconds(figures.first_answer))
        });
        let idle = largest.map(|figures| (figures.idle as f64 / 1e6, megabytes(figures.idle)));
        let program = self.results.program;
        let program = (program as f64 / 1e6, megabytes(program));
        let busy = largest.and_then(|figures| figures.busy);
        let most = busy.map(|busy| (busy.most as f64 / 1e6, megabytes(busy.most)));
        let growth = busy.map(|busy| {
            let part = busy.growth as f64 / busy.most as f64;
            (part, format!("{part:.3} of it"))
        });
        vec![
            at_most_of(&self.sized("start to first answer"), 150.0, "ms", start),
            at_most_of("idle resident memory", 60.0, "MB", idle),
            at_most_of("program, stripped", 30.0, "MB", Some(program)),
            at_most_of(
                &format!("resident memory in a minute under {CONNECTIONS} connections"),
                256.0,
                "MB",
                most,
            ),
            at_most(
                "its growth from the first half of the minute to the second",
                FLAT,
                growth.into_iter(),
            ),
        ]
    }

    fn load(&self, target: &str, least: f64) -> Verdict {
        let largest = self.results.figures(self.database).last();
        let rate = largest.and_then(|figures| figures.load_rate_without_search());
        Verdict {
            target: self.sized(target),
            limit: format!("≥ {least} events/s"),
            measured: rate.map(|rate| format!("{rate:.0} events/s")),
            is_reached: rate.is_some_and(|rate| rate >= least),
        }
    }

    fn sized(&self, target: &str) -> String {
        format!("{target}, {} events", size::label(self.largest))
    }
}

/// The worst is what counts.
fn at_least(target: &str, least: f64, measured: impl Iterator<Item = (f64, String)>) -> Verdict {
    let worst = measured.min_by(|one, other| one.0.total_cmp(&other.0));
    Verdict {
        target: target.to_owned(),
        limit: format!("≥ {least}"),
        is_reached: worst.as_ref().is_some_and(|(ratio, _)| *ratio >= least),
        measured: worst.map(|(_, said)| said),
    }
}

fn at_most(target: &str, most: f64, measured: impl Iterator<Item = (f64, String)>) -> Verdict {
    let worst = measured.max_by(|one, other| one.0.total_cmp(&other.0));
    Verdict {
        target: target.to_owned(),
        limit: format!("≤ {most}"),
        is_reached: worst.as_ref().is_some_and(|(ratio, _)| *ratio <= most),
        measured: worst.map(|(_, said)| said),
    }
}

fn at_most_of(target: &str, most: f64, unit: &str, measured: Option<(f64, String)>) -> Verdict {
    Verdict {
        limit: format!("≤ {most} {unit}"),
        ..at_most(target, most, measured.into_iter())
    }
}
