//! One operation, measured in rounds with what it is compared with: the machine's moods meet all of them.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Result;

use crate::{
    bare::Bare,
    database::Kind,
    generator::{Generator, Load, Measured, Numbers, Target},
    operations::{Class, Operation},
    process::Process,
};

/// Rounds of which the median counts.
const ROUNDS: usize = 3;
/// The limit varies less than what is measured against it: its rounds are shorter by this.
const LIMIT_ROUND: u32 = 2;

/// One line of the tables.
#[derive(Clone, Debug)]
pub struct Row {
    pub database: Kind,
    pub name: String,
    pub class: Class,
    pub events: u64,
    pub connections: usize,
    pub measured: Measured,
    /// Requests a second, as a part of those of the limit.
    pub ratio: Option<f64>,
}

/// What all measurements on one database have in common.
pub struct Bench<'a> {
    pub database: Kind,
    pub events: u64,
    pub process: &'a Process,
    pub generator: &'a Generator,
    pub numbers: &'a Arc<Numbers>,
    pub round: Duration,
    pub folder: &'a Path,
}

/// A measurement of so many connections and so long.
pub type Contestant<'a> = &'a dyn Fn() -> Result<Measured>;

impl Bench<'_> {
    /// Measures the operation and its limit.
    pub fn measure(&self, operation: &Operation, connections: usize) -> Result<Row> {
        let rows = self.measure_beside(operation, connections, &[])?;
        let [row] = <[Row; 1]>::try_from(rows).map_err(|_| anyhow::anyhow!("one row"))?;
        Ok(row)
    }

    /// The same, with others that have their turn in each round.
    pub fn measure_beside(
        &self,
        operation: &Operation,
        connections: usize,
        others: &[(&str, Class, Contestant<'_>)],
    ) -> Result<Vec<Row>> {
        let sample = (operation.ask)(self.numbers.next());
        let answer = self.generator.fetch(&self.process.target, &sample)?;
        let bare = Bare::start(&answer, self.folder)?;
        let bare_target = Target {
            address: bare.address,
            ..self.process.target.clone()
        };
        let limit_round = self.round / LIMIT_ROUND;
        let limit = || self.drive(&bare_target, operation, connections, limit_round);
        let own = || self.drive(&self.process.target, operation, connections, self.round);
        let mut contestants: Vec<Contestant<'_>> = vec![&limit, &own];
        contestants.extend(others.iter().map(|(_, _, other)| *other));
        let mut medians = in_turn(&contestants)?.into_iter();
        let limit = medians.next().map(|limit| limit.rate);
        let names = std::iter::once((operation.name.as_str(), operation.class))
            .chain(others.iter().map(|(name, class, _)| (*name, *class)));
        let rows = names.zip(medians).enumerate();
        let rows = rows.map(|(place, ((name, class), measured))| Row {
            database: self.database,
            name: name.to_owned(),
            class,
            events: self.events,
            connections,
            ratio: limit.filter(|_| place == 0).map(|limit| measured.rate / limit),
            measured,
        });
        let rows: Vec<Row> = rows.collect();
        self.process.forget_log()?;
        Ok(rows)
    }

    /// One round of an operation on the server.
    pub fn round(&self, operation: &Operation, connections: usize) -> Result<Measured> {
        self.drive(&self.process.target, operation, connections, self.round)
    }

    fn drive(
        &self,
        target: &Target,
        operation: &Operation,
        connections: usize,
        duration: Duration,
    ) -> Result<Measured> {
        self.generator.drive(&Load {
            target,
            connections,
            duration,
            ask: &*operation.ask,
            numbers: self.numbers,
            status: operation.status,
        })
    }
}

/// The median of each, measured in turn.
fn in_turn(contestants: &[Contestant<'_>]) -> Result<Vec<Measured>> {
    let mut rounds: Vec<Vec<Measured>> = contestants.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (contestant, measured) in contestants.iter().zip(&mut rounds) {
            measured.push(contestant()?);
        }
    }
    Ok(rounds.iter().map(|rounds| median(rounds)).collect())
}

/// Each figure's own median.
fn median(rounds: &[Measured]) -> Measured {
    let middle = rounds.len() / 2;
    let mut rates: Vec<f64> = rounds.iter().map(|round| round.rate).collect();
    rates.sort_by(f64::total_cmp);
    let of = |figure: fn(&Measured) -> Duration| {
        let mut durations: Vec<Duration> = rounds.iter().map(figure).collect();
        durations.sort_unstable();
        durations[middle]
    };
    Measured {
        rate: rates[middle],
        p50: of(|round| round.p50),
        p99: of(|round| round.p99),
        fault: rounds.iter().find_map(|round| round.fault.clone()),
    }
}
