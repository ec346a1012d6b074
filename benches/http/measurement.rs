//! One operation, measured in rounds with what it is compared with: the machine's moods meet all of them.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Result;

use crate::{
    baseline::Baseline,
    database::Backend,
    generator::{Destination, Generator, Load, Measurement, RequestNumbers},
    operations::{Class, Operation},
    server_process::ServerProcess,
};

/// Rounds of which the median counts.
const ROUNDS: usize = 3;
/// The limit varies less than what is measured against it: its rounds are shorter by this.
const BASELINE_ROUND_DIVISOR: u32 = 2;

/// One line of the tables.
#[derive(Clone, Debug)]
pub struct Row {
    pub database: Backend,
    pub name: String,
    pub class: Class,
    pub events: u64,
    pub connections: usize,
    pub measured: Measurement,
    /// Requests a second, as a part of those of the limit.
    pub ratio: Option<f64>,
}

/// What all measurements on one database have in common.
pub struct Harness<'a> {
    pub database: Backend,
    pub events: u64,
    pub process: &'a ServerProcess,
    pub generator: &'a Generator,
    pub numbers: &'a Arc<RequestNumbers>,
    pub round: Duration,
    pub folder: &'a Path,
}

/// A measurement of so many connections and so long.
pub type Trial<'a> = &'a dyn Fn() -> Result<Measurement>;

impl Harness<'_> {
    /// Measures the operation and its limit.
    pub fn measure(&self, operation: &Operation, connections: usize) -> Result<Row> {
        let rows = self.measure_with(operation, connections, &[])?;
        let [row] = <[Row; 1]>::try_from(rows).map_err(|_| anyhow::anyhow!("one row"))?;
        Ok(row)
    }

    /// The same, with others that have their turn in each round.
    pub fn measure_with(
        &self,
        operation: &Operation,
        connections: usize,
        others: &[(&str, Class, Trial<'_>)],
    ) -> Result<Vec<Row>> {
        let sample = (operation.request)(self.numbers.next());
        let response = self.generator.fetch(&self.process.destination, &sample)?;
        let baseline = Baseline::start(&response, self.folder)?;
        let baseline_destination = Destination {
            address: baseline.address,
            ..self.process.destination.clone()
        };
        let baseline_round = self.round / BASELINE_ROUND_DIVISOR;
        let measure_baseline = || self.drive(&baseline_destination, operation, connections, baseline_round);
        let measure_server = || self.drive(&self.process.destination, operation, connections, self.round);
        let mut trials: Vec<Trial<'_>> = vec![&measure_baseline, &measure_server];
        trials.extend(others.iter().map(|(_, _, other)| *other));
        let mut medians = interleave(&trials)?.into_iter();
        let baseline_rate = medians.next().map(|baseline| baseline.rate);
        let names = std::iter::once((operation.name.as_str(), operation.class))
            .chain(others.iter().map(|(name, class, _)| (*name, *class)));
        let rows = names.zip(medians).enumerate();
        let rows = rows.map(|(index, ((name, class), measured))| Row {
            database: self.database,
            name: name.to_owned(),
            class,
            events: self.events,
            connections,
            ratio: baseline_rate
                .filter(|_| index == 0)
                .map(|baseline_rate| measured.rate / baseline_rate),
            measured,
        });
        let rows: Vec<Row> = rows.collect();
        self.process.truncate_log()?;
        Ok(rows)
    }

    /// One round of an operation on the server.
    pub fn round(&self, operation: &Operation, connections: usize) -> Result<Measurement> {
        self.drive(&self.process.destination, operation, connections, self.round)
    }

    fn drive(
        &self,
        destination: &Destination,
        operation: &Operation,
        connections: usize,
        duration: Duration,
    ) -> Result<Measurement> {
        self.generator.drive(&Load {
            destination,
            connections,
            duration,
            request: &*operation.request,
            numbers: self.numbers,
            status: operation.status,
        })
    }
}

/// The median of each, measured in turn.
fn interleave(trials: &[Trial<'_>]) -> Result<Vec<Measurement>> {
    let mut rounds: Vec<Vec<Measurement>> = trials.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (trial, measured) in trials.iter().zip(&mut rounds) {
            measured.push(trial()?);
        }
    }
    Ok(rounds.iter().map(|rounds| median(rounds)).collect())
}

/// Each figure's own median.
fn median(rounds: &[Measurement]) -> Measurement {
    let middle = rounds.len() / 2;
    let mut rates: Vec<f64> = rounds.iter().map(|round| round.rate).collect();
    rates.sort_by(f64::total_cmp);
    let median_of = |figure: fn(&Measurement) -> Duration| {
        let mut durations: Vec<Duration> = rounds.iter().map(figure).collect();
        durations.sort_unstable();
        durations[middle]
    };
    Measurement {
        rate: rates[middle],
        p50: median_of(|round| round.p50),
        p99: median_of(|round| round.p99),
        error: rounds.iter().find_map(|round| round.error.clone()),
    }
}
