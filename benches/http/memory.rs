//! Measures the memory of the server under load.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{measurement::Harness, operations::Operation};

/// The duration and the connections of the load.
const DURATION: Duration = Duration::from_mins(1);
pub(crate) const CONNECTIONS: usize = 64;
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);

/// Resident memory under load, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub max: u64,
    /// The mean of the second half minus the mean of the first half.
    pub growth: i64,
}

/// Samples resident memory during a load.
pub(crate) fn under_load(harness: &Harness<'_>, operation: &Operation) -> Result<Memory> {
    let samples: Mutex<Vec<u64>> = Mutex::default();
    let end = Instant::now() + DURATION;
    thread::scope(|scope| {
        let sampling = scope.spawn(|| -> Result<()> {
            while Instant::now() + SAMPLE_INTERVAL <= end {
                thread::sleep(SAMPLE_INTERVAL);
                let memory = harness.process.memory()?;
                samples
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(memory);
            }
            Ok(())
        });
        let loading = Harness {
            round: DURATION,
            ..*harness
        };
        loading.round(harness.process, operation, CONNECTIONS)?;
        sampling
            .join()
            .map_err(|_| anyhow::anyhow!("the sampling thread panicked"))?
    })?;
    harness.process.truncate_log()?;
    let samples = samples.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (first, second) = samples.split_at(samples.len() / 2);
    Ok(Memory {
        max: samples.iter().copied().max().unwrap_or(0),
        growth: mean(second).cast_signed() - mean(first).cast_signed(),
    })
}

fn mean(samples: &[u64]) -> u64 {
    samples.iter().sum::<u64>() / (samples.len() as u64).max(1)
}
