//! Counts instructions per request with callgrind. Other processes on the machine do not affect the result.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{
    database::FilledDatabase,
    dataset::Dataset,
    generator::Generator,
    request::RequestSpec,
    server_process::{ServerProcess, default_list},
};

/// Requests of the shorter of two runs. The longer one has twice as many, so that the difference between the runs is
/// the cost of this many requests. With so many, variations of the start-up do not matter.
const REQUESTS: u64 = 2000;
/// The maximum number of runs to finish earlier work.
const MAX_EARLIER_RUNS: u32 = 20;

/// Whether valgrind is installed.
pub(crate) fn is_valgrind_installed() -> bool {
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Returns names and instructions per request of two cached reads: one event, and the default list.
pub(crate) fn count(
    filled: &FilledDatabase,
    dataset: &Dataset,
    folder: &Path,
    generator: &Generator,
) -> Result<Vec<(&'static str, u64)>> {
    let (id, _) = dataset.events.first().context("the database has no events")?;
    let requests = [
        ("event by id, again", RequestSpec::get(&format!("/events/{id}"))),
        ("events, again", default_list()),
    ];
    finish_earlier_work(|| instructions(filled, &default_list(), REQUESTS, folder, generator))?;
    let mut counted = Vec::new();
    for (name, request) in requests {
        let run = |requests| instructions(filled, &request, requests, folder, generator);
        let (once, twice) = (run(REQUESTS)?, run(REQUESTS * 2)?);
        counted.push((name, twice.saturating_sub(once) / REQUESTS));
    }
    Ok(counted)
}

/// Finishes the work that the previous server has left, such as the index of new texts: repeats a run until it takes
/// about as many instructions as the one before.
fn finish_earlier_work(run: impl Fn() -> Result<u64>) -> Result<()> {
    let mut before = run()?;
    for _ in 0..MAX_EARLIER_RUNS {
        let count = run()?;
        if count.abs_diff(before) < count / 20 {
            return Ok(());
        }
        before = count;
    }
    eprintln!("the number of instructions still varies after {MAX_EARLIER_RUNS} runs");
    Ok(())
}

/// Instructions of a server process from start to end, with this number of requests.
fn instructions(
    filled: &FilledDatabase,
    request: &RequestSpec,
    requests: u64,
    folder: &Path,
    generator: &Generator,
) -> Result<u64> {
    let file = folder.join("callgrind.out");
    let valgrind = [
        "valgrind".to_owned(),
        "--tool=callgrind".to_owned(),
        format!("--callgrind-out-file={}", file.display()),
    ];
    let process = ServerProcess::start(filled, folder, &valgrind, generator)?;
    generator.repeat(&process.destination, request, requests)?;
    process.stop()?;
    let written = fs::read_to_string(&file)?;
    let totals = written
        .lines()
        .find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")));
    Ok(totals.context("no total in the output of callgrind")?.trim().parse()?)
}
