//! Measures an operation and its baseline in alternating rounds, so that variations of the machine affect both.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};

use crate::{
    baseline::Baseline,
    database::Backend,
    event_counter::EventCounter,
    generator::{Destination, FetchedResponse, Generator, Load, Measurement, RequestNumbers},
    operations::{Class, Operation},
    request::RequestSpec,
    server_process::ServerProcess,
    targets::is_targeted,
};

/// The median of this number of rounds is reported.
const ROUNDS: usize = 5;
/// In a full run, a round of an operation without a target is no longer than this.
const MAX_UNTARGETED_ROUND: Duration = Duration::from_millis(100);
/// The baseline varies less than the server, so its rounds are shorter by this factor.
const BASELINE_ROUND_DIVISOR: u32 = 2;

/// A row of the tables of operations.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub database: Backend,
    pub name: String,
    pub class: Class,
    pub events: u64,
    pub connections: usize,
    pub measured: Measurement,
    /// Requests per second, relative to those of the baseline.
    pub ratio: Option<f64>,
    /// The number of events of a feed.
    pub feed_events: Option<u64>,
    /// The name of the operation that was measured in the same rounds for comparison.
    pub compared_with: Option<String>,
}

/// Measures operations on one database.
pub(crate) struct Harness<'a> {
    pub database: Backend,
    pub events: u64,
    pub process: &'a ServerProcess,
    pub generator: &'a Generator,
    pub numbers: &'a Arc<RequestNumbers>,
    /// The duration of a round.
    pub round: Duration,
    pub folder: &'a Path,
    /// All measured sizes, in ascending order.
    pub sizes: &'a [u64],
    /// Whether the rounds of operations without a target are short.
    pub is_full: bool,
}

/// Runs one round of a measurement.
pub(crate) type Trial<'a> = &'a dyn Fn() -> Result<Measurement>;

impl Harness<'_> {
    /// With shorter rounds if the run is a full one and the operation has no target.
    pub(crate) fn for_operation(&self, operation: &Operation, connections: usize) -> Self {
        let is_short = self.is_full && !is_targeted(operation.class, self.events, connections, self.sizes);
        Self {
            round: if is_short {
                self.round.min(MAX_UNTARGETED_ROUND)
            } else {
                self.round
            },
            ..*self
        }
    }

    /// Measures an operation, its baseline, the operation with which it is compared, and other trials in alternating
    /// rounds.
    pub(crate) fn measure(
        &self,
        operation: &Operation,
        connections: usize,
        others: &[(&str, Class, Trial<'_>)],
    ) -> Result<Vec<Row>> {
        let sample = (operation.request)(self.numbers.next());
        let response = self.generator.fetch(&self.process.destination, &sample)?;
        let feed_events = feed_events(&response);
        let baseline = Baseline::start(&response, self.folder)?;
        let baseline_destination = Destination {
            address: baseline.address,
            ..self.process.destination.clone()
        };
        let baseline_round = self.round / BASELINE_ROUND_DIVISOR;
        let alone = operation.without_write_before();
        let measure_baseline = || self.drive(&baseline_destination, &alone, connections, baseline_round);
        let measure_server = || self.round(self.process, operation, connections);
        let compared = operation.compared_with.as_deref().map(|compared| {
            let measure = move || self.round(self.process, compared, connections);
            (compared, measure)
        });
        let mut others = others.to_vec();
        if let Some((compared, measure)) = &compared {
            others.push((compared.name.as_str(), compared.class, measure));
        }
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
            feed_events: feed_events.filter(|_| index == 0),
            compared_with: operation
                .compared_with
                .as_ref()
                .filter(|_| index == 0)
                .map(|compared| compared.name.clone()),
            measured,
        });
        let rows: Vec<Row> = rows.collect();
        self.process.truncate_log()?;
        Ok(rows)
    }

    /// Runs one round of an operation on a server: that of the harness or another one.
    pub(crate) fn round(
        &self,
        process: &ServerProcess,
        operation: &Operation,
        connections: usize,
    ) -> Result<Measurement> {
        self.drive(&process.destination, operation, connections, self.round)
    }

    /// Sends a write, and returns the ID of its object.
    pub(crate) fn written(&self, request: &RequestSpec) -> Result<i64> {
        let response = self.generator.fetch(&self.process.destination, request)?;
        let object: serde_json::Value = serde_json::from_slice(&response.body)?;
        ensure!((200..300).contains(&response.status), "it was not written: {object}");
        object["id"].as_i64().context("the response has no ID")
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
            write_before: operation.write_before.as_deref(),
            numbers: self.numbers,
            status: operation.status,
        })
    }
}

/// The number of events of a calendar in iCalendar. None for another response.
fn feed_events(response: &FetchedResponse) -> Option<u64> {
    response.content_type.starts_with("text/calendar").then(|| {
        let mut counter = EventCounter::default();
        counter.add(&response.body);
        counter.events
    })
}

/// Runs the trials in alternating rounds, and returns the median of each.
fn interleave(trials: &[Trial<'_>]) -> Result<Vec<Measurement>> {
    let mut rounds: Vec<Vec<Measurement>> = trials.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (trial, measured) in trials.iter().zip(&mut rounds) {
            measured.push(trial()?);
        }
    }
    Ok(rounds.iter().map(|rounds| median(rounds)).collect())
}

/// The median of each figure.
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
