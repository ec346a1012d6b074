//! Measures the import of a site with The Events Calendar into an empty database. The site is another calendar of this
//! program, whose interface for WordPress is the same.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    database::Backend,
    server_process::{PROGRAM, ServerProcess},
};

/// The name by which the measurement is selected.
pub(crate) const NAME: &str = "import of a site";
/// The number of events of the site.
pub(crate) const EVENTS: u64 = 200_000;
/// Requests per second, which the site does not reach.
const RATE: &str = "1000000/s";
/// The interval at which the peak memory of the process is read.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// The result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SiteImport {
    pub database: Backend,
    pub duration: Duration,
    /// Peak resident memory of the importing process, in bytes.
    pub memory: u64,
}

impl SiteImport {
    /// Events per second.
    pub(crate) fn rate(&self) -> f64 {
        EVENTS as f64 / self.duration.as_secs_f64()
    }
}

/// Imports the site of a server into the empty database with this URL.
pub(crate) fn measure(database: Backend, site: &ServerProcess, url: &str) -> Result<SiteImport> {
    let address = format!("http://{}", site.destination.address);
    let started = Instant::now();
    let mut process = Command::new(PROGRAM)
        .args(["import", "tec", &address, "--rate", RATE, "--database-url", url])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", process.id());
    let mut memory = 0;
    let exit = loop {
        if let Some(exit) = process.try_wait()? {
            break exit;
        }
        // The process may have ended in the meantime.
        memory = peak(&status).unwrap_or(memory);
        thread::sleep(SAMPLE_INTERVAL);
    };
    ensure!(exit.success(), "the import failed: {exit}");
    Ok(SiteImport {
        database,
        duration: started.elapsed(),
        memory,
    })
}

/// The peak resident memory so far, in bytes.
fn peak(status: &str) -> Result<u64> {
    let text = fs::read_to_string(status)?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let amount = line.and_then(|line| line.split_whitespace().next());
    let kibibytes: u64 = amount.context("no VmHWM")?.parse()?;
    Ok(kibibytes * 1024)
}
