//! One database after the other, one size after the other.

use std::{fs, rc::Rc, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::{
    arguments::{Arguments, Choice},
    ask::Ask,
    calendar::Calendar,
    database::{Filled, Kind, Place},
    generator::{Generator, Numbers},
    inserts::RawInserts,
    instructions,
    measure::{Bench, Row},
    memory,
    operations::{self, Class, NewEvent, Operation, PURE_READS, RAW_INSERTS},
    process::{PROGRAM, Process},
    report,
    results::{Figures, Results},
    size,
};

/// Starts of which the median counts.
const STARTS: usize = 3;
/// Events that updates may change.
const OWN: usize = 100;
/// What is measured once, where the server has the database in itself; as `--only` names it.
const MEMORY: &str = "memory under load";

/// Measures all that is asked for. `tell` is told what there is after each size.
pub fn all(arguments: &Arguments, tell: impl Fn(&Results) -> Result<()>) -> Result<Results> {
    let run = Run {
        arguments,
        generator: Generator::new()?,
        numbers: Arc::new(Numbers::new()),
        folder: tempfile::Builder::new().prefix("almanac-bench-").tempdir()?,
    };
    let mut results = Results {
        program: fs::metadata(PROGRAM)?.len(),
        ..Results::default()
    };
    let databases: &[Kind] = match arguments.database {
        Choice::Sqlite => &[Kind::Sqlite],
        Choice::Postgres => &[Kind::Postgres],
        Choice::Both => &[Kind::Sqlite, Kind::Postgres],
    };
    for database in databases {
        let keep = arguments.keep.as_deref();
        let place = Place::new(*database, keep, arguments.postgres_url.as_deref())?;
        for events in &arguments.sizes {
            run.size(*database, &place, *events, &mut results)?;
            tell(&results)?;
        }
    }
    Ok(results)
}

struct Run<'a> {
    arguments: &'a Arguments,
    generator: Generator,
    numbers: Arc<Numbers>,
    /// For logs and the like.
    folder: TempDir,
}

impl Run<'_> {
    fn size(&self, database: Kind, place: &Place, events: u64, results: &mut Results) -> Result<()> {
        eprintln!("{}, {} events: filling", database.name(), size::label(events));
        let filled = place.fill(events)?;
        let calendar = tokio::runtime::Runtime::new()?.block_on(Calendar::read(&filled.url))?;
        let calendar = Rc::new(calendar);
        let first_answer = self.first_answer(&filled)?;
        let process = self.start(&filled)?;
        let bench = Bench {
            database,
            events,
            process: &process,
            generator: &self.generator,
            numbers: &self.numbers,
            round: Duration::from_secs_f64(self.arguments.seconds),
            folder: self.folder.path(),
        };
        let mut figures = Figures {
            database,
            events,
            load: (filled.took, filled.said.clone()),
            first_answer,
            idle: process.memory()?,
            busy: None,
            instructions: Vec::new(),
        };
        self.reads(&bench, &calendar, results)?;
        let is_largest = Some(&events) == self.arguments.sizes.last();
        if database == Kind::Sqlite && is_largest && self.arguments.want(MEMORY) {
            eprintln!("{MEMORY}, for a minute");
            let varied = operations::varied_reads(&calendar);
            figures.busy = Some(memory::under_load(&bench, &varied)?);
        }
        self.writes(&bench, &calendar, &filled, results)?;
        process.stop()?;
        figures.instructions = self.instructions(events, &filled, &calendar)?;
        results.figures.push(figures);
        place.remove(filled)
    }

    fn start(&self, filled: &Filled) -> Result<Process> {
        let folder = self.folder.path();
        Process::start(&filled.url, &filled.password, folder, &[], &self.generator)
    }

    /// From the start of a server to its first answer.
    fn first_answer(&self, filled: &Filled) -> Result<Duration> {
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            let process = self.start(filled)?;
            starts.push(process.first_answer);
            process.stop()?;
        }
        starts.sort_unstable();
        Ok(starts[STARTS / 2])
    }

    fn reads(&self, bench: &Bench<'_>, calendar: &Rc<Calendar>, results: &mut Results) -> Result<()> {
        let fetch = |ask: &Ask| self.generator.fetch(&bench.process.target, ask);
        let mut operations = operations::reads(calendar, &fetch)?;
        operations.retain(|operation| self.arguments.want(&operation.name));
        for operation in operations {
            for connections in &self.arguments.connections {
                record(results, bench.measure(&operation, *connections)?);
            }
        }
        Ok(())
    }

    fn writes(&self, bench: &Bench<'_>, calendar: &Rc<Calendar>, filled: &Filled, results: &mut Results) -> Result<()> {
        let wanted = |operation: &Operation| self.arguments.want(&operation.name);
        // The names are known before there are events to change.
        if !operations::writes(calendar, &[]).iter().any(wanted) {
            return Ok(());
        }
        let own = self.own_events(bench, calendar)?;
        let raw = RawInserts::like(&filled.url, own[0])?;
        let operations = operations::writes(calendar, &own);
        let pure = operations
            .iter()
            .find(|operation| operation.class == Class::PureReads)
            .context("the mix has its reads")?;
        for operation in operations.iter().filter(|operation| wanted(operation)) {
            for connections in &self.arguments.connections {
                let inserts = || raw.drive(*connections, bench.round, &self.numbers);
                let reads = || bench.round(pure, *connections);
                let rows = match operation.class {
                    Class::Creates => {
                        let beside = (RAW_INSERTS, Class::RawInserts, &inserts as _);
                        bench.measure_beside(operation, *connections, &[beside])?
                    }
                    Class::Mix => {
                        let beside = (PURE_READS, Class::PureReads, &reads as _);
                        bench.measure_beside(operation, *connections, &[beside])?
                    }
                    // Measured beside the mix.
                    Class::PureReads => continue,
                    _ => vec![bench.measure(operation, *connections)?],
                };
                for row in rows {
                    record(results, row);
                }
            }
        }
        Ok(())
    }

    /// The IDs of events that were made for this.
    fn own_events(&self, bench: &Bench<'_>, calendar: &Calendar) -> Result<Vec<i64>> {
        let create = || {
            let ask = NewEvent::ask(calendar, self.numbers.next());
            let answer = self.generator.fetch(&bench.process.target, &ask)?;
            let event: serde_json::Value = serde_json::from_slice(&answer.body)?;
            event["id"]
                .as_i64()
                .with_context(|| format!("the event is not made: {event}"))
        };
        (0..OWN).map(|_| create()).collect()
    }

    fn instructions(&self, events: u64, filled: &Filled, calendar: &Calendar) -> Result<Vec<(&'static str, u64)>> {
        let sizes = &self.arguments.sizes;
        let is_an_end = sizes.first() == Some(&events) || sizes.last() == Some(&events);
        if !self.arguments.callgrind || !is_an_end {
            return Ok(Vec::new());
        }
        if !instructions::is_possible() {
            eprintln!("no instructions are counted: valgrind is not installed");
            return Ok(Vec::new());
        }
        eprintln!("counting instructions");
        instructions::count(filled, calendar, self.folder.path(), &self.generator)
    }
}

fn record(results: &mut Results, row: Row) {
    eprintln!("{}", report::line(&row));
    if let Some(fault) = &row.measured.fault {
        eprintln!("  a wrong answer: {fault}");
    }
    results.rows.push(row);
}
