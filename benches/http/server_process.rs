//! The server under test: the program as a separate process, with its log in a file.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use hyper::header::HeaderValue;

use crate::{
    database::FilledDatabase,
    generator::{Destination, Generator},
    request::RequestSpec,
};

/// The path of the program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_almanac");

/// How long a server may answer with 503 after its start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A running server, which is killed on drop.
pub(crate) struct ServerProcess {
    pub destination: Destination,
    /// From the start of the process to the first successful response to [`default_list`].
    pub time_to_first_response: Duration,
    child: Child,
    log: File,
}

/// The first page of the default list.
pub(crate) fn default_list() -> RequestSpec {
    RequestSpec::get("/events?per_page=10")
}

impl ServerProcess {
    /// Starts the program that has filled the database, optionally with a wrapper command, such as valgrind with its
    /// flags. The log is a file in `folder`.
    pub(crate) fn start(
        filled: &FilledDatabase,
        folder: &Path,
        wrapper: &[String],
        generator: &Generator,
    ) -> Result<Self> {
        let file = log_file(folder);
        // In append mode, the server continues at the start of the file after it is truncated.
        let log = OpenOptions::new().create(true).append(true).open(&file)?;
        let mut words = wrapper.iter().map(String::as_str).chain([filled.program.as_str()]);
        let started = Instant::now();
        let mut child = Command::new(words.next().unwrap_or(&filled.program))
            .args(words)
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &filled.url])
            // For the receivers of webhooks. An older program has no such flags, but ignores variables.
            .env("ALMANAC_WEBHOOK_ALLOW", "127.0.0.0/8")
            .env("ALMANAC_WEBHOOK_ALLOW_HTTP", "true")
            .stdout(Stdio::piped())
            .stderr(log.try_clone()?)
            .spawn()?;
        let output = child.stdout.take().context("no pipe for the output")?;
        let address = address(output).with_context(|| {
            let log = fs::read_to_string(&file).unwrap_or_default();
            format!("the server failed to start\n{log}")
        })?;
        let mut process = Self {
            destination: Destination {
                address,
                authorization: basic("admin", &filled.password)?,
            },
            time_to_first_response: Duration::ZERO,
            child,
            log,
        };
        process.time_to_first_response = loop {
            let response = generator.fetch(&process.destination, &default_list())?;
            let elapsed = started.elapsed();
            match response.status {
                200 => break elapsed,
                // Under valgrind, a server on PostgreSQL has answered its first request with 503.
                503 if elapsed < START_TIMEOUT => thread::sleep(Duration::from_secs(1)),
                _ => bail!("the first response is {response:?}"),
            }
        };
        Ok(process)
    }

    /// Resident memory in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let amount = line.and_then(|line| line.split_whitespace().next());
        let kibibytes: u64 = amount.context("no VmRSS")?.parse()?;
        Ok(kibibytes * 1024)
    }

    /// Truncates the log, which has a line for each request.
    pub(crate) fn truncate_log(&self) -> Result<()> {
        Ok(self.log.set_len(0)?)
    }

    /// Terminates the server with SIGTERM, and waits for it to exit.
    pub(crate) fn stop(mut self) -> Result<()> {
        let terminated = Command::new("sh")
            .args(["-c", r#"kill "$0""#, &self.child.id().to_string()])
            .status()?;
        ensure!(terminated.success(), "cannot signal the server");
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Errors are ignored: the process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("almanac.log")
}

fn address(output: impl std::io::Read) -> Result<SocketAddr> {
    for line in BufReader::new(output).lines() {
        if let Some(address) = line?.strip_prefix("listening on http://") {
            return Ok(address.parse()?);
        }
    }
    bail!("no address in the output")
}

pub(crate) fn basic(name: &str, password: &str) -> Result<HeaderValue> {
    let encoded = STANDARD.encode(format!("{name}:{password}"));
    Ok(HeaderValue::from_str(&format!("Basic {encoded}"))?)
}

/// Runs a subcommand of a program, and returns its output.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {arguments:?} failed: {error}");
    Ok(String::from_utf8(output.stdout)?)
}
