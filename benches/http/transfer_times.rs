//! Measures an export of all rows, and the import of the same file into a new SQLite database.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{database::FilledDatabase, server_process::PROGRAM};

/// The name by which the measurement is selected.
pub(crate) const NAME: &str = "export and import";
/// The interval at which the peak memory of a process is read.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// A process from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessFigures {
    pub duration: Duration,
    /// Peak resident memory, in bytes.
    pub memory: u64,
}

/// The figures of both processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferTimes {
    pub export: ProcessFigures,
    pub import: ProcessFigures,
}

/// Measures both. `folder` gets the file and the database, which are removed.
pub(crate) fn measure(filled: &FilledDatabase, folder: &Path) -> Result<TransferTimes> {
    let (all, imported) = (folder.join("all.ndjson"), folder.join("imported.db"));
    let output = File::create(&all)?;
    let export = run(&["export", "--database-url", &filled.url], Stdio::from(output))?;
    let url = format!("sqlite://{}", imported.display());
    let file = all.to_str().context("the folder has a name in UTF-8")?;
    let import = run(&["import", "ndjson", file, "--database-url", &url], Stdio::null())?;
    fs::remove_file(&all)?;
    fs::remove_file(&imported)?;
    Ok(TransferTimes { export, import })
}

fn run(arguments: &[&str], output: Stdio) -> Result<ProcessFigures> {
    let started = Instant::now();
    let mut process = Command::new(PROGRAM)
        .args(arguments)
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", process.id());
    let mut memory = 0;
    let exit = loop {
        if let Some(exit) = process.try_wait()? {
            break exit;
        }
        memory = peak(&status).unwrap_or(memory);
        thread::sleep(SAMPLE_INTERVAL);
    };
    ensure!(exit.success(), "`almanac {}` failed: {exit}", arguments[0]);
    Ok(ProcessFigures {
        duration: started.elapsed(),
        memory,
    })
}

/// The peak resident memory so far, in bytes. None if the process has ended.
fn peak(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
